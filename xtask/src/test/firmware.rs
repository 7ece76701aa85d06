//! Owns: how the emulator starts a Raspberry Pi's processors as the board's firmware does, at words
//! of its stub. Must never know: what runs there.
//!
//! The emulator plays the stub for Linux alone, which is located at a fixed place. Two instructions
//! there lead to the image, which is in memory next to them. The machine has EL3, and the interrupt
//! controller two states of security.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::process::{End, Process};
use taktos_emulator::several::Setting;
use taktos_emulator::{Board as Machine, Ended};
use taktos_runner::several::Board;
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

/// The machine.
const MACHINE: Machine = Machine::RASPBERRY_PI_4;
/// Code in Linux's place: `movz x9, #0x20, lsl #16`, `br x9`.
const TO_THE_IMAGE: [u32; 2] = [0xD2A0_0409, 0xD61F_0120];
/// Otherwise as the machine of the other steps.
const ARGUMENTS: &str = "-M raspi4b -m 2G -audio none -nodefaults -display none -serial stdio -semihosting-config enable=on,target=native";
/// The most real time.
const TIME: Duration = Duration::from_secs(120);

/// Runs a program on all processors.
pub(super) fn run(
    workspace: &Workspace,
    board: Board,
    program: &str,
    setting: &Setting,
) -> Result<Ended> {
    let image = image::build_for(workspace, (board.name, MACHINE.triple()), program)?;
    let first = workspace.target().join("in-the-place-of-linux");
    std::fs::write(&first, TO_THE_IMAGE.map(u32::to_le_bytes).concat())
        .with_context(|| format!("cannot write {}", first.display()))?;
    let mut command = Command::new(MACHINE.program());
    command
        .args(ARGUMENTS.split(' '))
        .args(emulator::find(MACHINE)?.time(setting, None)?)
        .arg("-device")
        .arg(format!("loader,file={}", image.path.display()))
        .arg("-kernel")
        .arg(&first);
    let (process, mut console) = (Process::unattended(command)?, String::new());
    let end = process.hear_lines(TIME, |line| {
        console.push_str(line);
        false
    });
    // A machine that keeps running ends with `process`.
    let exit_status = match end {
        End::Closed => process.wait()?.code().unwrap_or(-1),
        End::Enough | End::Late => -1,
    };
    Ok(Ended {
        console,
        exit_status,
    })
}
