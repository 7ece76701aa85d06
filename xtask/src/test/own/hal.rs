//! The step that builds and runs a program with drivers of a chip's vendor (HAL): the drivers'
//! crate has the table of interrupts.
//!
//! Owns: which drivers, and what the program must print.
//! Must never know: how a program is written, built and run.
//!
//! The drivers are in a registry, so this step needs the network if cargo has not fetched them
//! before, as the steps of sockets and of settings do.

use anyhow::Result;
use taktos_emulator::Board;
use taktos_runner::workspace::Workspace;

use super::{PROFILES, Place, Tally};
use crate::test::cargo::tool_built;

const NAME: &str = "hal";
const PROGRAM: &str = include_str!("hal/main.rs");
const SAYS: &str = "5 edges";
/// They are for the chip alone: on the host the program is tested without them.
const DRIVERS: &str = "[target.'cfg(target_os = \"none\")'.dependencies]\nstm32f4xx-hal = { version = \"=0.22.1\", features = [\"stm32f405\"] }\nfugit = \"0.3\"";
/// The message where an interrupt's handler is to be in a table that the board does not have.
const NO_TABLE: &str =
    "with the feature `pac` of `taktos` the table of interrupts is the chip's crate's";

/// A program for a chip that is no board, and the machine of the emulator with that chip.
const ON_CHIP: &str = include_str!("hal/chip.rs");
const CHIP: &str = "STM32F405RGTx";
const RUNNER: (&str, &str) = (
    "probe-rs run --chip STM32F405RGTx",
    "qemu-system-arm -M olimex-stm32-h405 -nographic -semihosting-config enable=on,target=native -icount shift=0,sleep=off -kernel",
);
const SAYS_ON_CHIP: &str = "15 edges";
/// A driver that chooses a priority above the kernel's level when the kernel runs, and the report
/// of its handler.
const TOO_LATE: (&str, &str) = (
    "        let mut heard = 0;\n",
    "        let mut heard = 0;\n        choose(Interrupt::EXTI1, 0);\n",
);
const FROM_ABOVE: &str = "fault: forbidden call in the handler of interrupt 7 over thread 'main'";

/// The program, and what a handler in the board's own table is answered.
pub(in crate::test) fn driven(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let place = Place::new(workspace, "own-hal")?;
    let board = Board::STM32F405;
    place.write(NAME, &["--board", board.name()])?;
    let features = format!("[\"{}\"] }}", board.name());
    let with_drivers = format!("[\"{}\", \"pac\"] }}\n\n{DRIVERS}", board.name());
    place.replace(NAME, "Cargo.toml", (&features, &with_drivers))?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.fetch_crates(NAME)?;
    all.add(place.run(NAME, PROFILES[0], SAYS)?);
    let name = "#[taktos::interrupt(pac::Interrupt::EXTI1)]";
    for (instead, why) in [
        ("#[taktos::interrupt(7)]", NO_TABLE),
        (
            "const SEVEN: u32 = 7;\n    #[taktos::interrupt(SEVEN)]",
            "interrupt_of_the_chips_crate",
        ),
    ] {
        all.add(place.refused_with(NAME, "src/main.rs", (name, instead), why)?);
        place.put(NAME, "src/main.rs", PROGRAM)?;
    }
    all.add(driven_on_chip(&place)?);
    std::fs::remove_dir_all(&place.folder)?;
    Ok(all)
}

/// The program for a chip: the start of the kernel brings what drivers chose to its level, and what
/// they choose later is reported.
fn driven_on_chip(place: &Place<'_>) -> Result<Tally> {
    let name = "chip";
    place.write(name, &["--chip", CHIP, "--no-hal"])?;
    let with_drivers = format!("[\"chip\", \"pac\", \"semihosting\"] }}\n\n{DRIVERS}");
    place.replace(name, "Cargo.toml", ("[\"chip\"] }", &with_drivers))?;
    place.replace(name, ".cargo/config.toml", RUNNER)?;
    place.put(name, "src/main.rs", ON_CHIP)?;
    let mut all = place.run(name, PROFILES[0], SAYS_ON_CHIP)?;
    all.add(place.refused_with(name, "src/main.rs", TOO_LATE, FROM_ABOVE)?);
    Ok(all)
}
