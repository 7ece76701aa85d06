//! Images for tests, written field by field.

use taktos_elf::{Room, Target, Use};

pub const CODE: Room = Room {
    base: 0x1_0000,
    size: 0x1000,
    usage: Use::Execute,
};
pub const DATA: Room = Room {
    base: 0x2_0000,
    size: 0x1000,
    usage: Use::Write,
};
pub const ROOMS: [Room; 2] = [CODE, DATA];

pub const READ: u32 = 4;
pub const WRITE: u32 = 2;
pub const EXECUTE: u32 = 1;

/// A program header.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub file: u64,
    pub memory: u64,
}

/// Where the segments' bytes begin in the image.
pub const BYTES: usize = 0x200;
/// How many there are.
const LENGTH: usize = 0x200;

/// Code and data, as a linker places them.
pub fn usual() -> Vec<Made> {
    let code = Made {
        kind: 1,
        flags: READ | EXECUTE,
        offset: BYTES as u64,
        address: CODE.base,
        file: 0x80,
        memory: 0x80,
    };
    let data = Made {
        flags: READ | WRITE,
        offset: BYTES as u64 + 0x80,
        address: DATA.base + 0x10,
        file: 0x20,
        memory: 0x100,
        ..code
    };
    vec![code, data]
}

/// An image of these segments, that begins at `entry`.
pub fn image(target: Target, entry: u64, segments: &[Made]) -> Vec<u8> {
    let mut image = b"\x7FELF".to_vec();
    image.extend([1 + u8::from(target.is_64), 1, 1]);
    image.resize(16, 0);
    let half = |image: &mut Vec<u8>, field: u16| image.extend(field.to_le_bytes());
    let word = |image: &mut Vec<u8>, field: u32| image.extend(field.to_le_bytes());
    let wide = |image: &mut Vec<u8>, field: u64| {
        let size = if target.is_64 { 8 } else { 4 };
        image.extend(&field.to_le_bytes()[..size]);
    };
    let (header, entry_size) = if target.is_64 { (64, 56) } else { (52, 32) };
    half(&mut image, 2);
    half(&mut image, target.machine);
    word(&mut image, 1);
    for field in [entry, header.into(), 0] {
        wide(&mut image, field);
    }
    word(&mut image, 0);
    let count = segments.len() as u16;
    for field in [header, entry_size, count, 0, 0, 0] {
        half(&mut image, field);
    }
    for made in segments {
        word(&mut image, made.kind);
        if target.is_64 {
            word(&mut image, made.flags);
        }
        let sizes = [
            made.offset,
            made.address,
            made.address,
            made.file,
            made.memory,
        ];
        for field in sizes {
            wide(&mut image, field);
        }
        if !target.is_64 {
            word(&mut image, made.flags);
        }
        wide(&mut image, 4);
    }
    let from = image.len();
    image.extend((from..from.max(BYTES) + LENGTH).map(|place| place as u8));
    image.truncate(from.max(BYTES + LENGTH));
    image
}
