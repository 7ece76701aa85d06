//! The 32-bit encodings.

use super::{Class, Flow, Product, float};

pub(super) fn classify(h: u16, k: u16) -> Option<Class> {
    let group = h >> 4 & 0x7f;
    if h & 0xfc00 == 0xec00 {
        return float::classify(h, k);
    }
    match h >> 11 & 3 {
        0b01 if group & 0x64 == 0x00 => load_store_multiple(h, k),
        0b01 if group & 0x64 == 0x04 => double_or_exclusive(h, k),
        0b01 => shifted_register(h, k),
        0b10 if k & 0x8000 == 0 && h & 0x200 == 0 => modified_immediate(h),
        0b10 if k & 0x8000 == 0 => plain_immediate(h),
        0b10 => branch_or_control(h, k),
        0b11 if group & 0x40 != 0 => None, // the second coprocessor space: none on this core
        0b11 if group & 0x71 == 0x00 => store_single(h, k),
        0b11 if group & 0x61 == 0x01 => load_single(h, k),
        0b11 if group & 0x70 == 0x20 => register_data(h, k),
        0b11 if group & 0x78 == 0x30 => multiply(h, k),
        0b11 if group & 0x78 == 0x38 => long_multiply_or_divide(h, k),
        _ => None,
    }
}

fn load_store_multiple(h: u16, k: u16) -> Option<Class> {
    if !matches!(h >> 7 & 3, 0b01 | 0b10) {
        return None;
    }
    let store = h & 0x10 == 0;
    let flow = if !store && k & 0x8000 != 0 {
        Flow::Return
    } else {
        Flow::Next
    };
    super::multiple(store, k, flow)
}

fn double_or_exclusive(h: u16, k: u16) -> Option<Class> {
    let load = h & 0x10 != 0;
    if h >> 7 & 3 == 0 && h & 0x20 == 0 {
        return Some(Class::Exclusive { store: !load });
    }
    if h >> 7 & 3 != 1 || h & 0x20 != 0 {
        return Some(Class::Double { store: !load });
    }
    match (load, k >> 4 & 0xf) {
        (true, 0b0000 | 0b0001) => Some(Class::TableBranch),
        (_, 0b0100 | 0b0101) => Some(Class::Exclusive { store: !load }),
        // Armv8-M's, which order other accesses: LDA, STL; LDAEX, STLEX.
        (_, 0b1000..=0b1010) => Some(Class::Single {
            store: !load,
            flow: Flow::Next,
        }),
        (_, 0b1100..=0b1110) => Some(Class::Exclusive { store: !load }),
        _ => None,
    }
}

fn shifted_register(h: u16, k: u16) -> Option<Class> {
    // PKHTB and the other 6 encodings that have a meaning.
    let defined = matches!(h >> 5 & 0xf, 0..=4 | 6 | 8 | 10 | 11 | 13 | 14) && k & 0x8000 == 0;
    defined.then_some(Class::DATA)
}

fn modified_immediate(h: u16) -> Option<Class> {
    matches!(h >> 5 & 0xf, 0..=4 | 8 | 10 | 11 | 13 | 14).then_some(Class::DATA)
}

fn plain_immediate(h: u16) -> Option<Class> {
    let operation = h >> 4 & 0x1f;
    let defined = matches!(
        operation,
        0x00 | 0x04 | 0x0a | 0x0c | 0x10 | 0x12 | 0x14 | 0x16 | 0x18 | 0x1a | 0x1c
    );
    defined.then_some(Class::DATA)
}

fn branch_or_control(h: u16, k: u16) -> Option<Class> {
    let operation = h >> 4 & 0x7f;
    match k >> 12 & 7 {
        0b000 | 0b010 if operation & 0x38 != 0x38 => Some(Class::Branch(Flow::Branch)),
        0b000 | 0b010 => control(operation, k),
        0b001 | 0b011 | 0b101 | 0b111 => Some(Class::Branch(Flow::Branch)),
        _ => None, // BLX to A32: not on this profile
    }
}

fn control(operation: u16, k: u16) -> Option<Class> {
    match operation {
        0x38 | 0x39 | 0x3e | 0x3f => Some(Class::System),
        0x3a if k & 0x700 == 0 => Some(Class::DATA),
        0x3b if matches!(k >> 4 & 0xf, 2 | 4 | 5 | 6) => Some(Class::System),
        0x7f if k >> 12 & 7 == 2 => Some(Class::Exception),
        _ => None,
    }
}

fn store_single(h: u16, _k: u16) -> Option<Class> {
    let defined = h >> 5 & 3 != 3 && h & 0xf != 0xf;
    defined.then_some(Class::STORE)
}

fn load_single(h: u16, k: u16) -> Option<Class> {
    let word = h >> 5 & 3 == 2;
    if h >> 5 & 3 == 3 || (word && h & 0x100 != 0) {
        return None;
    }
    let to_pc = word && k >> 12 == 0xf;
    Some(Class::Single {
        store: false,
        flow: if to_pc { Flow::Return } else { Flow::Next },
    })
}

fn register_data(h: u16, k: u16) -> Option<Class> {
    let (operation, second) = (h >> 4 & 0xf, k >> 4 & 0xf);
    let defined = k >> 12 == 0xf
        && match (operation < 8, second) {
            (true, 0) => true,                       // shifts by register
            (true, 8..=15) => operation < 6,         // extensions
            (false, 0..=7) => operation & 7 < 7,     // parallel addition, subtraction
            (false, 8..=11) => operation & 0xc == 8, // saturation, reversal, SEL, CLZ
            _ => false,
        };
    defined.then_some(Class::DATA)
}

fn multiply(h: u16, k: u16) -> Option<Class> {
    let most = match h >> 4 & 7 {
        1 => 3,
        7 => 0,
        _ => 1,
    };
    let product = match (h >> 4 & 7, k >> 12) {
        (0, 0..=14) => Product::Accumulated,
        _ => Product::Plain,
    };
    (k >> 4 & 0xf <= most).then_some(Class::Multiply(product))
}

fn long_multiply_or_divide(h: u16, k: u16) -> Option<Class> {
    match (h >> 4 & 7, k >> 4 & 0xf) {
        (1 | 3, 0xf) => Some(Class::Divide),
        (0 | 2, 0) => Some(Class::Multiply(Product::Long)),
        (4, 0 | 8..=13) | (5, 12 | 13) | (6, 0 | 6) => {
            Some(Class::Multiply(Product::LongAccumulated))
        }
        _ => None,
    }
}
