//! T32 in the application profile: each instruction as the A32 instruction that does the same.
//!
//! The manual's tables of cycle timing name instructions, whichever of the two sets they are
//! encoded in, so what A32's classes say holds for T32's. An instruction that A32 lacks is taken
//! for what it is made of: CBZ for a branch that needs its register as BX does, TBB and TBH for a
//! load of the PC, ORN for ORR; IT, which only steers those after it, for a hint: it takes its
//! place at issue.
//!
//! Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition (DDI 0406), chapter
//! A6. Numbers in what is made of them are immediates of no meaning for timing.

use super::{Class, Instruction, Registers};
use crate::t32::{self, Flow};

/// The condition AL.
const AL: u32 = 0xe000_0000;

/// An instruction, sorted; `second` is read only where [`t32::size`] is four. `in_block`: an IT
/// instruction is before it, so that the short forms of arithmetic leave the flags alone.
/// `None`: undefined, or not among those that are modelled.
#[must_use]
pub fn classify(first: u16, second: u16, in_block: bool) -> Option<Instruction> {
    let (h, k) = (u32::from(first), u32::from(second));
    if t32::size(first) == 4 {
        wide(h, k)
    } else {
        t32::classify(first, 0)?;
        narrow(h, in_block)
    }
}

fn field(word: u32, low: u32) -> u32 {
    word >> low & 0xf
}

fn low(word: u32, low: u32) -> u32 {
    word >> low & 7
}

fn bit(word: u32, place: u32) -> u32 {
    word >> place & 1
}

fn a32(word: u32) -> Option<Instruction> {
    super::classify(word)
}

fn narrow(h: u32, in_block: bool) -> Option<Instruction> {
    let flags = u32::from(!in_block) << 20;
    let (rd, rn, rm) = (low(h, 0), low(h, 3), low(h, 6));
    let eight = low(h, 8); // the register of the forms with a constant of eight bits
    a32(AL
        | match h >> 11 {
            0b0_0000..=0b0_0010 => {
                0x01a0_0000 | flags | rd << 12 | (h >> 6 & 31) << 7 | (h >> 11) << 5 | rn
            }
            0b0_0011 => {
                let constant = bit(h, 10) << 25;
                let operation = if bit(h, 9) == 0 { 4 } else { 2 };
                operation << 21 | constant | flags | rn << 16 | rd << 12 | rm
            }
            0b0_0100 => 0x03a0_0000 | flags | eight << 12,
            0b0_0101 => 0x0350_0000 | eight << 16,
            0b0_0110 => 0x0280_0000 | flags | eight << 16 | eight << 12,
            0b0_0111 => 0x0240_0000 | flags | eight << 16 | eight << 12,
            0b0_1000 if bit(h, 10) == 0 => arithmetic(h, flags),
            0b0_1000 => high_registers(h),
            0b0_1001 => 0x059f_0000 | eight << 12,
            0b0_1010 | 0b0_1011 => by_register(h) | rn << 16 | rd << 12 | rm,
            0b0_1100..=0b0_1111 => {
                0x0580_0000 | bit(h, 12) << 22 | bit(h, 11) << 20 | rn << 16 | rd << 12
            }
            0b1_0000 | 0b1_0001 => 0x01c0_00b0 | bit(h, 11) << 20 | rn << 16 | rd << 12,
            0b1_0010 | 0b1_0011 => 0x058d_0000 | bit(h, 11) << 20 | eight << 12,
            0b1_0100 => 0x028f_0000 | eight << 12,
            0b1_0101 => 0x028d_0000 | eight << 12,
            0b1_0110 | 0b1_0111 => return miscellaneous(h),
            0b1_1000 => 0x08a0_0000 | eight << 16 | h & 0xff,
            0b1_1001 => {
                let back = bit(!h, eight) << 21;
                0x0890_0000 | back | eight << 16 | h & 0xff
            }
            0b1_1010 | 0b1_1011 => match field(h, 8) {
                14 => 0x07f0_00f0,
                15 => 0x0f00_0000,
                condition => return a32(condition << 28 | 0x0a00_0000),
            },
            _ => 0x0a00_0000,
        })
}

/// Two low registers, of which the first is also the result.
fn arithmetic(h: u32, flags: u32) -> u32 {
    let (rd, rm) = (low(h, 0), low(h, 3));
    let by = |shift: u32| 0x01a0_0010 | flags | rd << 12 | rm << 8 | shift << 5 | rd;
    match field(h, 6) {
        2 => by(0),
        3 => by(1),
        4 => by(2),
        7 => by(3),
        9 => 0x0260_0000 | flags | rm << 16 | rd << 12,
        13 => 0x90 | flags | rd << 16 | rd << 8 | rm,
        15 => 0x01e0_0000 | flags | rd << 12 | rm,
        compare @ (8 | 10 | 11) => compare << 21 | 1 << 20 | rd << 16 | rm,
        other => other << 21 | flags | rd << 16 | rd << 12 | rm,
    }
}

fn high_registers(h: u32) -> u32 {
    let (rd, rm) = (bit(h, 7) << 3 | low(h, 0), field(h, 3));
    match (h >> 8 & 3, bit(h, 7)) {
        (0, _) => 0x0080_0000 | rd << 16 | rd << 12 | rm,
        (1, _) => 0x0150_0000 | rd << 16 | rm,
        (2, _) => 0x01a0_0000 | rd << 12 | rm,
        (_, 0) => 0x012f_ff10 | rm,
        _ => 0x012f_ff30 | rm,
    }
}

/// Loads and stores at the sum of two registers.
fn by_register(h: u32) -> u32 {
    match low(h, 9) {
        0 => 0x0780_0000,
        1 => 0x0180_00b0,
        2 => 0x07c0_0000,
        3 => 0x0190_00d0,
        4 => 0x0790_0000,
        5 => 0x0190_00b0,
        6 => 0x07d0_0000,
        _ => 0x0190_00f0,
    }
}

fn miscellaneous(h: u32) -> Option<Instruction> {
    let registers = low(h, 0) << 12 | low(h, 3);
    a32(match field(h, 8) {
        0 if bit(h, 7) == 0 => AL | 0x028d_d000,
        0 => AL | 0x024d_d000,
        1 | 3 | 9 | 11 => return Some(compare_and_branch(low(h, 0))),
        2 => {
            AL | registers
                | [0x06bf_0070, 0x06af_0070, 0x06ff_0070, 0x06ef_0070][(h >> 6 & 3) as usize]
        }
        4 | 5 => AL | 0x092d_0000 | bit(h, 8) << 14 | h & 0xff,
        6 => 0xf108_0000,
        10 => AL | registers | [0x06bf_0f30, 0x06bf_0fb0, 0, 0x06ff_0fb0][(h >> 6 & 3) as usize],
        12 | 13 => AL | 0x08bd_0000 | bit(h, 8) << 15 | h & 0xff,
        14 => AL | 0x0120_0070,
        15 => AL | 0x0320_f000, // hints, and IT
        _ => return None,
    })
}

fn compare_and_branch(register: u32) -> Instruction {
    let mut branch = Instruction::new(Class::Branch);
    branch.flow = Flow::Branch;
    branch.early = Registers::one(register);
    branch
}

fn wide(h: u32, k: u32) -> Option<Instruction> {
    let both = h << 16 | k;
    match h >> 8 {
        0xef | 0xff => return a32(0xf200_0000 | bit(h, 12) << 24 | both & 0x00ff_ffff),
        0xec..=0xee | 0xfc..=0xfe => return a32(both), // the same in both
        _ => {}
    }
    match (h >> 11 & 3, h >> 9 & 3) {
        (1, 0) if bit(h, 6) == 0 => multiple(h, k),
        (1, 0) => double_or_exclusive(h, k),
        (1, _) => shifted_register(h, k),
        (2, _) if bit(k, 15) == 1 => control(h, k),
        (2, 0 | 2) => modified_immediate(h, k),
        (2, _) => plain_immediate(h, k),
        (3, 0) => single(h, k),
        (3, 1) if bit(h, 8) == 0 => register_data(h, k),
        (3, 1) => multiply(h, k),
        _ => None,
    }
}

/// Returns the class by the decoder for the other profile, which defines the same encodings.
fn defined(h: u32, k: u32) -> Option<t32::Class> {
    t32::classify(h as u16, k as u16)
}

fn multiple(h: u32, k: u32) -> Option<Instruction> {
    let (rn, back) = (field(h, 0), bit(h, 5) << 21);
    match (h >> 7 & 3, bit(h, 4)) {
        (1 | 2, _) => a32(h << 16 | k),
        (_, 0) if h & 0xf == 13 && k & 0xffe0 == 0xc000 => a32(0xf84d_0500 | back),
        (_, 1) if k == 0xc000 => a32(0xf810_0a00 | back | rn << 16),
        _ => None,
    }
}

fn double_or_exclusive(h: u32, k: u32) -> Option<Instruction> {
    let (rn, rt, rd) = (field(h, 0), field(k, 12), field(k, 8));
    let load = bit(h, 4) == 1;
    // Load and store of one size: the fields of the result and of the stored register differ.
    let exclusive = |size: u32, status: u32| match load {
        true => a32(AL | 0x0190_0f9f | size | rn << 16 | rt << 12),
        false => a32(AL | 0x0180_0f90 | size | rn << 16 | status << 12 | rt),
    };
    match (h >> 7 & 3, bit(h, 5), field(k, 4)) {
        (0, 0, _) => exclusive(0, rd),
        (0 | 2 | 3, ..) | (_, 1, _) => double(h, (rt, rd)),
        (_, _, 0 | 1) if load => a32(AL | 0x0790_f000 | rn << 16 | bit(k, 4) << 7 | field(k, 0)),
        (_, _, 4) => exclusive(4 << 20, field(k, 0)),
        (_, _, 5) => exclusive(6 << 20, field(k, 0)),
        (_, _, 7) => exclusive(2 << 20, field(k, 0)).map(|found| with_pair(found, (rt, rd))),
        _ => None,
    }
}

/// LDRD, STRD.
fn double(h: u32, pair: (u32, u32)) -> Option<Instruction> {
    let kind = if bit(h, 4) == 1 { 0xd0 } else { 0xf0 };
    let how = bit(h, 8) << 24 | bit(h, 7) << 23 | (bit(h, 8) & bit(h, 5)) << 21;
    let found = a32(AL | 0x0040_0000 | how | kind | field(h, 0) << 16);
    found.map(|found| with_pair(found, pair))
}

/// Any two registers in place of a register and the next one.
fn with_pair(mut found: Instruction, (one, other): (u32, u32)) -> Instruction {
    let pair = Registers::one(one).and(Registers::one(other));
    let store = matches!(
        found.class,
        Class::Double { store: true } | Class::Exclusive { store: true }
    );
    let moved = if store {
        &mut found.stored
    } else {
        &mut found.results
    };
    *moved = pair;
    found
}

/// The A32 form of an operation on two operands, of which the second is still missing.
fn operation(h: u32, k: u32) -> Option<u32> {
    let (rn, rd, flags) = (field(h, 0), field(k, 8), bit(h, 4));
    let compare = |operation: u32| operation << 21 | 1 << 20 | rn << 16;
    let compares = rd == 15 && flags == 1;
    let moves = |operation: u32| operation << 21 | flags << 20 | rd << 12;
    let plain = |operation: u32| operation << 21 | flags << 20 | rn << 16 | rd << 12;
    Some(
        AL | match h >> 5 & 0xf {
            0 if compares => compare(8),
            0 => plain(0),
            1 => plain(14),
            2 if rn == 15 => moves(13),
            3 if rn == 15 => moves(15),
            2 | 3 => plain(12),
            4 if compares => compare(9),
            4 => plain(1),
            8 if compares => compare(11),
            8 => plain(4),
            10 => plain(5),
            11 => plain(6),
            13 if compares => compare(10),
            13 => plain(2),
            14 => plain(3),
            _ => return None,
        },
    )
}

fn shifted_register(h: u32, k: u32) -> Option<Instruction> {
    defined(h, k)?;
    let amount = (k >> 12 & 7) << 2 | k >> 6 & 3;
    let kind = k >> 4 & 3;
    let second = amount << 7 | kind << 5 | field(k, 0);
    if h >> 5 & 0xf == 6 {
        let registers = field(h, 0) << 16 | field(k, 8) << 12;
        return a32(AL | 0x0680_0010 | registers | amount << 7 | (kind & 2) << 5 | field(k, 0));
    }
    a32(operation(h, k)? | second)
}

fn modified_immediate(h: u32, k: u32) -> Option<Instruction> {
    defined(h, k)?;
    a32(operation(h, k)? | 1 << 25 | 1)
}

fn plain_immediate(h: u32, k: u32) -> Option<Instruction> {
    let (rn, rd) = (field(h, 0), field(k, 8) << 12);
    a32(AL
        | rd
        | match h >> 4 & 0x1f {
            0x00 => 0x0280_0000 | rn << 16,
            0x0a => 0x0240_0000 | rn << 16,
            0x04 => 0x0300_0000,
            0x0c => 0x0340_0000,
            0x10 | 0x12 => 0x06a0_0010 | rn,
            0x18 | 0x1a => 0x06e0_0010 | rn,
            0x14 => 0x07a0_0050 | rn,
            0x1c => 0x07e0_0050 | rn,
            0x16 => 0x07c0_0010 | rn,
            _ => return None,
        })
}

fn control(h: u32, k: u32) -> Option<Instruction> {
    let operation = h >> 4 & 0x7f;
    let conditional = operation & 0x38 != 0x38;
    a32(match k >> 12 & 7 {
        0 | 2 if conditional => (h >> 6 & 0xf) << 28 | 0x0a00_0000,
        0 | 2 => return system(operation, h, k),
        1 | 3 => AL | 0x0a00_0000,
        5 | 7 => AL | 0x0b00_0000,
        _ if bit(k, 0) == 0 => 0xfa00_0000,
        _ => return None,
    })
}

fn system(operation: u32, h: u32, k: u32) -> Option<Instruction> {
    a32(match (operation, k >> 12 & 7) {
        (0x38 | 0x39, _) => AL | 0x0128_f000 | field(h, 0),
        (0x3a, _) if k & 0x700 == 0 => AL | 0x0320_f000,
        (0x3a, _) => 0xf108_0000,
        (0x3b, _) => match field(k, 4) {
            2 => 0xf57f_f01f,
            4 => 0xf57f_f04f,
            5 => 0xf57f_f05f,
            6 => 0xf57f_f06f,
            _ => return None,
        },
        (0x3d, _) => AL | 0x025e_f000,
        (0x3e | 0x3f, _) => AL | 0x010f_0000 | field(k, 8) << 12,
        (0x7f, 0) => AL | 0x0160_0070,
        (0x7f, 2) => AL | 0x07f0_00f0,
        _ => return None,
    })
}

/// Loads and stores of at most a word, and hints to load.
fn single(h: u32, k: u32) -> Option<Instruction> {
    let (rn, rt, rm) = (field(h, 0), field(k, 12), field(k, 0));
    let (size, load, signed) = (h >> 5 & 3, bit(h, 4), bit(h, 8));
    defined(h, k)?;
    let absolute = rn == 15 || bit(h, 7) == 1;
    let offset = !absolute && bit(k, 11) == 0;
    if offset && k >> 6 & 0x3f != 0 {
        return None;
    }
    if size < 2 && load == 1 && rt == 15 {
        let by_register = if offset { 0x0200_0000 | rm } else { 0 };
        return a32(0xf5d0_f000 | by_register | rn << 16);
    }
    // Before, up, back: of the forms with a short constant; the others have an offset.
    let (before, back) = match absolute || offset {
        true => (1, 0),
        false => (bit(k, 10), bit(k, 10) & bit(k, 8)),
    };
    if !absolute && !offset && before == 0 && bit(k, 8) == 0 {
        return None;
    }
    let shift = if offset { k >> 4 & 3 } else { 0 };
    let word = AL | before << 24 | 1 << 23 | back << 21 | load << 20 | rn << 16 | rt << 12;
    let found = match (signed, size) {
        (0, 0 | 2) if offset => word | 0x0600_0000 | bit(!size, 1) << 22 | shift << 7 | rm,
        (0, 0 | 2) => word | 0x0400_0000 | bit(!size, 1) << 22,
        (signed, size) => {
            let kind = [0xb0, 0xd0, 0xf0][(signed + signed * size) as usize];
            word | kind | if offset { rm } else { 1 << 22 }
        }
    };
    a32(found).map(|mut found| {
        // A32 has no shifted offset for halfwords.
        if let Class::Single { shifted, .. } = &mut found.class {
            *shifted = !matches!(shift, 0 | 2);
        }
        found
    })
}

fn register_data(h: u32, k: u32) -> Option<Instruction> {
    defined(h, k)?;
    let (operation, second) = (field(h, 4), field(k, 4));
    let (rn, rd, rm) = (field(h, 0), field(k, 8), field(k, 0));
    let three = rn << 16 | rd << 12 | rm;
    a32(AL
        | match (operation, second) {
            (0..=7, 0) => {
                0x01a0_0010 | bit(h, 4) << 20 | rd << 12 | rm << 8 | (operation >> 1) << 5 | rn
            }
            (0..=5, _) => {
                let extend = [0x06b0, 0x06f0, 0x0680, 0x06c0, 0x06a0, 0x06e0];
                extend[operation as usize] << 16 | 0x70 | three
            }
            (_, 0..=7) => 0x0610_0f10 | three,
            (8, _) => 0x0100_0050 | three,
            (9, _) => 0x06bf_0f30 | rd << 12 | rm,
            (10, _) => 0x0680_0fb0 | three,
            _ => 0x016f_0f10 | rd << 12 | rm,
        })
}

fn multiply(h: u32, k: u32) -> Option<Instruction> {
    defined(h, k)?;
    let (ra, rd) = (field(k, 12), field(k, 8));
    let registers = rd << 16 | field(k, 0) << 8 | field(h, 0);
    let accumulated = ra << 12;
    let (operation, second) = (h >> 4 & 7, field(k, 4));
    let short = |alone: u32, with: u32| match ra {
        15 => alone,
        _ => with | accumulated,
    };
    let word = match (bit(h, 7), operation, second) {
        (0, 0, 0) => short(0x90, 0x0020_0090),
        (0, 0, _) => 0x0060_0090 | accumulated,
        (0, 1, _) => short(0x0160_0080, 0x0100_0080),
        (0, 2, _) => 0x0700_0010 | accumulated,
        (0, 3, _) => short(0x0120_00a0, 0x0120_0080),
        (0, 4, _) => 0x0700_0050 | accumulated,
        (0, 5, _) => 0x0750_0010 | accumulated,
        (0, 6, _) => 0x0750_00d0 | accumulated,
        (0, _, _) => 0x0780_0010 | accumulated,
        (_, 0, _) => 0x00c0_0090 | accumulated,
        (_, 2, _) => 0x0080_0090 | accumulated,
        (_, 4, 0) => 0x00e0_0090 | accumulated,
        (_, 4, 8..=11) => 0x0140_0080 | accumulated,
        (_, 4, _) => 0x0740_0010 | accumulated,
        (_, 5, _) => 0x0740_0050 | accumulated,
        (_, 6, 0) => 0x00a0_0090 | accumulated,
        (_, 6, _) => 0x0040_0090 | accumulated,
        _ => return None, // division, which this core lacks
    };
    a32(AL | word | registers)
}

#[cfg(test)]
mod tests;
