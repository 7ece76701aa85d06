//! Loads and stores (DDI 0487, C4.1.4).

use super::{Class, Instruction, Registers, bit, bits, ra, rd, rm, rn};

pub(super) fn classify(word: u32) -> Option<Instruction> {
    match bits(word, 29, 24) {
        0b00_1000 => exclusive(word),
        0b01_1000 | 0b01_1100 => literal(word),
        0b10_1000 | 0b10_1001 | 0b10_1100 | 0b10_1101 => pair(word),
        0b11_1000 | 0b11_1001 | 0b11_1100 | 0b11_1101 => single(word),
        _ => None,
    }
}

fn of_vector(word: u32) -> bool {
    bit(word, 26)
}

/// A register that is moved.
fn moved(word: u32, number: u32) -> Registers {
    if of_vector(word) {
        Registers::float(number)
    } else {
        Registers::core(number)
    }
}

/// With what moves between memory and the registers.
fn moving(mut found: Instruction, store: bool, registers: Registers) -> Instruction {
    if store {
        found.late = registers;
    } else {
        found.results = registers;
    }
    found
}

/// Exclusive accesses, and those with acquire and release.
fn exclusive(word: u32) -> Option<Instruction> {
    let (size, load) = (bits(word, 31, 30), bit(word, 22));
    let (ordered, pair) = (bit(word, 23), bit(word, 21));
    let class = match (ordered, pair, bit(word, 15)) {
        (false, false, _) => Class::Exclusive { store: !load },
        (false, true, _) if size >= 2 => Class::Exclusive { store: !load },
        (true, false, true) => Class::Memory {
            store: !load,
            bytes: 1 << size,
            pair: false,
        },
        _ => return None,
    };
    let mut registers = Registers::core(rd(word));
    if pair {
        registers = registers.and(Registers::core(ra(word)));
    } else if ra(word) != 31 {
        return None;
    }
    let mut found = moving(Instruction::new(class), !load, registers);
    found.address = Registers::core_or_stack(rn(word));
    if !load && !ordered {
        found.results = Registers::core(rm(word)); // whether it was done
    } else if rm(word) != 31 {
        return None;
    }
    Some(found)
}

/// From an address relative to the program.
fn literal(word: u32) -> Option<Instruction> {
    let bytes = match (of_vector(word), bits(word, 31, 30)) {
        (false, 3) => return Some(Instruction::new(Class::Preload)),
        (true, 3) => return None,
        (_, 0) | (false, 2) => 4, // LDRSW reads a word
        (_, 1) => 8,
        _ => 16,
    };
    let class = Class::Memory {
        store: false,
        bytes,
        pair: false,
    };
    Some(moving(
        Instruction::new(class),
        false,
        moved(word, rd(word)),
    ))
}

fn pair(word: u32) -> Option<Instruction> {
    let (kind, store) = (bits(word, 24, 23), !bit(word, 22));
    let each = match (of_vector(word), bits(word, 31, 30)) {
        (_, 0) => 4,
        (false, 1) if !store && kind != 0 => 4, // LDPSW
        (false, 2) | (true, 1) => 8,
        (true, 2) => 16,
        _ => return None,
    };
    let class = Class::Memory {
        store,
        bytes: 2 * each,
        pair: true,
    };
    let registers = moved(word, rd(word)).and(moved(word, ra(word)));
    let mut found = moving(Instruction::new(class), store, registers);
    found.address = Registers::core_or_stack(rn(word));
    if kind & 1 == 1 {
        found.write_back = found.address;
    }
    Some(found)
}

/// The forms of an address.
enum Form {
    /// A base and a constant.
    Offset,
    /// A base and a constant; the base is written back.
    WriteBack,
    /// A base and a register.
    Register,
    /// With the rights of user mode.
    Unprivileged,
}

fn form(word: u32) -> Option<Form> {
    Some(match (bit(word, 24), bit(word, 21), bits(word, 11, 10)) {
        (true, ..) | (false, false, 0) => Form::Offset,
        (false, false, 2) => Form::Unprivileged,
        (false, false, _) => Form::WriteBack,
        (false, true, 2) if bit(word, 14) => Form::Register,
        _ => return None,
    })
}

fn single(word: u32) -> Option<Instruction> {
    let form = form(word)?;
    let class = class(word, &form)?;
    let mut found = Instruction::new(class);
    if let Class::Memory { store, .. } = class {
        found = moving(found, store, moved(word, rd(word)));
    }
    found.address = Registers::core_or_stack(rn(word));
    match form {
        Form::WriteBack => found.write_back = found.address,
        Form::Register => found.address = found.address.and(Registers::core(rm(word))),
        Form::Offset | Form::Unprivileged => {}
    }
    Some(found)
}

fn class(word: u32, form: &Form) -> Option<Class> {
    let (size, operation) = (bits(word, 31, 30), bits(word, 23, 22));
    let memory = |store, bytes| {
        Some(Class::Memory {
            store,
            bytes,
            pair: false,
        })
    };
    if of_vector(word) {
        return match (operation, form) {
            (_, Form::Unprivileged) => None,
            (0 | 1, _) => memory(operation == 0, 1 << size),
            _ if size == 0 => memory(operation == 2, 16),
            _ => None,
        };
    }
    match (operation, size) {
        (0 | 1, _) => memory(operation == 0, 1 << size),
        (2, 3) if matches!(form, Form::Offset | Form::Register) => Some(Class::Preload),
        (2, 0..=2) | (3, 0..=1) => memory(false, 1 << size),
        _ => None,
    }
}
