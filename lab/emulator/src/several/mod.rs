//! Several emulated processors with consistent clocks: run, measured from outside, searched for
//! races.
//!
//! Owns: the boards that can have several, and how their time passes. Must never know: the function
//! of an image under measurement.
//!
//! # What the times mean
//! Every time is one of the *common clock*: each processor takes its own cycles of it, an
//! instruction or a modelled cycle each, and all processors pass through the same quanta. So two
//! times of one processor are exact to each other. Of two processors one may run ahead of the other
//! by up to a quantum; a span from one to the other is exact as far as the other slept when it was
//! called, because it wakes at its caller's time.

mod probe;
mod setting;

pub use crate::stream::{Event, Summary};
pub use probe::Probe;
pub use setting::{Setting, Time};

use std::ops::Range;

use taktos_cycles::Cpu;

/// A board with one or several processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Virt {
    /// QEMU's `virt` with Armv8-A processors (Cortex-A53) and a GICv3.
    Aarch64,
    /// QEMU's `virt` as above, with processors that begin at EL2: the hypervisor's.
    Aarch64El2,
    /// QEMU's `virt` with 64-bit RISC-V processors and an ACLINT, started without firmware.
    RiscV64,
    /// NXP's i.MX 8M Plus EVK: Cortex-A53 and a GICv3, which begin at EL3.
    Imx8mpEvk,
    /// AMD's ZCU102: Cortex-A53 and a GICv2, which begin at EL2.
    Zcu102,
    /// Raspberry Pi 4: Cortex-A72 and a GICv2, which begin at EL2.
    RaspberryPi4,
    /// SiFive's HiFive Unleashed: U54 after a monitor core that rests, and a CLINT, started without
    /// firmware.
    HifiveUnleashed,
}

/// The most processors that the clock follows.
pub const MOST_PROCESSORS: usize = 8;

impl Virt {
    /// The boards that the kernel is tested on with several in every way.
    pub const ALL: [Self; 2] = [Self::Aarch64, Self::RiscV64];

    /// The board's name, which is also the name of its crate in `boards/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "virt-aarch64",
            Self::Aarch64El2 => "virt-aarch64-el2",
            Self::RiscV64 => "virt-riscv64",
            Self::Imx8mpEvk => "imx8mp-evk",
            Self::Zcu102 => "zcu102",
            Self::RaspberryPi4 => "raspberry-pi-4",
            Self::HifiveUnleashed => "hifive-unleashed",
        }
    }

    /// As [`Board::bare`](crate::Board::bare).
    pub(crate) const fn bare(self) -> Self {
        match self.is_aarch64() {
            true => Self::Aarch64,
            false => Self::RiscV64,
        }
    }

    /// Returns whether its processors are AArch64; otherwise they are RISC-V.
    const fn is_aarch64(self) -> bool {
        !matches!(self, Self::RiscV64 | Self::HifiveUnleashed)
    }

    /// The target triple that its images are compiled for.
    #[must_use]
    pub const fn triple(self) -> &'static str {
        match self.is_aarch64() {
            true => "aarch64-unknown-none-softfloat",
            false => "riscv64imac-unknown-none-elf",
        }
    }

    /// The processors' name, for people.
    #[must_use]
    pub const fn cpu_name(self) -> &'static str {
        match self {
            Self::Aarch64 | Self::Aarch64El2 | Self::Imx8mpEvk | Self::Zcu102 => "Cortex-A53",
            Self::RaspberryPi4 => "Cortex-A72",
            Self::RiscV64 | Self::HifiveUnleashed => "SiFive U54",
        }
    }

    /// Returns the processor of the cycle model that applies; `None`: only instructions are
    /// counted.
    #[must_use]
    pub const fn cpu(self) -> Option<Cpu> {
        match self.is_aarch64() {
            true => Some(Cpu::CortexA53),
            false => Some(Cpu::U54),
        }
    }

    /// The emulator's program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self.is_aarch64() {
            true => "qemu-system-aarch64",
            false => "qemu-system-riscv64",
        }
    }

    /// Returns where the machine itself has code, which runs before the image: QEMU's mask ROM
    /// (`hw/riscv/virt.c`, `hw/riscv/sifive_u.c`).
    pub(crate) const fn reset_code(self) -> Option<Range<u64>> {
        match self {
            Self::RiscV64 | Self::HifiveUnleashed => Some(0x1000..0x1_0000),
            _ => None,
        }
    }

    /// The memory of the machine, which not every one leaves open.
    const fn memory(self) -> &'static str {
        match self {
            Self::RaspberryPi4 => "2G",
            _ => "128M",
        }
    }

    /// Returns how many processors the machine has before the first on which an image runs: they
    /// rest.
    pub(crate) const fn resting(self) -> usize {
        match self {
            Self::HifiveUnleashed => 1,
            _ => 0,
        }
    }

    /// As [`Board::has_timers_in_memory`](crate::Board::has_timers_in_memory).
    pub(crate) const fn has_timers_in_memory(self) -> bool {
        matches!(self, Self::HifiveUnleashed)
    }

    /// Returns how many processors the machine has if an image runs on this many: some machines
    /// cannot have fewer.
    pub(crate) const fn processors(self, wanted: usize) -> usize {
        match self {
            Self::RaspberryPi4 if wanted < 4 => 4,
            _ => self.resting() + wanted,
        }
    }

    /// The emulator's arguments for the machine and its time, of which the clock has charge.
    #[must_use]
    pub fn arguments(self) -> Vec<&'static str> {
        let machine: &[&str] = match self {
            Self::Aarch64 => &["-M", "virt,gic-version=3", "-cpu", "cortex-a53"],
            Self::Aarch64El2 => &[
                "-M",
                "virt,virtualization=on,gic-version=3",
                "-cpu",
                "cortex-a53",
            ],
            Self::RiscV64 => &["-M", "virt,aclint=on", "-bios", "none"],
            // The console is the second serial line. Without EL3 the emulator takes the firmware's
            // place: it begins at EL2, and starts the other processors.
            Self::Imx8mpEvk => &[
                "-M",
                "imx8mp-evk",
                "-global",
                "cortex-a53-arm-cpu.has_el3=off",
                "-serial",
                "null",
            ],
            Self::Zcu102 => &["-M", "xlnx-zcu102,virtualization=on", "-audio", "none"],
            // The same; all processors begin with the first.
            Self::RaspberryPi4 => &[
                "-M",
                "raspi4b",
                "-global",
                "cortex-a72-arm-cpu.has_el3=off",
                "-audio",
                "none",
            ],
            Self::HifiveUnleashed => &["-M", "sifive_u", "-bios", "none"],
        };
        let common = [
            "-m",
            self.memory(),
            "-nodefaults",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-semihosting-config",
            "enable=on,target=native",
        ];
        machine.iter().copied().chain(common).collect()
    }
}
