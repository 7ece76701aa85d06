//! Owns: programs that handle an interrupt of a device of their own, and some that are refused.
//! Must never know: how a program is written, built and run.

use anyhow::Result;
use taktos_emulator::Board;

use super::{PROFILES, Place, Tally};

/// The program, the same for all; each board has a device of its own.
const PROGRAM: &str = include_str!("interrupts/main.rs");
/// Output of the program: the device's interrupt comes, is kept back, and comes then; so does the
/// one that is pended.
const SAYS: &str = "Ok(()), kept true, Ok(()); Ok(())";

/// Numbers that the device's line of the Cortex-M4 cannot have, and why.
const REFUSED: [(&str, &str); 2] = [
    ("NUMBER: u32 = 10", "taktos_interrupt_10"),
    (
        "NUMBER: u32 = 32",
        "the board has no interrupt of this number for a program",
    ),
];

/// The device of a board's program.
fn device(board: Board) -> Option<&'static str> {
    match board.name() {
        "mps2-an386" => Some(include_str!("interrupts/mps2-an386.rs")),
        "virt-aarch64" => Some(include_str!("interrupts/virt-aarch64.rs")),
        "virt-riscv64" => Some(include_str!("interrupts/virt-riscv64.rs")),
        _ => None,
    }
}

/// Puts the program in the place of that one which was written as `name`, and runs it.
pub(super) fn handled(place: &Place<'_>, name: &str, board: Board) -> Result<Tally> {
    let mut all = Tally::default();
    let Some(device) = device(board) else {
        return Ok(all);
    };
    place.put(name, "src/main.rs", PROGRAM)?;
    place.put(name, "src/device.rs", device)?;
    all.add(place.run(name, PROFILES[0], SAYS)?);
    if board == Board::MPS2_AN386 {
        for (number, why) in REFUSED {
            place.put(name, "src/device.rs", device)?;
            all.add(place.refused_with(name, "src/device.rs", ("NUMBER: u32 = 9", number), why)?);
        }
    }
    Ok(all)
}
