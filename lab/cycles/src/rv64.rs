//! Sorts the instructions of RV64IMAC with floating point (F, D), control registers (Zicsr) and
//! the privileged instructions into the classes that a cycle model distinguishes, and says
//! which registers each reads and writes.
//!
//! Owns: the RISC-V encodings as far as timing goes. Must never know: cycle counts. An encoding
//! that is reserved, or is of another extension, has no class; but the two that are defined never
//! to be valid are [`Class::Exception`].
//!
//! Encodings: The RISC-V Instruction Set Manual, volume I (version 20240411), chapters 2 to 27 and
//! 34 ("RV32/64G Instruction Set Listings"); volume II (same version), chapter 3 and 12.

mod compressed;
mod float;
mod word;

use crate::t32::Flow;

/// A set of registers: bits 1 to 31 the integer registers, 32 to 63 the floating-point
/// registers. The register that is always zero is in no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers(pub u64);

impl Registers {
    /// No register.
    pub const NONE: Self = Self(0);

    /// An integer register.
    #[must_use]
    pub fn integer(number: u32) -> Self {
        match number & 31 {
            0 => Self::NONE,
            number => Self(1 << number),
        }
    }

    /// A floating-point register.
    #[must_use]
    pub fn float(number: u32) -> Self {
        Self(1 << (32 + (number & 31)))
    }

    /// Their numbers, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |r| self.0 >> r & 1 == 1)
    }

    /// Those of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A class of instructions with one timing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Arithmetic, logic, shifts, constants.
    Data,
    /// Loads, also of floating-point registers.
    Load {
        /// 1, 2, 4 or 8.
        bytes: u8,
    },
    /// Stores, also of floating-point registers.
    Store,
    /// LR.
    LoadReserved,
    /// SC.
    StoreConditional,
    /// AMO.
    Atomic,
    /// Conditional branches, JAL, JALR.
    Branch,
    /// MUL and its kinds.
    Multiply,
    /// DIV, REM and their kinds.
    Divide {
        /// Of 64 bits.
        double: bool,
    },
    /// Reads a control register, and changes none.
    ReadControl,
    /// Changes a control register, and may read it.
    WriteControl,
    /// FENCE.
    Fence,
    /// FENCE.I, SFENCE.VMA: earlier fetches and translations are not used after it.
    Refetch,
    /// WFI.
    Wait,
    /// ECALL, EBREAK, and what is never valid: the processor takes a trap.
    Exception,
    /// SRET, MRET.
    TrapReturn,
    /// Between an integer and a floating-point register, comparison, classification,
    /// conversion.
    FloatMove,
    /// Floating-point arithmetic.
    Float {
        /// Its kind.
        kind: Arithmetic,
        /// Of double precision.
        double: bool,
    },
}

/// Kinds of floating-point arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Arithmetic {
    Add,
    Multiply,
    Divide,
    SquareRoot,
}

/// An instruction as far as timing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Its class.
    pub class: Class,
    /// How it may go elsewhere.
    pub flow: Flow,
    /// Operands.
    pub sources: Registers,
    /// Results.
    pub results: Registers,
}

impl Instruction {
    fn new(class: Class) -> Self {
        Self {
            class,
            flow: Flow::Next,
            sources: Registers::NONE,
            results: Registers::NONE,
        }
    }

    fn of(class: Class, results: Registers, sources: Registers) -> Self {
        Self {
            class,
            flow: Flow::Next,
            sources,
            results,
        }
    }

    /// That may go elsewhere.
    fn going(mut self, flow: Flow) -> Self {
        self.flow = flow;
        self
    }
}

fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 == 1
}

/// Bits `high` to `low`.
fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

/// Length in bytes of the instruction that begins with this halfword; none is longer than four
/// among those that are modelled.
#[must_use]
pub fn size(first: u16) -> u8 {
    if first & 3 == 3 { 4 } else { 2 }
}

/// An instruction, sorted; the upper half of `word` is read only where [`size`] is four.
/// `None`: reserved, or not among those that are modelled.
#[must_use]
pub fn classify(word: u32) -> Option<Instruction> {
    if size(word as u16) == 4 {
        word::classify(word)
    } else {
        compressed::classify(word & 0xffff)
    }
}

#[cfg(test)]
mod tests;
