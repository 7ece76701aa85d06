//! VFP, and the system coprocessors.

use super::{Arithmetic, Class, Instruction, Registers, bit, field, register};

fn is_float(word: u32) -> bool {
    matches!(field(word, 8), 10 | 11)
}

fn is_system(word: u32) -> bool {
    matches!(field(word, 8), 14 | 15)
}

/// An instruction of any other coprocessor: ARMv7 has none (Arm ARM, A7.1), so an exception is
/// taken.
fn absent(word: u32) -> Option<Instruction> {
    (!is_system(word)).then(|| Instruction::new(Class::Exception))
}

/// A move between coprocessor and core registers, one way or the other.
fn transfer(word: u32, registers: Registers) -> Option<Instruction> {
    let to_core = bit(word, 20);
    let class = match (is_float(word), is_system(word)) {
        (true, _) if to_core => Class::FloatToCore,
        (true, _) => Class::CoreToFloat,
        (_, true) => Class::Coprocessor,
        _ => return absent(word),
    };
    let mut found = Instruction::new(class);
    if to_core && registers.0 == 1 << 15 {
        found.sets_flags = true; // the PC stands for the flags
    } else if to_core {
        found.results = registers;
    } else {
        found.early = registers;
    }
    Some(found)
}

/// Transfers of two registers, and VLDR, VSTR, VLDM, VSTM.
pub(super) fn move_or_memory(word: u32) -> Option<Instruction> {
    if word >> 21 & 0xf == 2 {
        return transfer(word, register(word, 12).and(register(word, 16)));
    }
    if !is_float(word) {
        return absent(word);
    }
    let store = !bit(word, 20);
    let (before, up, back) = (bit(word, 24), bit(word, 23), bit(word, 21));
    let class = match (before, up, back) {
        (true, _, false) => Class::FloatSingle { store },
        (false, true, _) | (true, false, true) if word & 0xff != 0 => Class::FloatMultiple {
            store,
            doubles: (word as u8).div_ceil(2),
        },
        _ => return None,
    };
    let mut found = Instruction::new(class);
    found.early = register(word, 16);
    if back {
        found.write_back = register(word, 16);
    }
    Some(found)
}

/// Transfers of one register, and floating-point arithmetic.
pub(super) fn transfer_or_arithmetic(word: u32) -> Option<Instruction> {
    if bit(word, 4) {
        return transfer(word, register(word, 12));
    }
    if !is_float(word) {
        return absent(word);
    }
    let negated = bit(word, 6);
    let kind = match word >> 20 & 0xb {
        0b0000 | 0b0001 => Arithmetic::Accumulate,
        0b0010 => Arithmetic::Multiply,
        0b0011 => Arithmetic::Add,
        0b1000 if !negated => Arithmetic::Divide,
        0b1011 if negated && field(word, 16) == 1 && bit(word, 7) => Arithmetic::SquareRoot,
        0b1011 => Arithmetic::Other,
        _ => return None,
    };
    Some(Instruction::new(Class::FloatArithmetic(kind)))
}
