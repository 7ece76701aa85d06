//! Floating point: F and D.

use super::word::{minor, rd, rs1};
use super::{Arithmetic, Class, Instruction, Registers, bits};

fn fd(word: u32) -> Registers {
    Registers::float(bits(word, 11, 7))
}

fn fs1(word: u32) -> Registers {
    Registers::float(bits(word, 19, 15))
}

fn fs2(word: u32) -> Registers {
    Registers::float(bits(word, 24, 20))
}

fn fs3(word: u32) -> Registers {
    Registers::float(bits(word, 31, 27))
}

pub(super) fn classify(word: u32) -> Option<Instruction> {
    match bits(word, 6, 0) {
        0x07 => {
            let bytes = bytes(word)?;
            Some(Instruction::of(Class::Load { bytes }, fd(word), rs1(word)))
        }
        0x27 => {
            bytes(word)?;
            let sources = rs1(word).and(fs2(word));
            Some(Instruction::of(Class::Store, Registers::NONE, sources))
        }
        0x53 => arithmetic(word),
        _ => fused(word),
    }
}

/// Of single or double precision.
fn bytes(word: u32) -> Option<u8> {
    match minor(word) {
        2 => Some(4),
        3 => Some(8),
        _ => None,
    }
}

fn precision(word: u32) -> Option<bool> {
    match bits(word, 26, 25) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Two of the rounding modes are reserved.
fn rounds(word: u32) -> bool {
    !matches!(minor(word), 5 | 6)
}

fn fused(word: u32) -> Option<Instruction> {
    if !rounds(word) {
        return None;
    }
    let class = Class::Float {
        kind: Arithmetic::Multiply,
        double: precision(word)?,
    };
    let sources = fs1(word).and(fs2(word)).and(fs3(word));
    Some(Instruction::of(class, fd(word), sources))
}

fn arithmetic(word: u32) -> Option<Instruction> {
    let double = precision(word)?;
    let (second, operation) = (bits(word, 24, 20), minor(word));
    let two = |kind| {
        let class = Class::Float { kind, double };
        Instruction::of(class, fd(word), fs1(word).and(fs2(word)))
    };
    let moves = |results, sources| Instruction::of(Class::FloatMove, results, sources);
    let found = match bits(word, 31, 27) {
        0 | 1 if rounds(word) => two(Arithmetic::Add),
        2 if rounds(word) => two(Arithmetic::Multiply),
        3 if rounds(word) => two(Arithmetic::Divide),
        4 if operation < 3 => two(Arithmetic::Add), // sign injection
        5 if operation < 2 => two(Arithmetic::Add), // FMIN, FMAX
        11 if second == 0 && rounds(word) => {
            let class = Class::Float {
                kind: Arithmetic::SquareRoot,
                double,
            };
            Instruction::of(class, fd(word), fs1(word))
        }
        8 if second == u32::from(!double) && rounds(word) => moves(fd(word), fs1(word)),
        20 if operation < 3 => moves(rd(word), fs1(word).and(fs2(word))),
        24 if second < 4 && rounds(word) => moves(rd(word), fs1(word)),
        28 if second == 0 && operation < 2 => moves(rd(word), fs1(word)),
        26 if second < 4 && rounds(word) => moves(fd(word), rs1(word)),
        30 if second == 0 && operation == 0 => moves(fd(word), rs1(word)),
        _ => return None,
    };
    Some(found)
}
