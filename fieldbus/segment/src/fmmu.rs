//! Fieldbus memory management units: which bits of the logical address space are which of a device
//! (datasheet, section I, "FMMU"; registers 0x0600 and following).
//!
//! Owns: the settings, and the arithmetic of addresses. Must never know: the contents of an
//! address.

use core::ops::Range;

use crate::memory::Memory;
use crate::registers::{FMMU, FMMU_LENGTH, UNITS};

#[derive(Clone, Copy)]
pub(crate) struct Fmmu {
    /// The first logical bit, how many bits, and the first physical bit.
    logical: u64,
    bits: u64,
    physical: u64,
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
    /// Whole bytes at both sides.
    pub(crate) is_bytewise: bool,
}

/// Common part of a datagram and an FMMU, in bits: its place in the datagram, and its begin in the
/// device.
pub(crate) struct Overlap {
    pub(crate) data: Range<usize>,
    pub(crate) physical: usize,
}

impl Fmmu {
    const OFF: Self = Self {
        logical: 0,
        bits: 0,
        physical: 0,
        is_read: false,
        is_written: false,
        is_bytewise: true,
    };

    fn of(registers: &[u8]) -> Self {
        let long = |at| u64::from(crate::bytes::long(registers, at));
        let length = u64::from(crate::bytes::word(registers, 4));
        let (first, last) = (u64::from(registers[6] & 7), u64::from(registers[7] & 7));
        let physical = u64::from(crate::bytes::word(registers, 8));
        let physical_bit = u64::from(registers[10] & 7);
        Self {
            logical: long(0) * 8 + first,
            bits: (length * 8 + last + 1).saturating_sub(first + 8),
            physical: physical * 8 + physical_bit,
            is_read: registers[11] & 1 != 0,
            is_written: registers[11] & 2 != 0,
            is_bytewise: first == 0 && last == 7 && physical_bit == 0,
        }
    }

    /// Returns the part of `length` bytes at the logical `address` that belongs to this FMMU.
    pub(crate) fn overlap(&self, address: u32, length: usize) -> Option<Overlap> {
        let begin = u64::from(address) * 8;
        let from = self.logical.max(begin);
        let to = (self.logical + self.bits).min(begin + length as u64 * 8);
        (from < to).then(|| Overlap {
            data: (from - begin) as usize..(to - begin) as usize,
            physical: (self.physical + from - self.logical) as usize,
        })
    }
}

pub(crate) struct Fmmus {
    active: [Fmmu; UNITS],
    count: usize,
}

impl Fmmus {
    pub(crate) const fn new() -> Self {
        Self {
            active: [Fmmu::OFF; UNITS],
            count: 0,
        }
    }

    /// Registers were written.
    pub(crate) fn configure(&mut self, memory: &Memory) {
        self.count = 0;
        for number in 0..UNITS {
            let at = FMMU + number * FMMU_LENGTH;
            let registers = memory.slice(at..at + FMMU_LENGTH);
            if registers[12] & 1 != 0 {
                self.active[self.count] = Fmmu::of(registers);
                self.count += 1;
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The active one at `place`, of [`Fmmus::count`].
    pub(crate) fn active(&self, place: usize) -> Fmmu {
        self.active[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(length: u16, first: u8, last: u8, physical_bit: u8) -> Fmmu {
        let mut registers = [0; 16];
        registers[..4].copy_from_slice(&0x1_0000_u32.to_le_bytes());
        registers[4..6].copy_from_slice(&length.to_le_bytes());
        registers[6..8].copy_from_slice(&[first, last]);
        registers[8..10].copy_from_slice(&0x1100_u16.to_le_bytes());
        registers[10..12].copy_from_slice(&[physical_bit, 1]);
        Fmmu::of(&registers)
    }

    #[test]
    fn bytes_overlap_where_both_are() {
        let unit = unit(4, 0, 7, 0);
        assert!(unit.is_bytewise);
        let whole = unit.overlap(0x1_0000, 4).unwrap();
        assert_eq!((whole.data, whole.physical), (0..32, 0x1100 * 8));
        let end = unit.overlap(0x1_0003, 8).unwrap();
        assert_eq!((end.data, end.physical), (0..8, 0x1103 * 8));
        let begin = unit.overlap(0xFFFE, 4).unwrap();
        assert_eq!((begin.data, begin.physical), (16..32, 0x1100 * 8));
        assert!(unit.overlap(0x1_0004, 4).is_none());
        assert!(unit.overlap(0xFFFC, 4).is_none());
    }

    #[test]
    fn bits_begin_and_end_within_bytes() {
        // Bit 6 of the first byte to bit 1 of the second: four bits, to the physical bits 3 to 6.
        let unit = unit(2, 6, 1, 3);
        assert!(!unit.is_bytewise);
        let overlap = unit.overlap(0x1_0000, 2).unwrap();
        assert_eq!((overlap.data, overlap.physical), (6..10, 0x1100 * 8 + 3));
        let second = unit.overlap(0x1_0001, 1).unwrap();
        assert_eq!((second.data, second.physical), (0..2, 0x1100 * 8 + 5));
    }

    #[test]
    fn a_length_of_nothing_maps_nothing() {
        assert!(unit(0, 0, 7, 0).overlap(0x1_0000, 4).is_none());
        assert!(unit(1, 5, 3, 0).overlap(0x1_0000, 4).is_none());
        assert!(unit(1, 0, 7, 0).overlap(u32::MAX, 1).is_none());
    }
}
