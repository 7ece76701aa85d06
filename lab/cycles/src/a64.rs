//! Sorts the A64 instructions of Armv8.0-A with floating point into the classes that a cycle
//! model distinguishes, and says which registers each reads and writes, and in what role.
//!
//! Owns: the A64 encodings as far as timing goes. Must never know: cycle counts. An encoding that
//! the architecture leaves undefined has no class; neither have the later extensions (atomics,
//! pointer authentication, ...), nor Advanced SIMD but for constants and whole registers, since our
//! images do not contain it.
//!
//! Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487), chapter C4.

mod data;
mod float;
mod memory;
mod system;

use crate::t32::Flow;

/// A set of registers: bits 0 to 30 the core registers, 31 the stack pointer, 32 to 63 the
/// floating-point registers. The zero register is in no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers(pub u64);

impl Registers {
    /// No register.
    pub const NONE: Self = Self(0);

    /// A core register; 31 is the zero register.
    #[must_use]
    pub fn core(number: u32) -> Self {
        match number & 31 {
            31 => Self::NONE,
            number => Self(1 << number),
        }
    }

    /// A core register; 31 is the stack pointer.
    #[must_use]
    pub fn core_or_stack(number: u32) -> Self {
        Self(1 << (number & 31))
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
    /// ADR, constants, shifts by a constant.
    Shift,
    /// Shifts by a register.
    ShiftByRegister,
    /// Arithmetic, logic, comparison, selection, bit fields, moves.
    Data,
    /// Multiplication, also long and accumulating.
    Multiply,
    /// SDIV, UDIV.
    Divide,
    /// Loads and stores of one or two registers.
    Memory {
        /// It writes memory.
        store: bool,
        /// Bytes of all registers together.
        bytes: u8,
        /// Two registers.
        pair: bool,
    },
    /// LDXR, STXR and their kinds.
    Exclusive {
        /// It writes memory.
        store: bool,
    },
    /// PRFM.
    Preload,
    /// Branches of all kinds.
    Branch,
    /// NOP and other hints.
    Hint,
    /// MRS.
    ReadSystem,
    /// MSR of a register.
    WriteSystem,
    /// MSR of a constant: DAIFSet, DAIFClr, SPSel.
    WriteState,
    /// SYS: caches, address translation.
    Maintain,
    /// DMB, DSB, CLREX.
    Barrier,
    /// ISB.
    InstructionBarrier,
    /// SVC, HVC, SMC, BRK, HLT, UDF: the processor takes an exception or halts.
    Exception,
    /// ERET.
    ExceptionReturn,
    /// FMOV of a core register to a floating-point register.
    CoreToFloat,
    /// FMOV of a floating-point register to a core register.
    FloatToCore,
    /// Conversion of a core register.
    ConvertFromCore,
    /// Conversion to a core register.
    ConvertToCore,
    /// A floating-point or vector constant.
    FloatConstant,
    /// Floating-point comparison.
    FloatCompare,
    /// Other scalar floating-point arithmetic.
    FloatArithmetic(Arithmetic),
}

/// Kinds of floating-point arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Arithmetic {
    Add,
    Multiply,
    Accumulate,
    Divide { double: bool },
    SquareRoot { double: bool },
}

/// An instruction as far as timing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Its class.
    pub class: Class,
    /// How it may go elsewhere.
    pub flow: Flow,
    /// Operands that make an address.
    pub address: Registers,
    /// Operands that are shifted, extended or multiplied first.
    pub early: Registers,
    /// Operands that go straight to the arithmetic unit, and the accumulated one of a
    /// multiplication.
    pub plain: Registers,
    /// Operands that are read last: the one that goes to memory, the one that a branch tests.
    pub late: Registers,
    /// Results.
    pub results: Registers,
    /// The base register that is written back.
    pub write_back: Registers,
    /// It reads the condition flags.
    pub reads_flags: bool,
    /// It sets the condition flags.
    pub sets_flags: bool,
}

impl Instruction {
    fn new(class: Class) -> Self {
        Self {
            class,
            flow: Flow::Next,
            address: Registers::NONE,
            early: Registers::NONE,
            plain: Registers::NONE,
            late: Registers::NONE,
            results: Registers::NONE,
            write_back: Registers::NONE,
            reads_flags: false,
            sets_flags: false,
        }
    }
}

fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 == 1
}

/// Bits `high` to `low`.
fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

/// The register fields, by their names in the manual.
fn rd(word: u32) -> u32 {
    bits(word, 4, 0)
}

fn rn(word: u32) -> u32 {
    bits(word, 9, 5)
}

fn ra(word: u32) -> u32 {
    bits(word, 14, 10)
}

fn rm(word: u32) -> u32 {
    bits(word, 20, 16)
}

/// An instruction, sorted; `None`: undefined, or not among those that are modelled.
#[must_use]
pub fn classify(word: u32) -> Option<Instruction> {
    match bits(word, 28, 25) {
        0b0000 if word >> 16 == 0 => Some(Instruction::new(Class::Exception)), // UDF
        0b1000 | 0b1001 => data::constant(word),
        0b1010 | 0b1011 => system::classify(word),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => memory::classify(word),
        0b0101 | 0b1101 => data::register(word),
        0b0111 | 0b1111 => float::classify(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
