//! Timing of one instruction in a cycle model: the common form of the models, the table and the
//! clock.
//!
//! Must never know: encodings, processors.

use core::ops::{BitOr, BitOrAssign};

/// Effects of an instruction that the clock must follow while the image runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// A single load or store: one cycle directly after another one.
    pub const SINGLE: Self = Self(1 << 0);
    /// A fault or a device access may end the emulator's block here.
    pub const MAY_LEAVE: Self = Self(1 << 1);
    /// May go elsewhere than to the next instruction.
    pub const TRANSFER: Self = Self(1 << 2);
    /// May return from an exception.
    pub const RETURN: Self = Self(1 << 3);
    /// The first instruction of an exception handler.
    pub const HANDLER: Self = Self(1 << 4);
    /// Writes memory.
    pub const STORE: Self = Self(1 << 5);
    /// Dual issue: uses the one load/store pipe.
    pub const LOAD_STORE_PIPE: Self = Self(1 << 6);
    /// Dual issue: uses the one branch unit.
    pub const BRANCH_PIPE: Self = Self(1 << 7);
    /// Dual issue: only as the first of a pair.
    pub const FIRST_ONLY: Self = Self(1 << 8);
    /// Dual issue: never.
    pub const ALONE: Self = Self(1 << 9);

    /// No flag.
    pub const NONE: Self = Self(0);

    /// All flags of `other` are set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the flags that `other` does not have.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The form in the table's file.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A register and a time, in cycles from the first cycle of issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// Below [`Operand::COUNT`]. A32: 0 to 15 the core registers, [`Operand::FLAGS`], and from
    /// [`Operand::FLOAT`] on the double registers. 64-bit processors: 0 to 31 the core
    /// registers, from [`Operand::FLOAT`] on the floating-point registers, then the
    /// constants below.
    pub register: u8,
    /// The latest at which a source must be there, or the first at which a result is.
    pub when: u8,
}

impl Operand {
    /// The condition flags.
    pub const FLAGS: u8 = 16;
    /// The first of the 32 double floating-point registers.
    pub const FLOAT: u8 = 32;
    /// The condition flags of A64, which has more core registers.
    pub const WIDE_FLAGS: u8 = 64;
    /// The integer multiplier, a unit: what uses it needs it at its issue, and the result is
    /// when it can be used again.
    pub const MULTIPLIER: u8 = 65;
    /// The integer divider, a unit.
    pub const DIVIDER: u8 = 66;
    /// Shifting by a register, a unit.
    pub const SHIFTER: u8 = 67;
    /// Floating-point division and square root, a unit.
    pub const FLOAT_DIVIDER: u8 = 68;
    /// The first of the 32 core registers as address generation sees them, where results reach
    /// it by another way than the arithmetic units.
    pub const ADDRESS: u8 = 96;
    /// How many registers an operand can name.
    pub const COUNT: usize = 128;
}

/// One instruction's place in a cycle model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timing {
    /// Cycles alone, or cycles of issue on a pipelined core.
    pub cost: u8,
    /// Properties that matter only while the image runs.
    pub flags: Flags,
    /// When which sources are needed; empty on a core without interlocks.
    pub sources: Vec<Operand>,
    /// When which results are there; empty on a core without interlocks.
    pub results: Vec<Operand>,
}

/// The condition that always holds, as encoded by the architecture.
pub const ALWAYS: u8 = 14;
