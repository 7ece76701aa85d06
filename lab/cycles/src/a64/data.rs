//! Data processing with constants and with registers (DDI 0487, C4.1.2 and C4.1.5).

use super::{Class, Instruction, Registers, bit, bits, ra, rd, rm, rn};

/// Data processing with a constant.
pub(super) fn constant(word: u32) -> Option<Instruction> {
    match bits(word, 25, 23) {
        0b000 | 0b001 => Some(result(Class::Shift, word)), // ADR, ADRP
        0b010 => Some(add_constant(word)),
        0b100 => logical_constant(word),
        0b101 => move_wide(word),
        0b110 => bit_field(word),
        0b111 => extract(word),
        _ => None,
    }
}

fn result(class: Class, word: u32) -> Instruction {
    let mut found = Instruction::new(class);
    found.results = Registers::core(rd(word));
    found
}

fn wide(word: u32) -> bool {
    bit(word, 31)
}

fn add_constant(word: u32) -> Instruction {
    let mut found = Instruction::new(Class::Data);
    found.sets_flags = bit(word, 29);
    found.plain = Registers::core_or_stack(rn(word));
    found.results = sum(word);
    found
}

/// The result of an addition: the stack pointer unless it sets the flags.
fn sum(word: u32) -> Registers {
    if bit(word, 29) {
        Registers::core(rd(word))
    } else {
        Registers::core_or_stack(rd(word))
    }
}

fn logical_constant(word: u32) -> Option<Instruction> {
    if !is_mask(word) {
        return None;
    }
    let (operation, moves) = (bits(word, 30, 29), rn(word) == 31);
    let mut found = Instruction::new(if moves && operation == 1 {
        Class::Shift // a constant
    } else {
        Class::Data
    });
    found.plain = Registers::core(rn(word));
    found.sets_flags = operation == 3;
    found.results = if found.sets_flags {
        Registers::core(rd(word))
    } else {
        Registers::core_or_stack(rd(word))
    };
    Some(found)
}

/// Returns whether the constant of a logical instruction is a mask (DecodeBitMasks).
fn is_mask(word: u32) -> bool {
    let (n, run) = (bits(word, 22, 22), bits(word, 15, 10));
    let size = n << 6 | (!run & 0x3f);
    if size < 2 || n == 1 && !wide(word) {
        return false;
    }
    let levels = (1 << size.ilog2()) - 1;
    run & levels != levels
}

fn move_wide(word: u32) -> Option<Instruction> {
    if !wide(word) && bit(word, 22) {
        return None;
    }
    let mut found = result(Class::Shift, word);
    match bits(word, 30, 29) {
        0b01 => return None,
        0b11 => found.early = found.results, // MOVK keeps the other bits
        _ => {}
    }
    Some(found)
}

fn bit_field(word: u32) -> Option<Instruction> {
    let (operation, rotation, last) = (bits(word, 30, 29), bits(word, 21, 16), bits(word, 15, 10));
    let top = if wide(word) { 63 } else { 31 };
    if operation == 3 || bit(word, 22) != wide(word) || rotation > top || last > top {
        return None;
    }
    let right = operation != 1 && last == top;
    let left = operation == 2 && last + 1 == rotation;
    let mut found = result(
        if right || left {
            Class::Shift
        } else {
            Class::Data
        },
        word,
    );
    found.early = Registers::core(rn(word));
    if operation == 1 {
        found.early = found.early.and(found.results); // BFM keeps the other bits
    }
    Some(found)
}

fn extract(word: u32) -> Option<Instruction> {
    let valid = bits(word, 30, 29) == 0 && bit(word, 22) == wide(word) && !bit(word, 21);
    if !valid || !wide(word) && bit(word, 15) {
        return None;
    }
    let mut found = result(Class::Data, word);
    found.early = Registers::core(rn(word)).and(Registers::core(rm(word)));
    Some(found)
}

/// Data processing with registers.
pub(super) fn register(word: u32) -> Option<Instruction> {
    match (bit(word, 28), bits(word, 24, 21)) {
        (false, operation) if operation < 8 => logical_register(word),
        (false, operation) if operation & 1 == 0 => add_shifted(word),
        (false, _) => add_extended(word),
        (true, 0b0000) => with_carry(word),
        (true, 0b0010) => compare_if(word),
        (true, 0b0100) => select(word),
        (true, 0b0110) if bit(word, 30) => one_source(word),
        (true, 0b0110) => two_sources(word),
        (true, operation) if operation >= 8 => multiply(word),
        _ => None,
    }
}

/// The second operand, shifted by a constant or not at all.
fn shifted(found: &mut Instruction, word: u32) -> Option<()> {
    let by = bits(word, 15, 10);
    if !wide(word) && by > 31 {
        return None;
    }
    let operand = Registers::core(rm(word));
    if by == 0 {
        found.plain = found.plain.and(operand);
    } else {
        found.early = operand;
    }
    Some(())
}

fn logical_register(word: u32) -> Option<Instruction> {
    let mut found = result(Class::Data, word);
    found.plain = Registers::core(rn(word));
    found.sets_flags = bits(word, 30, 29) == 3;
    shifted(&mut found, word)?;
    Some(found)
}

fn add_shifted(word: u32) -> Option<Instruction> {
    if bits(word, 23, 22) == 3 {
        return None;
    }
    let mut found = result(Class::Data, word);
    found.plain = Registers::core(rn(word));
    found.sets_flags = bit(word, 29);
    shifted(&mut found, word)?;
    Some(found)
}

fn add_extended(word: u32) -> Option<Instruction> {
    if bits(word, 23, 22) != 0 || bits(word, 12, 10) > 4 {
        return None;
    }
    let mut found = Instruction::new(Class::Data);
    found.plain = Registers::core_or_stack(rn(word));
    found.early = Registers::core(rm(word));
    found.sets_flags = bit(word, 29);
    found.results = sum(word);
    Some(found)
}

/// ADC, SBC.
fn with_carry(word: u32) -> Option<Instruction> {
    let mut found = result(Class::Data, word);
    found.plain = Registers::core(rn(word)).and(Registers::core(rm(word)));
    found.reads_flags = true;
    found.sets_flags = bit(word, 29);
    (bits(word, 15, 10) == 0).then_some(found)
}

/// CCMP, CCMN.
fn compare_if(word: u32) -> Option<Instruction> {
    let mut found = Instruction::new(Class::Data);
    found.plain = Registers::core(rn(word));
    if !bit(word, 11) {
        found.plain = found.plain.and(Registers::core(rm(word)));
    }
    found.reads_flags = true;
    found.sets_flags = true;
    (bit(word, 29) && !bit(word, 10) && !bit(word, 4)).then_some(found)
}

/// CSEL and its kinds.
fn select(word: u32) -> Option<Instruction> {
    let mut found = result(Class::Data, word);
    found.plain = Registers::core(rn(word)).and(Registers::core(rm(word)));
    found.reads_flags = true;
    (!bit(word, 29) && !bit(word, 11)).then_some(found)
}

/// RBIT, REV, CLZ, CLS.
fn one_source(word: u32) -> Option<Instruction> {
    let mut found = result(Class::Data, word);
    found.plain = Registers::core(rn(word));
    let defined = match bits(word, 15, 10) {
        3 => wide(word), // REV of 64 bits
        operation => operation < 6,
    };
    (defined && !bit(word, 29) && rm(word) == 0).then_some(found)
}

/// Division, and shifts by a register.
fn two_sources(word: u32) -> Option<Instruction> {
    let class = match bits(word, 15, 10) {
        2 | 3 => Class::Divide,
        8..=11 => Class::ShiftByRegister,
        _ => return None,
    };
    let mut found = result(class, word);
    found.early = Registers::core(rn(word)).and(Registers::core(rm(word)));
    (!bit(word, 29)).then_some(found)
}

fn multiply(word: u32) -> Option<Instruction> {
    let (high, accumulates) = match (bits(word, 23, 21), bit(word, 15)) {
        (0b000, _) => (false, true),
        (0b001 | 0b101, _) if wide(word) => (false, true),
        (0b010 | 0b110, false) if wide(word) => (true, false),
        _ => return None,
    };
    let mut found = result(Class::Multiply, word);
    found.early = Registers::core(rn(word)).and(Registers::core(rm(word)));
    if accumulates {
        found.plain = Registers::core(ra(word));
    }
    // The field of the third operand is all ones where there is none.
    (bits(word, 30, 29) == 0 && (!high || ra(word) == 31)).then_some(found)
}
