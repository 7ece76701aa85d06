//! Owns: the places of the fields in the headers. Must never know: what is right in them.

use crate::Error;

/// The fields of the beginning, which are alike in both sizes.
pub const CLASS: usize = 4;
pub const ORDER: usize = 5;
pub const IDENT_VERSION: usize = 6;

/// The fields of a file's header that are needed, by their names in the specification.
pub struct Header {
    pub kind: u16,
    pub machine: u16,
    pub version: u32,
    pub entry: u64,
    pub table: u64,
    pub entry_size: u16,
    pub count: u16,
}

/// The fields of a program header that are needed.
#[derive(Clone, Copy)]
pub struct Entry {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub file_size: u64,
    pub memory_size: u64,
}

/// The size of a program header.
pub const fn entry_size(is_64: bool) -> u16 {
    if is_64 { 56 } else { 32 }
}

/// The `N` bytes at `place`.
fn bytes<const N: usize>(image: &[u8], place: u64) -> Result<[u8; N], Error> {
    let place = usize::try_from(place).map_err(|_| Error::Truncated)?;
    let found = image.get(place..).and_then(<[u8]>::first_chunk);
    found.copied().ok_or(Error::Truncated)
}

fn half(image: &[u8], place: u64) -> Result<u16, Error> {
    bytes(image, place).map(u16::from_le_bytes)
}

fn word(image: &[u8], place: u64) -> Result<u32, Error> {
    bytes(image, place).map(u32::from_le_bytes)
}

/// An address, an offset or a size: the field that is number `number` of this kind from `place`
/// on.
fn wide(image: &[u8], is_64: bool, place: u64, number: u64) -> Result<u64, Error> {
    if is_64 {
        bytes(image, place + 8 * number).map(u64::from_le_bytes)
    } else {
        word(image, place + 4 * number).map(u64::from)
    }
}

impl Header {
    /// That of `image`.
    pub fn read(image: &[u8], is_64: bool) -> Result<Self, Error> {
        // Three words follow that are wide, and flags and a size of this header.
        let behind = if is_64 { 0x36 } else { 0x2A };
        Ok(Self {
            kind: half(image, 0x10)?,
            machine: half(image, 0x12)?,
            version: word(image, 0x14)?,
            entry: wide(image, is_64, 0x18, 0)?,
            table: wide(image, is_64, 0x18, 1)?,
            entry_size: half(image, behind)?,
            count: half(image, behind + 2)?,
        })
    }
}

impl Entry {
    /// Returns the program header at `place`. Its first field is read first: if that is in the
    /// image, no place after it is too large.
    pub fn read(image: &[u8], is_64: bool, place: u64) -> Result<Self, Error> {
        // The flags are second if addresses have 64 bits, and last but one otherwise.
        let (flags, offset) = if is_64 { (4, 8) } else { (24, 4) };
        let wide = |number| wide(image, is_64, place + offset, number);
        Ok(Self {
            kind: word(image, place)?,
            flags: word(image, place + flags)?,
            offset: wide(0)?,
            address: wide(1)?,
            file_size: wide(3)?,
            memory_size: wide(4)?,
        })
    }
}
