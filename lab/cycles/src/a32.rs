//! Sorts the A32 instructions of ARMv7-A with VFPv3 into the classes that a cycle model
//! distinguishes, and says which registers each reads and writes, and in what role.
//!
//! Owns: the A32 encodings as far as timing goes. Must never know: cycle counts. An encoding that
//! the architecture leaves undefined has no class; neither has Advanced SIMD but for constants,
//! since our images do not contain it.
//!
//! Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition (DDI 0406),
//! chapters A5, A7 and A8.

mod data;
mod float;
mod media;
mod memory;
pub mod thumb;

use crate::t32::Flow;

/// A set of core registers, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers(pub u16);

impl Registers {
    /// One register.
    #[must_use]
    pub fn one(register: u32) -> Self {
        Self(1 << (register & 15))
    }

    /// Their numbers, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..16).filter(move |r| self.0 >> r & 1 == 1)
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
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
    /// MOV, MVN, MOVW, and extension without addition.
    Move,
    /// Arithmetic, logic, comparison, bit fields.
    Data,
    /// Saturation and parallel arithmetic.
    Saturate,
    /// Multiplication of halves.
    MultiplyHalf,
    /// Multiplication of words, and of halves with accumulation.
    MultiplyWord,
    /// Multiplication with a result of two words.
    MultiplyLong,
    /// One load or store of at most a word.
    Single {
        /// It writes memory.
        store: bool,
        /// The offset is a register, shifted other than left by two.
        shifted: bool,
    },
    /// LDRD, STRD.
    Double {
        /// It writes memory.
        store: bool,
    },
    /// LDM, STM, PUSH, POP.
    Multiple {
        /// It writes memory.
        store: bool,
    },
    /// LDREX, STREX and SWP of any size.
    Exclusive {
        /// It writes memory.
        store: bool,
    },
    /// PLD, PLI.
    Preload,
    /// B, BL, BX, BLX.
    Branch,
    /// NOP and other hints.
    Hint,
    /// MRS, MSR, CPS, SETEND.
    Status,
    /// MRC, MCR, MRRC, MCRR of coprocessors 14 and 15.
    Coprocessor,
    /// DMB, DSB, CLREX.
    Barrier,
    /// ISB.
    InstructionBarrier,
    /// SVC, BKPT, SMC, UDF, and ERET and HVC, which this architecture version lacks: the
    /// processor takes an exception.
    Exception,
    /// SRS.
    StoreReturnState,
    /// RFE.
    ReturnFromException,
    /// VLDR, VSTR.
    FloatSingle {
        /// It writes memory.
        store: bool,
    },
    /// VLDM, VSTM, VPUSH, VPOP.
    FloatMultiple {
        /// It writes memory.
        store: bool,
        /// Double registers moved; two single ones count as one.
        doubles: u8,
    },
    /// VMRS, and VMOV to a core register.
    FloatToCore,
    /// VMSR, and VMOV from a core register.
    CoreToFloat,
    /// Floating-point arithmetic.
    FloatArithmetic(Arithmetic),
    /// Advanced SIMD: a constant into a register.
    VectorConstant,
}

/// Kinds of floating-point arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Arithmetic {
    Add,
    Multiply,
    Accumulate,
    Divide,
    SquareRoot,
    Other,
}

/// An instruction as far as timing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Its class.
    pub class: Class,
    /// How it may go elsewhere.
    pub flow: Flow,
    /// Operands that go straight to the arithmetic unit.
    pub plain: Registers,
    /// Operands that are shifted, multiplied or make an address first.
    pub early: Registers,
    /// Registers that go to memory.
    pub stored: Registers,
    /// The accumulated operand of a multiplication.
    pub accumulated: Registers,
    /// Results.
    pub results: Registers,
    /// The base register that is written back.
    pub write_back: Registers,
    /// It reads the condition flags as an operand.
    pub reads_flags: bool,
    /// It sets the condition flags.
    pub sets_flags: bool,
}

impl Instruction {
    fn new(class: Class) -> Self {
        Self {
            class,
            flow: Flow::Next,
            plain: Registers::default(),
            early: Registers::default(),
            stored: Registers::default(),
            accumulated: Registers::default(),
            results: Registers::default(),
            write_back: Registers::default(),
            reads_flags: false,
            sets_flags: false,
        }
    }

    /// With a flow that follows from its results: one that writes the PC is a branch.
    fn branching(mut self) -> Self {
        if self.results.0 & PC != 0 && self.flow == Flow::Next {
            self.flow = Flow::Branch;
        }
        self
    }
}

const PC: u16 = 1 << 15;

fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 == 1
}

fn field(word: u32, low: u32) -> u32 {
    word >> low & 0xf
}

fn register(word: u32, low: u32) -> Registers {
    Registers::one(field(word, low))
}

/// The condition of an instruction; the unconditional space counts as always.
#[must_use]
pub fn condition(word: u32) -> u8 {
    match word >> 28 {
        15 => crate::timing::ALWAYS,
        condition => condition as u8,
    }
}

/// An instruction, sorted; `None`: undefined, or not among those that are modelled.
#[must_use]
pub fn classify(word: u32) -> Option<Instruction> {
    if word >> 28 == 15 {
        return unconditional(word).map(Instruction::branching);
    }
    let found = match word >> 25 & 7 {
        0b000 if bit(word, 4) && bit(word, 7) => memory::extra(word),
        0b000 if word >> 23 & 3 == 2 && !bit(word, 20) => data::miscellaneous(word),
        0b000 => data::register(word),
        0b001 => data::immediate(word),
        0b010 => memory::single(word),
        0b011 if bit(word, 4) => media::media(word),
        0b011 => memory::single(word),
        0b100 => memory::multiple(word),
        0b101 => Some(branch(word)),
        0b110 => float::move_or_memory(word),
        _ if bit(word, 24) => Some(Instruction::new(Class::Exception)),
        _ => float::transfer_or_arithmetic(word),
    };
    found.map(Instruction::branching)
}

fn branch(word: u32) -> Instruction {
    let mut branch = Instruction::new(Class::Branch);
    branch.flow = Flow::Branch;
    if bit(word, 24) {
        branch.results = Registers::one(14);
    }
    branch
}

fn unconditional(word: u32) -> Option<Instruction> {
    let class = match word {
        _ if word & 0xfe00_0000 == 0xfa00_0000 => return Some(branch(word | 1 << 24)), // BLX
        _ if word & 0xfeb8_0090 == 0xf280_0010 => Class::VectorConstant,
        _ if word & 0xfff1_0020 == 0xf100_0000 => Class::Status, // CPS
        _ if word & 0xffff_fdff == 0xf101_0000 => Class::Status, // SETEND
        _ if word & 0xfd70_f000 == 0xf550_f000 && word & 0x0200_0010 != 0x0200_0010 => {
            return Some(preload(word));
        }
        _ if word & 0xfd70_f000 == 0xf450_f000 && word & 0x0200_0010 != 0x0200_0010 => {
            return Some(preload(word));
        }
        _ if word & 0xffff_fff0 == 0xf57f_f010 => Class::Barrier,
        _ if word & 0xffff_ffe0 == 0xf57f_f040 => Class::Barrier,
        _ if word & 0xffff_fff0 == 0xf57f_f060 => Class::InstructionBarrier,
        _ if word & 0xfe5f_ffe0 == 0xf84d_0500 => return Some(store_return_state(word)),
        _ if word & 0xfe50_ffff == 0xf810_0a00 => return Some(return_from_exception(word)),
        _ => return None,
    };
    Some(Instruction::new(class))
}

fn preload(word: u32) -> Instruction {
    let mut preload = Instruction::new(Class::Preload);
    preload.early = register(word, 16);
    if bit(word, 25) {
        preload.early = preload.early.and(register(word, 0));
    }
    preload
}

fn store_return_state(word: u32) -> Instruction {
    let mut store = Instruction::new(Class::StoreReturnState);
    store.stored = Registers::one(14);
    if bit(word, 21) {
        store.write_back = Registers::one(13);
    }
    store
}

fn return_from_exception(word: u32) -> Instruction {
    let mut back = Instruction::new(Class::ReturnFromException);
    back.early = register(word, 16);
    back.flow = Flow::Return;
    if bit(word, 21) {
        back.write_back = register(word, 16);
    }
    back
}

#[cfg(test)]
mod tests;
