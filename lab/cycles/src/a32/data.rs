//! Data processing and the miscellaneous instructions next to it.

use super::{Class, Instruction, PC, Registers, bit, field, register as reg};
use crate::t32::Flow;

/// Data processing with a register, shifted by a constant or by a register.
pub(super) fn register(word: u32) -> Option<Instruction> {
    let by_register = bit(word, 4);
    let shifted = word & 0xff0 != 0;
    let mut found = operation(word);
    if by_register {
        found.early = reg(word, 0).and(reg(word, 8));
    } else if shifted || found.class == Class::Move {
        found.early = reg(word, 0);
    } else {
        found.plain = found.plain.and(reg(word, 0));
    }
    let rotates_through_carry = !by_register && word & 0xff0 == 0x60;
    found.reads_flags |= rotates_through_carry;
    Some(found)
}

/// Data processing with a constant, and what shares its space.
pub(super) fn immediate(word: u32) -> Option<Instruction> {
    match word >> 20 & 0x1f {
        0b1_0000 => {
            let mut wide = Instruction::new(Class::Move);
            wide.results = reg(word, 12);
            Some(wide)
        }
        0b1_0100 => {
            let mut top = Instruction::new(Class::Data);
            top.plain = reg(word, 12);
            top.results = reg(word, 12);
            Some(top)
        }
        0b1_0010 if word & 0x000f_ff00 == 0x0000_f000 => Some(Instruction::new(Class::Hint)),
        0b1_0010 | 0b1_0110 => Some(Instruction::new(Class::Status)), // MSR of a constant
        _ => Some(operation(word)),
    }
}

/// Returns the instruction as its operation and its first operand define it.
fn operation(word: u32) -> Instruction {
    let operation = word >> 21 & 0xf;
    let moves = operation == 13 || operation == 15;
    let compares = (8..12).contains(&operation);
    let mut found = Instruction::new(if moves { Class::Move } else { Class::Data });
    found.sets_flags = bit(word, 20);
    found.reads_flags = (5..8).contains(&operation);
    if !moves {
        found.plain = reg(word, 16);
    }
    if !compares {
        found.results = reg(word, 12);
        if found.results.0 & PC != 0 && found.sets_flags {
            found.flow = Flow::Return; // MOVS PC, SUBS PC
        }
    }
    found
}

pub(super) fn miscellaneous(word: u32) -> Option<Instruction> {
    let operation = word >> 21 & 3;
    if bit(word, 7) {
        return half_multiply(word, operation);
    }
    match (word >> 4 & 7, operation) {
        (0, 0 | 2) => Some(status(Registers::default(), reg(word, 12))),
        (0, _) => Some(status(reg(word, 0), Registers::default())),
        (1, 1) => Some(branch(word, false)),
        (1, 3) => Some(unary(word)),
        (3, 1) => Some(branch(word, true)),
        (5, _) => Some(saturating(word)),
        // ERET; BKPT, HVC, SMC
        (6, 3) | (7, 1..=3) => Some(Instruction::new(Class::Exception)),
        _ => None,
    }
}

fn status(reads: Registers, writes: Registers) -> Instruction {
    let mut status = Instruction::new(Class::Status);
    status.early = reads;
    status.results = writes;
    status.sets_flags = writes.is_empty();
    status.reads_flags = !writes.is_empty();
    status
}

fn branch(word: u32, link: bool) -> Instruction {
    let mut branch = Instruction::new(Class::Branch);
    branch.flow = Flow::Branch;
    branch.early = reg(word, 0);
    if link {
        branch.results = Registers::one(14);
    }
    branch
}

fn unary(word: u32) -> Instruction {
    let mut unary = Instruction::new(Class::Data);
    unary.plain = reg(word, 0);
    unary.results = reg(word, 12);
    unary
}

fn saturating(word: u32) -> Instruction {
    let mut saturating = Instruction::new(Class::Saturate);
    saturating.early = reg(word, 0).and(reg(word, 16));
    saturating.results = reg(word, 12);
    saturating
}

/// SMLAxy, SMLAWy, SMULWy, SMLALxy, SMULxy.
fn half_multiply(word: u32, operation: u32) -> Option<Instruction> {
    if bit(word, 4) {
        return None;
    }
    let (class, accumulates, long) = match (operation, bit(word, 5)) {
        (0, _) | (1, false) => (Class::MultiplyWord, true, false),
        (1, true) | (3, _) => (Class::MultiplyHalf, false, false),
        _ => (Class::MultiplyWord, true, true),
    };
    let mut found = Instruction::new(class);
    found.early = reg(word, 0).and(reg(word, 8));
    found.results = reg(word, 16);
    if long {
        found.results = found.results.and(reg(word, 12));
        found.accumulated = found.results;
    } else if accumulates {
        found.accumulated = reg(word, 12);
    }
    Some(found)
}

/// MUL, MLA, MLS, UMAAL and the long multiplications.
pub(super) fn multiply(word: u32) -> Option<Instruction> {
    let (class, long, accumulates) = match word >> 21 & 7 {
        0 => (Class::MultiplyWord, false, false),
        1 | 3 => (Class::MultiplyWord, false, true),
        2 => (Class::MultiplyLong, true, true),
        operation => (Class::MultiplyLong, true, operation & 1 == 1),
    };
    let mut found = Instruction::new(class);
    found.early = reg(word, 0).and(reg(word, 8));
    found.results = reg(word, 16);
    found.sets_flags = bit(word, 20);
    if long {
        found.results = found.results.and(reg(word, 12));
    }
    if accumulates {
        found.accumulated = if long { found.results } else { reg(word, 12) };
    }
    (field(word, 4) == 9).then_some(found)
}
