//! The step that reads the code of a Cortex-M's images.
//!
//! Owns: which functions may mask interrupts above the kernel's level, and which programs have no
//! frame that passes a guard. Must never know: an instruction.

use anyhow::{Context, Result};
use taktos_cycles::firmware;
use taktos_emulator::Board;
use taktos_runner::image;
use taktos_runner::workspace::Workspace;

use super::Tally;

/// One board with a clock of its own, and one of each architecture with the processor's timer: the
/// code of the others is the same.
const BOARDS: [Board; 3] = [Board::MPS2_AN386, Board::STM32F405, Board::MPS3_AN547];
const PROGRAMS: [&str; 3] = ["bench", "hello", "port"];

/// Parts of the symbols of functions that may mask: the one that moves the processor's timer, for a
/// dozen instructions; the end of a program by a fault; and the test of the port, with all masked.
const MAY_MASK: [&str; 3] = ["store_moved", "overflow_at_switch", "come_in_order"];

/// Checks each program of each board.
pub(super) fn code(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    for board in BOARDS {
        let there = (board.name(), board.triple());
        let images = image::build_several(workspace, there, &PROGRAMS)?;
        for (program, image) in PROGRAMS.into_iter().zip(images) {
            let elf = std::fs::read(&image.path)
                .with_context(|| format!("cannot read {}", image.path.display()))?;
            let what = format!("{program} of {}", board.name());
            all.add(masks(&what, &elf)?);
            // The test of the port moves the stack pointer by registers.
            if program != "port" {
                all.add(frames(&what, &elf)?);
            }
        }
    }
    Ok(all)
}

/// Interrupts above the kernel's level are not delayed by the kernel, a port or a board.
fn masks(what: &str, elf: &[u8]) -> Result<Tally> {
    let masking = firmware::masking(elf)?.into_iter();
    let others: String = masking
        .filter(|function| !MAY_MASK.iter().any(|known| function.contains(known)))
        .map(|function| format!("{what}: {function} masks interrupts above the kernel's level\n"))
        .collect();
    Ok(told(others))
}

/// Checks that no frame passes the guard, if the image has one and states its size.
fn frames(what: &str, elf: &[u8]) -> Result<Tally> {
    let Some(guard) = firmware::guard(elf) else {
        return Ok(Tally::pass());
    };
    let frames = firmware::frames(elf)?.into_iter();
    let beyond: String = frames
        .filter(|frame| frame.bytes.is_none_or(|bytes| bytes > guard))
        .map(|frame| {
            let (function, bytes) = (frame.function, frame.bytes);
            format!("{what}: the frame of {function} is of {bytes:?} bytes, the guard of {guard}\n")
        })
        .collect();
    Ok(told(beyond))
}

fn told(said: String) -> Tally {
    match said.is_empty() {
        true => Tally::pass(),
        false => Tally::fail(said),
    }
}
