//! The media space: parallel arithmetic, extension, bit fields, and more multiplication.

use super::{Class, Instruction, field, register};

pub(super) fn media(word: u32) -> Option<Instruction> {
    let second = word >> 5 & 7;
    match word >> 20 & 0x1f {
        0b0_0001..=0b0_0011 | 0b0_0101..=0b0_0111 if second < 5 || second == 7 => {
            Some(two(word, Class::Saturate))
        }
        0b0_1000 if second & 1 == 0 => Some(two(word, Class::Data)), // PKH
        0b0_1000 if second == 5 => Some(two(word, Class::Data)),     // SEL
        0b0_1000..=0b0_1111 if second == 3 => Some(extend(word)),
        0b0_1010 | 0b0_1011 | 0b0_1110 | 0b0_1111 if second & 1 == 0 => {
            Some(one(word, Class::Saturate))
        }
        0b0_1010 | 0b0_1110 if second == 1 => Some(one(word, Class::Saturate)),
        0b0_1011 | 0b0_1111 if second == 1 || second == 5 => Some(one(word, Class::Data)),
        0b1_0000 | 0b1_0100 | 0b1_0101 => multiply(word),
        0b1_1000 if second == 0 => multiply(word),
        0b1_1010 | 0b1_1011 | 0b1_1110 | 0b1_1111 if second & 3 == 2 => {
            Some(one(word, Class::Data)) // SBFX, UBFX
        }
        0b1_1100 | 0b1_1101 if second & 3 == 0 => Some(insert(word)),
        0b1_1111 if second == 7 => Some(Instruction::new(Class::Exception)), // UDF
        _ => None,
    }
}

fn one(word: u32, class: Class) -> Instruction {
    let mut found = Instruction::new(class);
    found.early = register(word, 0);
    found.results = register(word, 12);
    found
}

fn two(word: u32, class: Class) -> Instruction {
    let mut found = one(word, class);
    found.plain = register(word, 16);
    found
}

fn extend(word: u32) -> Instruction {
    if field(word, 16) == 15 {
        one(word, Class::Move)
    } else {
        two(word, Class::Data)
    }
}

/// BFI, BFC.
fn insert(word: u32) -> Instruction {
    let mut found = Instruction::new(Class::Data);
    found.results = register(word, 12);
    found.plain = found.results;
    if field(word, 0) != 15 {
        found.early = register(word, 0);
    }
    found
}

/// SMLAD and its kin, SMMLA, SMLALD, USAD8.
fn multiply(word: u32) -> Option<Instruction> {
    let accumulates = field(word, 12) != 15;
    let class = match word >> 20 & 0x1f {
        0b1_0100 => Class::MultiplyLong,
        0b1_0101 => Class::MultiplyWord,
        _ if accumulates => Class::MultiplyWord,
        _ => Class::MultiplyHalf,
    };
    let mut found = Instruction::new(class);
    found.early = register(word, 0).and(register(word, 8));
    found.results = register(word, 16);
    if class == Class::MultiplyLong {
        found.results = found.results.and(register(word, 12));
        found.accumulated = found.results;
    } else if accumulates {
        found.accumulated = register(word, 12);
    }
    Some(found)
}
