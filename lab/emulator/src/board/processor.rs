//! Owns: the properties that all boards with one kind of processor have.
//! Must never know: a board.

use std::ops::Range;

use taktos_cycles::Cpu;

/// Kind of a board's processors, by the key `processor` of `boards.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Processor {
    /// `cortex-m0`.
    CortexM0,
    /// `cortex-m3`.
    CortexM3,
    /// `cortex-m4`, with floating point.
    CortexM4,
    /// `cortex-m7`, with floating point.
    CortexM7,
    /// `cortex-m33`, without floating point.
    CortexM33,
    /// `cortex-m55`.
    CortexM55,
    /// `cortex-a8`.
    CortexA8,
    /// `cortex-a53`.
    CortexA53,
    /// `cortex-a72`.
    CortexA72,
    /// `u54`.
    U54,
}

impl Processor {
    /// The name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CortexM0 => "Cortex-M0",
            Self::CortexM3 => "Cortex-M3",
            Self::CortexM4 => "Cortex-M4F",
            Self::CortexM7 => "Cortex-M7",
            Self::CortexM33 => "Cortex-M33",
            Self::CortexM55 => "Cortex-M55",
            Self::CortexA8 => "Cortex-A8",
            Self::CortexA53 => "Cortex-A53",
            Self::CortexA72 => "Cortex-A72",
            Self::U54 => "SiFive U54",
        }
    }

    /// Returns the cycle model that applies. Of a Cortex-M7, M33 and M55 no table of cycles is
    /// published: their instructions cost what a Cortex-M4 would take for them. The Cortex-A72 has
    /// the model of the Cortex-A53.
    #[must_use]
    pub const fn model(self) -> Cpu {
        match self {
            Self::CortexM0 => Cpu::CortexM0,
            Self::CortexM3 => Cpu::CortexM3,
            Self::CortexM4 | Self::CortexM7 | Self::CortexM33 | Self::CortexM55 => Cpu::CortexM4,
            Self::CortexA8 => Cpu::CortexA8,
            Self::CortexA53 | Self::CortexA72 => Cpu::CortexA53,
            Self::U54 => Cpu::U54,
        }
    }

    /// The target triple that images are compiled for.
    #[must_use]
    pub const fn triple(self) -> &'static str {
        match self {
            Self::CortexM0 => "thumbv6m-none-eabi",
            Self::CortexM3 => "thumbv7m-none-eabi",
            Self::CortexM4 | Self::CortexM7 => "thumbv7em-none-eabi",
            Self::CortexM33 | Self::CortexM55 => "thumbv8m.main-none-eabi",
            Self::CortexA8 => "armv7a-none-eabi",
            Self::CortexA53 | Self::CortexA72 => "aarch64-unknown-none-softfloat",
            Self::U54 => "riscv64imac-unknown-none-elf",
        }
    }

    /// Returns the target triple for floating-point values in registers of their own, if the
    /// compiler comes with such a target and the port has been made for it.
    #[must_use]
    pub const fn hard_float_triple(self) -> Option<&'static str> {
        match self {
            Self::CortexM4 | Self::CortexM7 => Some("thumbv7em-none-eabihf"),
            Self::CortexM55 => Some("thumbv8m.main-none-eabihf"),
            _ => None,
        }
    }

    /// The emulator's program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::CortexM0
            | Self::CortexM3
            | Self::CortexM4
            | Self::CortexM7
            | Self::CortexM33
            | Self::CortexM55
            | Self::CortexA8 => "qemu-system-arm",
            Self::CortexA53 | Self::CortexA72 => "qemu-system-aarch64",
            Self::U54 => "qemu-system-riscv64",
        }
    }

    /// Whether threads of partitions run on it: Armv6-M may have no unit that protects memory.
    #[must_use]
    pub const fn has_partitions(self) -> bool {
        !matches!(self, Self::CortexM0)
    }

    /// Whether it has 64 bits: a board can have several then, and the clock sets their time.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::CortexA53 | Self::CortexA72 | Self::U54)
    }

    /// Returns where the machine itself has code, which runs before the image: QEMU's mask ROM
    /// (`hw/riscv/virt.c`, `hw/riscv/sifive_u.c`).
    pub(super) const fn reset_code(self) -> Option<Range<u64>> {
        match self {
            Self::U54 => Some(0x1000..0x1_0000),
            _ => None,
        }
    }
}
