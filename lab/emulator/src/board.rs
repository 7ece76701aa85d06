//! The boards: the emulator's arguments for each, and the images that run on it.

use std::ops::Range;

use taktos_cycles::Cpu;

use crate::Machine;
use crate::several::Virt;

/// Arguments by which the emulator's time is its count of instructions, a nanosecond each.
pub(crate) const COUNTED: [&str; 2] = ["-icount", "shift=0,sleep=off"];

/// Arguments by which random numbers and the real-time clock are the same in each run, for images
/// that read them.
pub(crate) const SAME: [&str; 4] = ["-seed", "1", "-rtc", "base=2026-01-01T00:00:00,clock=vm"];

/// A board that images are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Board {
    /// Arm MPS2 with the AN386 image: one Cortex-M4 with floating point.
    Mps2An386,
    /// ST B-L475E-IOT01A: the same processor in an STM32L475.
    Stm32L475Iot01,
    /// Olimex STM32-H405: the same processor in an STM32F405.
    Stm32F405,
    /// Arm MPS3 with the AN547 image: one Cortex-M55.
    Mps3An547,
    /// Arm RealView Platform Baseboard: one Cortex-A8.
    RealviewPbA8,
    /// A machine with processors of 64 bits: one, or several.
    Virt(Virt),
    /// Any other machine of the emulator's, for images that are built elsewhere.
    Other(Machine),
}

impl Board {
    /// The hypervisor's board, on which there is no kernel.
    pub const HYPERVISOR: Self = Self::Virt(Virt::Aarch64El2);

    /// Every board that the kernel runs on.
    pub const ALL: [Self; 11] = [
        Self::Mps2An386,
        Self::Stm32L475Iot01,
        Self::Stm32F405,
        Self::Mps3An547,
        Self::RealviewPbA8,
        Self::Virt(Virt::Aarch64),
        Self::Virt(Virt::RiscV64),
        Self::Virt(Virt::Imx8mpEvk),
        Self::Virt(Virt::Zcu102),
        Self::Virt(Virt::RaspberryPi4),
        Self::Virt(Virt::HifiveUnleashed),
    ];

    /// The board's name, which is also the name of its crate in `boards/`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mps2An386 => "mps2-an386",
            Self::Stm32L475Iot01 => "stm32l475-iot01",
            Self::Stm32F405 => "stm32f405",
            Self::Mps3An547 => "mps3-an547",
            Self::RealviewPbA8 => "realview-pb-a8",
            Self::Virt(virt) => virt.name(),
            Self::Other(machine) => machine.name(),
        }
    }

    /// The board of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter().chain([Self::HYPERVISOR]);
        all.find(|board| board.name() == name)
    }

    /// Returns the processor of the cycle model that applies; `None`: only instructions are
    /// counted.
    #[must_use]
    pub fn cpu(self) -> Option<Cpu> {
        match self {
            Self::Mps2An386 | Self::Stm32L475Iot01 | Self::Stm32F405 => Some(Cpu::CortexM4),
            // No table of this processor's cycles is published: its instructions cost what a
            // Cortex-M4 would take for them.
            Self::Mps3An547 => Some(Cpu::CortexM4),
            Self::RealviewPbA8 => Some(Cpu::CortexA8),
            Self::Virt(virt) => virt.cpu(),
            Self::Other(machine) => machine.cpu(),
        }
    }

    /// Returns the processor of the table by which the clock distinguishes instructions, if it uses
    /// one.
    pub(crate) fn told_by(self) -> Option<Cpu> {
        match self {
            Self::Other(machine) => machine.told_by(),
            board => board.cpu(),
        }
    }

    /// The processor's name, for people.
    #[must_use]
    pub fn cpu_name(self) -> &'static str {
        match self {
            Self::Mps2An386 | Self::Stm32L475Iot01 | Self::Stm32F405 => "Cortex-M4F",
            Self::Mps3An547 => "Cortex-M55",
            Self::RealviewPbA8 => "Cortex-A8",
            Self::Virt(virt) => virt.cpu_name(),
            Self::Other(machine) => machine.cpu_name(),
        }
    }

    /// The target triple that its images are compiled for.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::Mps2An386 | Self::Stm32L475Iot01 | Self::Stm32F405 => "thumbv7em-none-eabi",
            Self::Mps3An547 => "thumbv8m.main-none-eabi",
            Self::RealviewPbA8 => "armv7a-none-eabi",
            Self::Virt(virt) => virt.triple(),
            Self::Other(machine) => machine.triple(),
        }
    }

    /// Returns the target triple for floating-point values in registers of their own, if the
    /// compiler comes with such a target and the port has been made for it.
    #[must_use]
    pub const fn hard_float_triple(self) -> Option<&'static str> {
        match self {
            Self::Mps2An386 | Self::Stm32L475Iot01 | Self::Stm32F405 => {
                Some("thumbv7em-none-eabihf")
            }
            Self::Mps3An547 => Some("thumbv8m.main-none-eabihf"),
            Self::RealviewPbA8 | Self::Virt(_) | Self::Other(_) => None,
        }
    }

    /// The emulator's program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Mps2An386
            | Self::Stm32L475Iot01
            | Self::Stm32F405
            | Self::Mps3An547
            | Self::RealviewPbA8 => "qemu-system-arm",
            Self::Virt(virt) => virt.program(),
            Self::Other(machine) => machine.program(),
        }
    }

    /// Returns whether the clock follows its one processor run by run, in the emulator's own time;
    /// otherwise the clock sets the time itself. The cycle models of 32-bit Arm depend on how each
    /// block was reached and left.
    pub(crate) const fn is_followed(self) -> bool {
        match self {
            Self::Virt(_) => false,
            Self::Other(machine) => machine.is_followed(),
            _ => true,
        }
    }

    /// Returns the machine without a chip's devices that has such processors: the probe checks
    /// there whether the emulated clocks are consistent.
    #[must_use]
    pub const fn bare(self) -> Self {
        match self {
            Self::Virt(virt) => Self::Virt(virt.bare()),
            other => other,
        }
    }

    /// Returns how many processors the machine has before the first on which an image runs.
    pub(crate) const fn resting(self) -> usize {
        match self {
            Self::Virt(virt) => virt.resting(),
            _ => 0,
        }
    }

    /// Returns whether its timers are set by stores to a device, not by registers of the processor.
    pub(crate) const fn has_timers_in_memory(self) -> bool {
        match self {
            Self::Virt(virt) => virt.has_timers_in_memory(),
            Self::Other(machine) => machine.has_timers_in_memory(),
            _ => false,
        }
    }

    /// Returns how many processors the machine has if an image runs on this many.
    #[must_use]
    pub const fn processors(self, wanted: usize) -> usize {
        match self {
            Self::Virt(virt) => virt.processors(wanted),
            _ => wanted,
        }
    }

    /// Returns where the machine itself has code, which runs before the image.
    pub(crate) const fn reset_code(self) -> Option<Range<u64>> {
        match self {
            Self::Mps2An386
            | Self::Stm32L475Iot01
            | Self::Stm32F405
            | Self::Mps3An547
            | Self::RealviewPbA8 => None,
            Self::Virt(virt) => virt.reset_code(),
            Self::Other(machine) => machine.reset_code(),
        }
    }

    /// The emulator's arguments for the machine, its devices and its time: one
    /// instruction takes one nanosecond of virtual time.
    #[must_use]
    pub fn arguments(self) -> Vec<&'static str> {
        let machine: &[&str] = match self {
            Self::Mps2An386 => &["-M", "mps2-an386", "-nographic", "-serial", "null"],
            Self::Stm32L475Iot01 => &["-M", "b-l475e-iot01a", "-nographic", "-serial", "stdio"],
            Self::Stm32F405 => &["-M", "olimex-stm32-h405", "-nographic", "-serial", "stdio"],
            Self::Mps3An547 => &["-M", "mps3-an547", "-nographic", "-serial", "stdio"],
            Self::RealviewPbA8 => &[
                "-M",
                "realview-pb-a8",
                "-cpu",
                "cortex-a8",
                "-m",
                "128M",
                "-nographic",
                "-serial",
                "stdio",
                "-audio",
                "driver=none",
            ],
            Self::Virt(virt) => return virt.arguments(),
            Self::Other(other) => {
                let counted: &[&str] = if self.is_followed() { &COUNTED } else { &[] };
                return [other.arguments().as_slice(), counted].concat();
            }
        };
        let common = [
            "-monitor",
            "none",
            "-semihosting-config",
            "enable=on,target=native",
        ];
        let words = machine.iter().chain(&common).chain(&COUNTED);
        words.copied().collect()
    }

    /// Returns the arguments without the laboratory's clock, as a person starts the emulator: it
    /// counts its instructions itself.
    #[must_use]
    pub fn arguments_alone(self) -> Vec<&'static str> {
        let counted: &[&str] = if self.is_followed() { &[] } else { &COUNTED };
        [self.arguments().as_slice(), counted].concat()
    }
}

impl From<Virt> for Board {
    fn from(virt: Virt) -> Self {
        Self::Virt(virt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        for board in Board::ALL.into_iter().chain([Board::HYPERVISOR]) {
            assert_eq!(Board::named(board.name()), Some(board));
        }
        assert_eq!(Board::named("leon3"), None);
    }
}
