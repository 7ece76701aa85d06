//! Sorts the instructions of ARMv7E-M with single-precision floating point into the
//! classes that a cycle model distinguishes.
//!
//! Owns: the T32 encodings as far as timing goes. Must never know: cycle counts. An encoding that
//! the architecture leaves undefined has no class.
//!
//! Encodings: ARMv7-M Architecture Reference Manual (DDI 0403), chapters A5 and A6.

mod float;
mod wide;

/// How an instruction may go elsewhere than to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Always on to the next instruction.
    Next,
    /// May branch.
    Branch,
    /// May branch, and may return from an exception (BX, or a load of the PC).
    Return,
}

/// Kind of a multiplication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// MUL, and those of the extension for SIMD with a result of a word.
    Plain,
    /// MLA, MLS.
    Accumulated,
    /// SMULL, UMULL.
    Long,
    /// SMLAL, UMLAL, UMAAL, and those of the extension for SIMD with a result of two words.
    LongAccumulated,
}

/// A class of instructions with one timing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Arithmetic, logic, moves, bit fields, saturation, and hints.
    Data(Flow),
    /// Any multiplication.
    Multiply(Product),
    /// SDIV, UDIV.
    Divide,
    /// The IT instruction: the conditions of the next one to four instructions.
    It {
        /// Condition of the first.
        condition: u8,
        /// The encoded mask: one bit for each further one, then a final one.
        mask: u8,
    },
    /// One load or store of at most a word, also PLD.
    Single {
        /// It writes memory.
        store: bool,
        /// `Return` when it loads the PC.
        flow: Flow,
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
        /// Words moved.
        words: u8,
        /// `Return` when it loads the PC.
        flow: Flow,
    },
    /// LDREX and STREX of any size.
    Exclusive {
        /// It writes memory.
        store: bool,
    },
    /// B, BL, BX, BLX, CBZ, CBNZ.
    Branch(Flow),
    /// TBB, TBH.
    TableBranch,
    /// MRS, MSR, CPS, DSB, DMB, ISB, CLREX.
    System,
    /// SVC, BKPT, UDF: the processor takes an exception or halts.
    Exception,
    /// VLDR, VSTR.
    FloatSingle {
        /// It writes memory.
        store: bool,
        /// Of a double register.
        double: bool,
    },
    /// VLDM, VSTM, VPUSH, VPOP.
    FloatMultiple {
        /// It writes memory.
        store: bool,
        /// Words moved.
        words: u8,
    },
    /// VMOV of two core registers.
    FloatPair,
    /// Addition, multiplication, comparison, conversion, moves, VMRS, VMSR.
    FloatData,
    /// Multiplication with accumulation, chained or fused.
    FloatAccumulate,
    /// VDIV, VSQRT.
    FloatDivide,
}

impl Class {
    const DATA: Self = Self::Data(Flow::Next);
    const LOAD: Self = Self::Single {
        store: false,
        flow: Flow::Next,
    };
    const STORE: Self = Self::Single {
        store: true,
        flow: Flow::Next,
    };
}

/// Length in bytes of the instruction that begins with this halfword.
#[must_use]
pub fn size(first: u16) -> u8 {
    if first >> 11 >= 0b11101 { 4 } else { 2 }
}

/// The class of an instruction; `second` is read only where [`size`] is four.
/// `None`: undefined in ARMv7E-M with single-precision floating point.
#[must_use]
pub fn classify(first: u16, second: u16) -> Option<Class> {
    if size(first) == 4 {
        wide::classify(first, second)
    } else {
        narrow(first)
    }
}

fn narrow(h: u16) -> Option<Class> {
    Some(match h >> 10 {
        0b00_0000..=0b00_1111 => Class::DATA,
        0b01_0000 if h >> 6 & 0xf == 0b1101 => Class::Multiply(Product::Plain),
        0b01_0000 => Class::DATA,
        0b01_0001 => return Some(high_registers(h)),
        0b01_0010 | 0b01_0011 => Class::LOAD,
        0b01_0100..=0b01_0111 if h >> 9 & 7 < 3 => Class::STORE,
        0b01_0100..=0b01_0111 => Class::LOAD,
        0b01_1000..=0b10_0111 if h & 0x0800 == 0 => Class::STORE,
        0b01_1000..=0b10_0111 => Class::LOAD,
        0b10_1000..=0b10_1011 => Class::DATA,
        0b10_1100..=0b10_1111 => return miscellaneous(h),
        0b11_0000 | 0b11_0001 => multiple(true, h & 0xff, Flow::Next)?,
        0b11_0010 | 0b11_0011 => multiple(false, h & 0xff, Flow::Next)?,
        0b11_0100..=0b11_0111 if h >> 8 & 0xf >= 0xe => Class::Exception,
        _ => Class::Branch(Flow::Branch),
    })
}

fn high_registers(h: u16) -> Class {
    let to_pc = h & 0x87 == 0x87;
    match h >> 8 & 3 {
        0b00 | 0b10 if to_pc => Class::Data(Flow::Branch),
        0b11 if h & 0x80 == 0 => Class::Branch(Flow::Return),
        0b11 => Class::Branch(Flow::Branch),
        _ => Class::DATA,
    }
}

fn multiple(store: bool, list: u16, flow: Flow) -> Option<Class> {
    let words = list.count_ones() as u8;
    (words > 0).then_some(Class::Multiple { store, words, flow })
}

fn miscellaneous(h: u16) -> Option<Class> {
    match h >> 8 & 0xf {
        0x0 | 0x2 => Some(Class::DATA),
        0x1 | 0x3 | 0x9 | 0xb => Some(Class::Branch(Flow::Branch)),
        0x4 | 0x5 => multiple(true, h & 0x1ff, Flow::Next),
        0x6 if h & 0xe8 == 0x60 => Some(Class::System),
        0xa if h & 0xc0 != 0x80 => Some(Class::DATA),
        0xc => multiple(false, h & 0xff, Flow::Next),
        0xd => multiple(false, h & 0x1ff, Flow::Return),
        0xe => Some(Class::Exception),
        0xf if h & 0xf == 0 => Some(Class::DATA),
        0xf => Some(Class::It {
            condition: (h >> 4 & 0xf) as u8,
            mask: (h & 0xf) as u8,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
