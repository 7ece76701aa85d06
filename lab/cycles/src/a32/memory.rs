//! Loads and stores.

use super::{Class, Instruction, PC, Registers, bit, data, field, register};
use crate::t32::Flow;

/// The base register, and whether it is written back.
fn base(word: u32, found: &mut Instruction) {
    let before = bit(word, 24);
    found.early = found.early.and(register(word, 16));
    if !before || bit(word, 21) {
        found.write_back = register(word, 16);
    }
}

/// Sets the registers that an access to memory stores or loads.
fn moves(found: &mut Instruction, store: bool, registers: Registers) {
    if store {
        found.stored = registers;
    } else {
        found.results = registers;
    }
}

/// LDR, STR, LDRB, STRB.
pub(super) fn single(word: u32) -> Option<Instruction> {
    let by_register = bit(word, 25);
    // An offset that is not shifted, or is shifted left by two, costs nothing.
    let shift = word >> 5 & 0x7f;
    let shifted = by_register && !(shift == 0 || shift == 0b000_1000);
    let store = !bit(word, 20);
    let mut found = Instruction::new(Class::Single { store, shifted });
    base(word, &mut found);
    if by_register {
        found.early = found.early.and(register(word, 0));
    }
    moves(&mut found, store, register(word, 12));
    Some(found)
}

/// Halfwords, signed bytes, doubles, exclusives, and the multiplications next to them.
pub(super) fn extra(word: u32) -> Option<Instruction> {
    match (field(word, 4), bit(word, 24)) {
        (9, false) => return data::multiply(word),
        (9, true) => return exclusive(word),
        _ => {}
    }
    let double = !bit(word, 20) && bit(word, 6);
    let store = if double { bit(word, 5) } else { !bit(word, 20) };
    let mut found = Instruction::new(if double {
        Class::Double { store }
    } else {
        Class::Single {
            store,
            shifted: false,
        }
    });
    base(word, &mut found);
    if !bit(word, 22) {
        found.early = found.early.and(register(word, 0));
    }
    let mut moved = register(word, 12);
    if double {
        moved = moved.and(Registers::one(field(word, 12) + 1));
    }
    moves(&mut found, store, moved);
    Some(found)
}

/// SWP, LDREX and STREX of each size.
fn exclusive(word: u32) -> Option<Instruction> {
    let double = |low: u32| register(word, low).and(Registers::one(field(word, low) + 1));
    let (store, stored, results) = match word >> 20 & 0xf {
        0b0000 | 0b0100 => (true, register(word, 0), register(word, 12)), // SWP, SWPB
        0b1000 | 0b1100 | 0b1110 => (true, register(word, 0), register(word, 12)),
        0b1010 => (true, double(0), register(word, 12)),
        0b1001 | 0b1101 | 0b1111 => (false, Registers::default(), register(word, 12)),
        0b1011 => (false, Registers::default(), double(12)),
        _ => return None,
    };
    let mut found = Instruction::new(Class::Exclusive { store });
    found.early = register(word, 16);
    found.stored = stored;
    found.results = results;
    Some(found)
}

/// LDM, STM and their forms for exceptions.
pub(super) fn multiple(word: u32) -> Option<Instruction> {
    let list = Registers(word as u16);
    if list.is_empty() {
        return None;
    }
    let store = !bit(word, 20);
    let mut found = Instruction::new(Class::Multiple { store });
    found.early = register(word, 16);
    if bit(word, 21) {
        found.write_back = register(word, 16);
    }
    moves(&mut found, store, list);
    if !store && bit(word, 22) && list.0 & PC != 0 {
        found.flow = Flow::Return;
    }
    Some(found)
}
