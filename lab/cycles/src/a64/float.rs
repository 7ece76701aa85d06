//! Scalar floating point, and vector constants (DDI 0487, C4.1.6).

use super::{Arithmetic, Class, Instruction, Registers, bit, bits, ra, rd, rm, rn};

pub(super) fn classify(word: u32) -> Option<Instruction> {
    if word & 0x9ff8_0c00 == 0x0f00_0400 {
        return Some(vector_constant(word));
    }
    if word & 0xbfe0_8400 == 0x0e00_0400 {
        return element(word);
    }
    match bits(word, 30, 24) {
        0b001_1110 if !bit(word, 21) => fixed_point(word),
        0b001_1110 => scalar(word),
        0b001_1111 if !bit(word, 31) => fused(word),
        _ => None,
    }
}

fn double(word: u32) -> bool {
    bits(word, 23, 22) == 1
}

/// Of single or double precision.
fn precise(word: u32) -> bool {
    bits(word, 23, 22) < 2
}

fn result(class: Class, word: u32) -> Instruction {
    let mut found = Instruction::new(class);
    found.results = Registers::float(rd(word));
    found
}

fn arithmetic(kind: Arithmetic, word: u32) -> Instruction {
    let mut found = result(Class::FloatArithmetic(kind), word);
    found.plain = Registers::float(rn(word));
    found
}

/// MOVI, MVNI, FMOV, and ORR and BIC of a constant, which keep the other bits.
fn vector_constant(word: u32) -> Instruction {
    let mode = bits(word, 15, 12);
    let mut found = result(Class::FloatConstant, word);
    if mode < 12 && mode & 1 == 1 {
        found.plain = found.results;
    }
    found
}

/// Between a core register and an element of a vector: INS, DUP, UMOV, SMOV.
fn element(word: u32) -> Option<Instruction> {
    let (whole, lowest) = (bit(word, 30), rm(word).trailing_zeros());
    let (to_core, defined) = match bits(word, 14, 11) {
        0b0001 => (false, lowest < 3 || lowest == 3 && whole), // DUP
        0b0011 => (false, lowest < 4 && whole),                // INS
        0b0101 => (true, lowest < 2 || lowest == 2 && whole),  // SMOV
        0b0111 => (true, if whole { lowest == 3 } else { lowest < 3 }), // UMOV
        _ => return None,
    };
    let mut found = between(to_core, false, word);
    if bits(word, 14, 11) == 0b0011 {
        found.plain = found.results; // the other elements are kept
    }
    defined.then_some(found)
}

/// Between a core register and a floating-point register.
fn between(to_core: bool, moves: bool, word: u32) -> Instruction {
    let mut found = Instruction::new(match (to_core, moves) {
        (true, true) => Class::FloatToCore,
        (true, false) => Class::ConvertToCore,
        (false, true) => Class::CoreToFloat,
        (false, false) => Class::ConvertFromCore,
    });
    if to_core {
        found.plain = Registers::float(rn(word));
        found.results = Registers::core(rd(word));
    } else {
        found.early = Registers::core(rn(word));
        found.results = Registers::float(rd(word));
    }
    found
}

/// Conversion between fixed and floating point.
fn fixed_point(word: u32) -> Option<Instruction> {
    let to_core = match bits(word, 20, 16) {
        0b1_1000 | 0b1_1001 => true,
        0b0_0010 | 0b0_0011 => false,
        _ => return None,
    };
    let fits = bit(word, 31) || bit(word, 15);
    (precise(word) && fits).then(|| between(to_core, false, word))
}

fn scalar(word: u32) -> Option<Instruction> {
    if bits(word, 15, 10) == 0 {
        return integer(word);
    }
    if bit(word, 31) {
        return None;
    }
    match bits(word, 11, 10) {
        0b01.. if !precise(word) => None,
        0b01 => Some(compare_if(word)),
        0b10 => two_sources(word),
        0b11 => Some(select(word)),
        _ if bit(word, 12) => constant(word),
        _ if bits(word, 13, 12) == 0b10 => compare(word),
        _ if bits(word, 14, 12) == 0b100 => one_source(word),
        _ => None,
    }
}

/// Conversion between integers and floating point, and FMOV.
fn integer(word: u32) -> Option<Instruction> {
    let (kind, rounding, wide) = (bits(word, 23, 22), bits(word, 20, 19), bit(word, 31));
    let operation = bits(word, 18, 16);
    match (rounding, operation) {
        // FMOV: the sizes are the same, or it is the upper half of a vector.
        (0, 6 | 7) if kind < 2 && wide == (kind == 1) => Some(between(operation == 6, true, word)),
        (1, 6 | 7) if kind == 2 && wide => Some(between(operation == 6, true, word)),
        _ if kind > 1 => None,
        (_, 0 | 1) | (0, 4 | 5) => Some(between(true, false, word)),
        (0, 2 | 3) => Some(between(false, false, word)),
        _ => None,
    }
}

fn constant(word: u32) -> Option<Instruction> {
    (precise(word) && rn(word) == 0).then(|| result(Class::FloatConstant, word))
}

/// FCMP, FCMPE, also with zero.
fn compare(word: u32) -> Option<Instruction> {
    let zero = bit(word, 3);
    if !precise(word) || word & 0xc007 != 0 || zero && rm(word) != 0 {
        return None;
    }
    let mut found = Instruction::new(Class::FloatCompare);
    found.plain = Registers::float(rn(word));
    if !zero {
        found.plain = found.plain.and(Registers::float(rm(word)));
    }
    found.sets_flags = true;
    Some(found)
}

/// FCCMP, FCCMPE.
fn compare_if(word: u32) -> Instruction {
    let mut found = Instruction::new(Class::FloatCompare);
    found.plain = Registers::float(rn(word)).and(Registers::float(rm(word)));
    found.reads_flags = true;
    found.sets_flags = true;
    found
}

/// FCSEL.
fn select(word: u32) -> Instruction {
    let mut found = arithmetic(Arithmetic::Add, word);
    found.plain = found.plain.and(Registers::float(rm(word)));
    found.reads_flags = true;
    found
}

fn one_source(word: u32) -> Option<Instruction> {
    let (kind, operation) = (bits(word, 23, 22), bits(word, 20, 15));
    let known = match (kind, operation) {
        // Conversion to another precision, also half.
        (0 | 1 | 3, 4 | 5 | 7) => operation & 3 != kind,
        (0 | 1, 0..=3 | 8..=12 | 14 | 15) => true,
        _ => false,
    };
    let kind = if operation == 3 {
        Arithmetic::SquareRoot {
            double: double(word),
        }
    } else {
        Arithmetic::Add
    };
    known.then(|| arithmetic(kind, word))
}

fn two_sources(word: u32) -> Option<Instruction> {
    let kind = match bits(word, 15, 12) {
        0 | 8 => Arithmetic::Multiply,
        1 => Arithmetic::Divide {
            double: double(word),
        },
        2..=7 => Arithmetic::Add,
        _ => return None,
    };
    let mut found = arithmetic(kind, word);
    found.plain = found.plain.and(Registers::float(rm(word)));
    Some(found)
}

/// FMADD and its kinds. The accumulated operand is needed late.
fn fused(word: u32) -> Option<Instruction> {
    let mut found = arithmetic(Arithmetic::Accumulate, word);
    found.plain = found.plain.and(Registers::float(rm(word)));
    found.late = Registers::float(ra(word));
    (precise(word) && !bit(word, 29)).then_some(found)
}
