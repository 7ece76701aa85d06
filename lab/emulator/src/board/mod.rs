//! The boards: the emulator's arguments for each, and the images that run on it.

mod processor;
mod rows;

use std::ops::Range;

use taktos_cycles::Cpu;

use crate::Machine;

pub use processor::Processor;

/// Arguments by which the emulator's time is its count of instructions, a nanosecond each.
pub(crate) const COUNTED: [&str; 2] = ["-icount", "shift=0,sleep=off"];

/// Arguments by which random numbers and the real-time clock are the same in each run, for images
/// that read them.
pub(crate) const SAME: [&str; 4] = ["-seed", "1", "-rtc", "base=2026-01-01T00:00:00,clock=vm"];

/// A row of `boards.toml`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    name: &'static str,
    /// The crate in `boards/` that its programs are built from; empty: that of its name.
    package: &'static str,
    /// The name of the board of all its processors, if there is one.
    several: Option<&'static str>,
    processor: Processor,
    /// The emulator's arguments that no other board has.
    machine: &'static [&'static str],
    /// The memory of the machine, if it has 64 bits.
    memory: &'static str,
    least_processors: usize,
    resting_processors: usize,
    is_chip: bool,
    has_systick: bool,
    has_timers_in_memory: bool,
}

impl Row {
    /// A board of one processor.
    const PLAIN: Self = Self {
        name: "",
        package: "",
        several: None,
        processor: Processor::CortexM4,
        machine: &[],
        memory: "128M",
        least_processors: 1,
        resting_processors: 0,
        is_chip: false,
        has_systick: false,
        has_timers_in_memory: false,
    };
}

/// A board that images are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Board {
    /// One of the project's.
    Own(&'static Row),
    /// Any other machine of the emulator's, for images that are built elsewhere.
    Other(Machine),
}

impl Board {
    /// The hypervisor's board, on which there is no kernel.
    pub const HYPERVISOR: Self = Self::VIRT_AARCH64_EL2;

    /// The board's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own(row) => row.name,
            Self::Other(machine) => machine.name(),
        }
    }

    /// The crate in `boards/` that its programs are built from.
    #[must_use]
    pub const fn package(self) -> &'static str {
        match self {
            Self::Own(row) if !row.package.is_empty() => row.package,
            board => board.name(),
        }
    }

    /// Every board with one processor that the kernel runs on, those for any chip last.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::AS_CHIPS)
    }

    /// The board of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::all().chain([Self::HYPERVISOR]);
        all.find(|board| board.name() == name)
    }

    /// Returns the kind of its processors; none of another machine's.
    #[must_use]
    pub const fn processor(self) -> Option<Processor> {
        match self {
            Self::Own(row) => Some(row.processor),
            Self::Other(_) => None,
        }
    }

    /// Returns the name of the board of all its processors, if there is one.
    #[must_use]
    pub const fn several(self) -> Option<&'static str> {
        match self {
            Self::Own(row) => row.several,
            Self::Other(_) => None,
        }
    }

    /// Returns whether it is a chip's, not a machine that the emulator made up. Chips differ in
    /// devices, and in the way in which processors begin.
    #[must_use]
    pub const fn is_chip(self) -> bool {
        matches!(self, Self::Own(row) if row.is_chip)
    }

    /// Returns whether its clock is the SysTick of a Cortex-M, which also sets alarms and slices.
    #[must_use]
    pub const fn has_systick(self) -> bool {
        matches!(self, Self::Own(row) if row.has_systick)
    }

    /// Returns the processor of the cycle model that applies; `None`: only instructions are
    /// counted.
    #[must_use]
    pub fn cpu(self) -> Option<Cpu> {
        match self {
            Self::Own(row) => Some(row.processor.model()),
            Self::Other(machine) => machine.cpu(),
        }
    }

    /// Returns the processor of the table by which the clock distinguishes instructions, if it uses
    /// one.
    pub(crate) fn told_by(self) -> Option<Cpu> {
        match self {
            Self::Other(machine) => machine.told_by(),
            board @ Self::Own(_) => board.cpu(),
        }
    }

    /// The processor's name, for people.
    #[must_use]
    pub fn cpu_name(self) -> &'static str {
        match self {
            Self::Own(row) => row.processor.name(),
            Self::Other(machine) => machine.cpu_name(),
        }
    }

    /// The target triple that its images are compiled for.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::Own(row) => row.processor.triple(),
            Self::Other(machine) => machine.triple(),
        }
    }

    /// As [`Processor::hard_float_triple`].
    #[must_use]
    pub const fn hard_float_triple(self) -> Option<&'static str> {
        match self {
            Self::Own(row) => row.processor.hard_float_triple(),
            Self::Other(_) => None,
        }
    }

    /// The emulator's program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Own(row) => row.processor.program(),
            Self::Other(machine) => machine.program(),
        }
    }

    /// Returns whether the clock follows its one processor run by run, in the emulator's own time;
    /// otherwise the clock sets the time itself. The cycle models of 32-bit Arm depend on how each
    /// block was reached and left.
    pub(crate) const fn is_followed(self) -> bool {
        match self {
            Self::Own(row) => !row.processor.is_wide(),
            Self::Other(machine) => machine.is_followed(),
        }
    }

    /// Returns the machine without a chip's devices that has such processors: the probe checks
    /// there whether the emulated clocks are consistent.
    #[must_use]
    pub const fn bare(self) -> Self {
        match self.processor() {
            Some(Processor::CortexA53 | Processor::CortexA72) => Self::VIRT_AARCH64,
            Some(Processor::U54) => Self::VIRT_RISCV64,
            _ => self,
        }
    }

    /// Returns how many processors the machine has before the first on which an image runs: they
    /// rest.
    pub(crate) const fn resting(self) -> usize {
        match self {
            Self::Own(row) => row.resting_processors,
            Self::Other(_) => 0,
        }
    }

    /// Returns whether its timers are set by stores to a device, not by registers of the processor.
    pub(crate) const fn has_timers_in_memory(self) -> bool {
        match self {
            Self::Own(row) => row.has_timers_in_memory,
            Self::Other(machine) => machine.has_timers_in_memory(),
        }
    }

    /// Returns how many processors the machine has if an image runs on this many: some machines
    /// cannot have fewer.
    #[must_use]
    pub const fn processors(self, wanted: usize) -> usize {
        match self {
            Self::Own(row) if wanted < row.least_processors => row.least_processors,
            _ => self.resting() + wanted,
        }
    }

    /// Returns where the machine itself has code, which runs before the image.
    pub(crate) const fn reset_code(self) -> Option<Range<u64>> {
        match self {
            Self::Own(row) => row.processor.reset_code(),
            Self::Other(machine) => machine.reset_code(),
        }
    }

    /// The emulator's arguments for the machine, its devices and its time: one instruction takes
    /// one nanosecond of virtual time, unless the clock sets the time.
    #[must_use]
    pub fn arguments(self) -> Vec<&'static str> {
        let counted: &[&str] = if self.is_followed() { &COUNTED } else { &[] };
        match self {
            Self::Own(row) if row.processor.is_wide() => [row.machine, &row.common()].concat(),
            Self::Own(row) => [row.machine, &["-monitor", "none"], &SEMIHOSTING, counted].concat(),
            Self::Other(other) => [other.arguments().as_slice(), counted].concat(),
        }
    }

    /// Returns the arguments without the laboratory's clock, as a person starts the emulator: it
    /// counts its instructions itself.
    #[must_use]
    pub fn arguments_alone(self) -> Vec<&'static str> {
        let counted: &[&str] = if self.is_followed() { &[] } else { &COUNTED };
        [self.arguments().as_slice(), counted].concat()
    }
}

const SEMIHOSTING: [&str; 2] = ["-semihosting-config", "enable=on,target=native"];

impl Row {
    /// The arguments that all machines of 64 bits have.
    fn common(&self) -> Vec<&'static str> {
        let all = ["-m", self.memory, "-nodefaults", "-display", "none"];
        [&all[..], &["-serial", "stdio"], &SEMIHOSTING].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        for board in Board::all().chain([Board::HYPERVISOR]) {
            assert_eq!(Board::named(board.name()), Some(board));
        }
        assert_eq!(Board::named("leon3"), None);
    }

    #[test]
    fn machine_has_the_processors_that_it_cannot_be_without() {
        assert_eq!(Board::VIRT_AARCH64.processors(3), 3);
        assert_eq!(Board::RASPBERRY_PI_4.processors(1), 4);
        assert_eq!(Board::HIFIVE_UNLEASHED.processors(4), 5);
    }
}
