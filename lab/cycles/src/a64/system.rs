//! Branches, exceptions and system instructions (DDI 0487, C4.1.3).

use super::{Class, Instruction, Registers, bit, bits, rd, rn};
use crate::t32::Flow;

pub(super) fn classify(word: u32) -> Option<Instruction> {
    match bits(word, 31, 24) {
        0x14..=0x17 | 0x94..=0x97 => Some(branch(word >> 31 == 1)),
        0x34 | 0x35 | 0xb4 | 0xb5 | 0x36 | 0x37 | 0xb6 | 0xb7 => Some(test(word)),
        0x54 if !bit(word, 4) => {
            let mut found = branch(false);
            found.reads_flags = true;
            Some(found)
        }
        0xd4 => exception(word),
        0xd5 if bits(word, 23, 22) == 0 => system(word),
        0xd6 => branch_register(word),
        _ => None,
    }
}

fn branch(links: bool) -> Instruction {
    let mut found = Instruction::new(Class::Branch);
    found.flow = Flow::Branch;
    if links {
        found.results = Registers::core(30);
    }
    found
}

/// CBZ, CBNZ, TBZ, TBNZ.
fn test(word: u32) -> Instruction {
    let mut found = branch(false);
    found.late = Registers::core(rd(word));
    found
}

fn exception(word: u32) -> Option<Instruction> {
    let known = match (bits(word, 23, 21), bits(word, 1, 0)) {
        (0b000 | 0b101, level) => level != 0, // SVC, HVC, SMC; DCPS
        (0b001 | 0b010, level) => level == 0, // BRK; HLT
        _ => false,
    };
    (known && bits(word, 4, 2) == 0).then(|| Instruction::new(Class::Exception))
}

/// BR, BLR, RET, ERET.
fn branch_register(word: u32) -> Option<Instruction> {
    if word & 0x001f_fc1f != 0x001f_0000 {
        return None;
    }
    let mut found = match bits(word, 24, 21) {
        0b0000 | 0b0010 => branch(false),
        0b0001 => branch(true),
        0b0100 if rn(word) == 31 => {
            let mut back = Instruction::new(Class::ExceptionReturn);
            back.flow = Flow::Return;
            return Some(back);
        }
        _ => return None,
    };
    found.late = Registers::core(rn(word));
    Some(found)
}

/// The flags as a system register: op0 3, op1 3, CRn 4, CRm 2, op2 0.
const NZCV: u32 = 3 << 14 | 3 << 11 | 4 << 7 | 2 << 3;

fn system(word: u32) -> Option<Instruction> {
    let (reads, space) = (bit(word, 21), bits(word, 20, 19));
    let operand = Registers::core(rd(word));
    let flags = bits(word, 20, 5) == NZCV;
    match space {
        0 if !reads && rd(word) == 31 => without_register(word).map(Instruction::new),
        1 if !reads && matches!(bits(word, 15, 12), 7 | 8) => {
            let mut found = Instruction::new(Class::Maintain);
            found.early = operand;
            Some(found)
        }
        2 | 3 if reads => {
            let mut found = Instruction::new(Class::ReadSystem);
            found.results = operand;
            found.reads_flags = flags;
            Some(found)
        }
        2 | 3 => {
            let mut found = Instruction::new(Class::WriteSystem);
            found.early = operand;
            found.sets_flags = flags;
            Some(found)
        }
        _ => None,
    }
}

/// Hints, barriers, and constants to the processor's state.
fn without_register(word: u32) -> Option<Class> {
    let (first, which, second) = (bits(word, 18, 16), bits(word, 15, 12), bits(word, 7, 5));
    match (which, first, second) {
        (2, 3, _) => Some(Class::Hint),
        (3, 3, 2 | 4 | 5) => Some(Class::Barrier),
        (3, 3, 6) => Some(Class::InstructionBarrier),
        (4, 0, 5) | (4, 3, 6 | 7) => Some(Class::WriteState), // SPSel; DAIFSet, DAIFClr
        _ => None,
    }
}
