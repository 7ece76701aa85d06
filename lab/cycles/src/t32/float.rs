//! The floating-point encodings (FPv4-SP): single precision, and moves of doubles.

use super::Class;

pub(super) fn classify(h: u16, k: u16) -> Option<Class> {
    let double = match k >> 8 & 0xf {
        0xa => false,
        0xb => true,
        _ => return None, // no other coprocessor on this core
    };
    match h >> 8 & 3 {
        0b00 | 0b01 if h & 0xffe0 == 0xec40 && k & 0xd0 == 0x10 => Some(Class::FloatPair),
        0b00 | 0b01 => load_store(h, k, double),
        0b10 if k & 0x10 != 0 => transfer(h, k, double),
        0b10 if !double => arithmetic(h, k),
        _ => None,
    }
}

/// VMOV of one register, VMRS, VMSR; of a double register only a half.
fn transfer(h: u16, k: u16, double: bool) -> Option<Class> {
    let defined = match h >> 5 & 7 {
        0 | 1 if double => k >> 5 & 3 == 0,
        0 | 7 => !double,
        _ => false,
    };
    defined.then_some(Class::FloatData)
}

fn load_store(h: u16, k: u16, double: bool) -> Option<Class> {
    let store = h & 0x10 == 0;
    let (pre, up, back) = (h & 0x100 != 0, h & 0x80 != 0, h & 0x20 != 0);
    match (pre, up, back) {
        (true, _, false) => Some(Class::FloatSingle { store, double }),
        (false, true, _) | (true, false, true) => {
            let words = words(h, k, double)?;
            Some(Class::FloatMultiple { store, words })
        }
        _ => None,
    }
}

/// The words of a multiple load or store: at least one, and none past the last register.
fn words(h: u16, k: u16, double: bool) -> Option<u8> {
    let (four, one, words) = (k >> 12 & 0xf, h >> 6 & 1, k & 0xff);
    let first = if double {
        (one << 4 | four) * 2
    } else {
        four << 1 | one
    };
    (words > 0 && first + words <= 32).then_some(words as u8)
}

fn arithmetic(h: u16, k: u16) -> Option<Class> {
    let negated = k & 0x40 != 0;
    match h >> 4 & 0xb {
        0b0000 | 0b0001 | 0b1001 | 0b1010 => Some(Class::FloatAccumulate),
        0b0010 | 0b0011 => Some(Class::FloatData),
        0b1000 if !negated => Some(Class::FloatDivide),
        0b1011 => other(h, k),
        _ => None,
    }
}

fn other(h: u16, k: u16) -> Option<Class> {
    if k & 0x40 == 0 {
        return Some(Class::FloatData); // VMOV of an immediate
    }
    match (h & 0xf, k & 0x80 != 0) {
        (1, true) => Some(Class::FloatDivide), // VSQRT
        (0..=5 | 8 | 10..=15, _) => Some(Class::FloatData),
        _ => None,
    }
}
