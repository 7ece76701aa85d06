//! The processor of a chip as a target of the compiler.
//!
//! Owns: which processors have a port, and the words for those that have none.
//! Must never know: the memory of a chip.

use anyhow::Result;
use taktos_runner::failure::Failure;

use super::table::{Chip, Core, Memory};

/// Chips with a Cortex-M4 that has no floating-point unit, by the beginnings of names; sources:
/// product specifications of Nordic, datasheets of Microchip.
const WITHOUT_UNIT: [&str; 7] = [
    "nRF52805", "nRF52810", "nRF52811", "nRF52820", "ATSAM4L", "ATSAM4N", "ATSAM4S",
];

impl Core {
    /// Returns the processors as people call them.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Armv6M => "Cortex-M0, M0+ or M1",
            Self::Armv7M => "Cortex-M3",
            Self::Armv7EM => "Cortex-M4 or M7",
            Self::Armv8M => "Cortex-M33, M55 or M85",
            Self::Other("armv8m.base") => "Cortex-M23",
            Self::Other("riscv" | "riscv64") => "RISC-V processor",
            Self::Other(_) => "processor for operating systems or of the R profile",
        }
    }

    /// Returns the target with floating-point values in registers of the integer unit, and the one
    /// with registers of their own; none without a port.
    fn targets(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            Self::Armv6M => Some(("thumbv6m-none-eabi", None)),
            Self::Armv7M => Some(("thumbv7m-none-eabi", None)),
            Self::Armv7EM => Some(("thumbv7em-none-eabi", Some("thumbv7em-none-eabihf"))),
            Self::Armv8M => Some(("thumbv8m.main-none-eabi", Some("thumbv8m.main-none-eabihf"))),
            Self::Other(_) => None,
        }
    }
}

/// Returns the memory for a program, and the target that it is compiled for.
///
/// # Errors
/// If there is no port for the chip's processor, the chip starts no program by a memory map alone,
/// or it has no floating-point unit for `hard_float`.
pub fn target(chip: &Chip, hard_float: bool) -> Result<(Memory, &'static str)> {
    let name = chip.name;
    let Some((soft, hard)) = chip.core.targets() else {
        return Err(Failure::error(
            format!("{name} starts on its {}: no port yet", chip.core.shown()),
            "take a chip with a Cortex-M0, M3, M4, M7, M33, M55 or M85, or a board: --board",
        ));
    };
    let Some(memory) = chip.memory else {
        return Err(Failure::error(
            format!(
                "{name} starts no program by a memory map alone (it boots from external flash, or by a header of the image), or it lacks the processor's timer"
            ),
            "take another chip; for this one, write such a program by hand, with the header of its vendor or HAL",
        ));
    };
    let has_unit = !WITHOUT_UNIT.iter().any(|begin| name.starts_with(begin));
    match (hard_float, hard.filter(|_| has_unit)) {
        (false, _) => Ok((memory, soft)),
        (true, Some(hard)) => Ok((memory, hard)),
        (true, None) => Err(Failure::error(
            format!("--hard-float: the processor of {name} has no floating-point unit"),
            "leave it out: floating-point values are then computed by the library",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::all;
    use super::*;

    fn of(name: &str, hard_float: bool) -> Result<&'static str, String> {
        let chip = all().find(|chip| chip.name == name).expect(name);
        let target = target(&chip, hard_float);
        target
            .map(|(_, target)| target)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn target_is_that_of_the_processor() {
        for (name, soft, hard) in [
            ("STM32G071RBTx", "thumbv6m-none-eabi", None),
            ("GD32F103C8", "thumbv7m-none-eabi", None),
            ("nRF52810_xxAA", "thumbv7em-none-eabi", None),
            (
                "STM32F411CEUx",
                "thumbv7em-none-eabi",
                Some("thumbv7em-none-eabihf"),
            ),
            (
                "RP235x",
                "thumbv8m.main-none-eabi",
                Some("thumbv8m.main-none-eabihf"),
            ),
        ] {
            assert_eq!(of(name, false).as_deref(), Ok(soft));
            match (of(name, true), hard) {
                (Ok(found), Some(hard)) => assert_eq!(found, hard),
                (Err(error), None) => assert!(error.contains("no floating-point unit"), "{error}"),
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }

    #[test]
    fn chip_without_port_or_map_is_refused() {
        for (name, words) in [
            ("nRF51822_xxAA", "it lacks the processor's timer"),
            ("GD32E230C8", "Cortex-M23: no port"),
            ("RP235x_riscv", "RISC-V processor: no port"),
            ("MIMXRT1060", "boots from external flash"),
            ("CC1352R", "by a header of the image"),
        ] {
            let error = of(name, false).expect_err(name);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn chips_without_unit_are_in_the_table() {
        for begin in WITHOUT_UNIT {
            let mut chips = all().filter(|chip| chip.core == Core::Armv7EM);
            assert!(chips.any(|chip| chip.name.starts_with(begin)), "{begin}");
        }
    }
}
