//! Instructions of four bytes.

use super::{Class, Instruction, Registers, bit, bits, float};
use crate::t32::Flow;

/// The register fields, by their names in the manual.
pub(super) fn rd(word: u32) -> Registers {
    Registers::integer(bits(word, 11, 7))
}

pub(super) fn rs1(word: u32) -> Registers {
    Registers::integer(bits(word, 19, 15))
}

fn rs2(word: u32) -> Registers {
    Registers::integer(bits(word, 24, 20))
}

/// The operation within an opcode (funct3, funct7).
pub(super) fn minor(word: u32) -> u32 {
    bits(word, 14, 12)
}

fn major(word: u32) -> u32 {
    bits(word, 31, 25)
}

pub(super) fn classify(word: u32) -> Option<Instruction> {
    match bits(word, 6, 0) {
        0x37 | 0x17 => Some(Instruction::of(Class::Data, rd(word), Registers::NONE)),
        0x6f => Some(jump(word, Registers::NONE)),
        0x67 if minor(word) == 0 => Some(jump(word, rs1(word))),
        0x63 if !matches!(minor(word), 2 | 3) => Some(branch(word)),
        0x03 if minor(word) < 7 => Some(load(word)),
        0x23 if minor(word) < 4 => Some(store(word)),
        0x13 => constant(word, 6),
        0x1b => constant_word(word),
        0x33 => registers(word, false),
        0x3b => registers(word, true),
        0x0f => fence(word),
        0x73 => system(word),
        0x2f => atomic(word),
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 => float::classify(word),
        _ => None,
    }
}

fn jump(word: u32, target: Registers) -> Instruction {
    Instruction::of(Class::Branch, rd(word), target).going(Flow::Branch)
}

fn branch(word: u32) -> Instruction {
    let sources = rs1(word).and(rs2(word));
    Instruction::of(Class::Branch, Registers::NONE, sources).going(Flow::Branch)
}

fn load(word: u32) -> Instruction {
    let bytes = 1 << (minor(word) & 3);
    Instruction::of(Class::Load { bytes }, rd(word), rs1(word))
}

fn store(word: u32) -> Instruction {
    Instruction::of(Class::Store, Registers::NONE, rs1(word).and(rs2(word)))
}

/// Decodes an instruction with a constant; a shift's constant has `shift_bits` bits.
fn constant(word: u32, shift_bits: u32) -> Option<Instruction> {
    let above = word >> (20 + shift_bits);
    let arithmetic = 1 << (10 - shift_bits);
    let defined = match minor(word) {
        1 => above == 0,
        5 => above & !arithmetic == 0,
        _ => true,
    };
    defined.then(|| Instruction::of(Class::Data, rd(word), rs1(word)))
}

/// With a constant, of 32 bits.
fn constant_word(word: u32) -> Option<Instruction> {
    match minor(word) {
        0 | 1 | 5 => constant(word, 5),
        _ => None,
    }
}

fn registers(word: u32, half: bool) -> Option<Instruction> {
    let operation = minor(word);
    let class = match (major(word), half) {
        (0x00, false) => Class::Data,
        (0x00, true) if matches!(operation, 0 | 1 | 5) => Class::Data,
        (0x20, _) if matches!(operation, 0 | 5) => Class::Data,
        (0x01, _) if operation > 3 => Class::Divide { double: !half },
        (0x01, _) if !half || operation == 0 => Class::Multiply,
        _ => return None,
    };
    Some(Instruction::of(class, rd(word), rs1(word).and(rs2(word))))
}

fn fence(word: u32) -> Option<Instruction> {
    match minor(word) {
        0 => Some(Instruction::new(Class::Fence)),
        1 => Some(Instruction::new(Class::Refetch)),
        _ => None,
    }
}

fn system(word: u32) -> Option<Instruction> {
    match minor(word) {
        0 => privileged(word),
        4 => None,
        _ => Some(control(word)),
    }
}

fn privileged(word: u32) -> Option<Instruction> {
    match word {
        0x0000_0073 | 0x0010_0073 => Some(Instruction::new(Class::Exception)),
        0x1020_0073 | 0x3020_0073 => Some(Instruction::new(Class::TrapReturn).going(Flow::Return)),
        0x1050_0073 => Some(Instruction::new(Class::Wait)),
        _ if major(word) == 9 && bits(word, 11, 7) == 0 => Some(Instruction::of(
            Class::Refetch, // SFENCE.VMA
            Registers::NONE,
            rs1(word).and(rs2(word)),
        )),
        _ => None,
    }
}

/// CSRRW, CSRRS, CSRRC, and with a constant.
fn control(word: u32) -> Instruction {
    let (operation, operand) = (minor(word), bits(word, 19, 15));
    let changes = operation & 3 == 1 || operand != 0;
    let read_only = bits(word, 31, 30) == 3;
    let class = match (changes, read_only) {
        (true, true) => Class::Exception,
        (true, false) => Class::WriteControl,
        (false, _) => Class::ReadControl,
    };
    let sources = if bit(operation, 2) {
        Registers::NONE
    } else {
        rs1(word)
    };
    Instruction::of(class, rd(word), sources)
}

fn atomic(word: u32) -> Option<Instruction> {
    let class = match bits(word, 31, 27) {
        0x02 if bits(word, 24, 20) == 0 => Class::LoadReserved,
        0x03 => Class::StoreConditional,
        0x00 | 0x01 | 0x04 | 0x08 | 0x0c | 0x10 | 0x14 | 0x18 | 0x1c => Class::Atomic,
        _ => return None,
    };
    let known = matches!(minor(word), 2 | 3);
    known.then(|| Instruction::of(class, rd(word), rs1(word).and(rs2(word))))
}
