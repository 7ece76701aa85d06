//! Instructions of two bytes (chapter 27, "C" extension, tables of RVC quadrants).

use super::{Class, Instruction, Registers, bit, bits};
use crate::t32::Flow;

const LINK: u32 = 1;
const STACK: u32 = 2;

fn integer(number: u32) -> Registers {
    Registers::integer(number)
}

/// One of the eight registers that three bits name.
fn popular(word: u32, low: u32) -> u32 {
    8 + bits(word, low + 2, low)
}

/// The field of a result, and of the first operand, in full.
fn rd(word: u32) -> u32 {
    bits(word, 11, 7)
}

fn rs2(word: u32) -> u32 {
    bits(word, 6, 2)
}

pub(super) fn classify(word: u32) -> Option<Instruction> {
    match word & 3 {
        0 => first(word),
        1 => second(word),
        _ => third(word),
    }
}

fn data(result: u32, sources: Registers) -> Option<Instruction> {
    Some(Instruction::of(Class::Data, integer(result), sources))
}

fn load(bytes: u8, result: Registers, base: u32) -> Option<Instruction> {
    Some(Instruction::of(
        Class::Load { bytes },
        result,
        integer(base),
    ))
}

fn store(value: Registers, base: u32) -> Option<Instruction> {
    let sources = value.and(integer(base));
    Some(Instruction::of(Class::Store, Registers::NONE, sources))
}

fn first(word: u32) -> Option<Instruction> {
    let (base, other) = (popular(word, 7), popular(word, 2));
    match bits(word, 15, 13) {
        0 if word == 0 => Some(Instruction::new(Class::Exception)),
        0 if bits(word, 12, 5) != 0 => data(other, integer(STACK)), // ADDI4SPN
        1 => load(8, Registers::float(other), base),
        2 => load(4, integer(other), base),
        3 => load(8, integer(other), base),
        5 => store(Registers::float(other), base),
        6 | 7 => store(integer(other), base),
        _ => None,
    }
}

fn second(word: u32) -> Option<Instruction> {
    let nonzero = bit(word, 12) || bits(word, 6, 2) != 0;
    match (bits(word, 15, 13), rd(word)) {
        (0, rd) => data(rd, integer(rd)),                     // ADDI, NOP
        (1, 1..) => data(rd(word), integer(rd(word))),        // ADDIW
        (2, rd) => data(rd, Registers::NONE),                 // LI
        (3, STACK) if nonzero => data(STACK, integer(STACK)), // ADDI16SP
        (3, rd) if nonzero => data(rd, Registers::NONE),      // LUI
        (4, _) => arithmetic(word),
        (5, _) => Some(Instruction::new(Class::Branch).going(Flow::Branch)), // J
        (6 | 7, _) => {
            let source = integer(popular(word, 7));
            let branch = Instruction::of(Class::Branch, Registers::NONE, source);
            Some(branch.going(Flow::Branch))
        }
        _ => None,
    }
}

fn arithmetic(word: u32) -> Option<Instruction> {
    let (result, other) = (popular(word, 7), popular(word, 2));
    match (bits(word, 11, 10), bit(word, 12), bits(word, 6, 5)) {
        (3, true, 2..) => None,
        (3, ..) => data(result, integer(result).and(integer(other))),
        _ => data(result, integer(result)), // SRLI, SRAI, ANDI
    }
}

fn third(word: u32) -> Option<Instruction> {
    let (rd, rs2) = (rd(word), rs2(word));
    match bits(word, 15, 13) {
        0 => data(rd, integer(rd)), // SLLI
        1 => load(8, Registers::float(rd), STACK),
        2 if rd != 0 => load(4, integer(rd), STACK),
        3 if rd != 0 => load(8, integer(rd), STACK),
        4 => moves_and_jumps(bit(word, 12), rd, rs2),
        5 => store(Registers::float(rs2), STACK),
        6 | 7 => store(integer(rs2), STACK),
        _ => None,
    }
}

fn moves_and_jumps(second: bool, rd: u32, rs2: u32) -> Option<Instruction> {
    match (second, rd, rs2) {
        (false, 0, 0) => None,
        (true, 0, 0) => Some(Instruction::new(Class::Exception)), // EBREAK
        (_, _, 0) => {
            let link = if second { LINK } else { 0 };
            let jump = Instruction::of(Class::Branch, integer(link), integer(rd));
            Some(jump.going(Flow::Branch))
        }
        (false, ..) => data(rd, integer(rs2)),
        (true, ..) => data(rd, integer(rd).and(integer(rs2))),
    }
}
