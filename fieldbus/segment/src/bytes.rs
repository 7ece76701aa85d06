//! Numbers in bytes, least significant first, as EtherCAT has them.
//!
//! Callers have checked that the bytes are there.

/// The bytes of a number: one load.
fn chunk<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut chunk = [0; N];
    chunk.copy_from_slice(&bytes[at..at + N]);
    chunk
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(chunk(bytes, at))
}

pub(crate) fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(chunk(bytes, at))
}

pub(crate) fn quad(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(chunk(bytes, at))
}

pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Up to eight bytes as a number.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    let count = bytes.len().min(8);
    whole[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(whole)
}

/// The `count` bits of `bytes` from bit `at` on, at most 32.
pub(crate) fn bits(bytes: &[u8], at: usize, count: usize) -> u32 {
    let first = at / 8;
    let Some(rest) = bytes.get(first..) else {
        return 0;
    };
    let whole = number(&rest[..rest.len().min(5)]) >> (at % 8);
    (whole & ((1 << count.min(32)) - 1)) as u32
}

/// Copies one bit.
pub(crate) fn copy_bit(to: &mut [u8], to_bit: usize, from: &[u8], from_bit: usize) {
    let is_set = from[from_bit / 8] >> (from_bit % 8) & 1;
    let byte = &mut to[to_bit / 8];
    *byte = *byte & !(1 << (to_bit % 8)) | is_set << (to_bit % 8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_least_significant_byte_first() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(word(&bytes, 1), 0x0302);
        assert_eq!(long(&bytes, 1), 0x0504_0302);
        assert_eq!(quad(&bytes, 1), 0x0908_0706_0504_0302);
        assert_eq!(number(&bytes[..3]), 0x03_0201);
    }

    #[test]
    fn bits_cross_bytes_and_end_with_them() {
        let bytes = [0b1010_0000, 0b0000_0011];
        assert_eq!(bits(&bytes, 5, 5), 0b11101);
        assert_eq!(bits(&bytes, 16, 8), 0);
        let mut to = [0xFF, 0];
        copy_bit(&mut to, 3, &bytes, 0);
        copy_bit(&mut to, 8, &bytes, 5);
        assert_eq!(to, [0xF7, 1]);
    }
}
