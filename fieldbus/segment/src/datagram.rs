//! Datagrams: what each command does to a device, and to the working counter (ETG.1000.4, 5.4).
//!
//! Owns: addressing, working counters, the logical address space. Must never know: the contents of
//! an address.
//!
//! A working counter rises by 1 for a read and by 1 for a write; where one command does both, by 1
//! and by 2.

use crate::bytes::{copy_bit, long, put, word};
use crate::device::Device;
use crate::fmmu::Overlap;

/// Bytes before the data, and of the working counter after them.
pub(crate) const HEADER: usize = 10;
pub(crate) const COUNTER: usize = 2;

/// Commands that one station does and no other passes.
const AT_STATION: core::ops::RangeInclusive<u8> = 4..=6;

/// Commands that do both work through pieces of this size, so that no large buffer is needed.
const PIECE: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    Read,
    Write,
    ReadWrite,
    /// The addressed device is read, all others are written.
    ReadMultipleWrite,
}

/// How a datagram's address is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressing {
    Position,
    Station,
    Broadcast,
    Logical,
}

/// A datagram's command; `None` for one that no device knows, or that does nothing.
fn decode(command: u8) -> Option<(Addressing, Command)> {
    use Addressing::{Broadcast, Logical, Position, Station};
    use Command::{Read, ReadMultipleWrite, ReadWrite, Write};
    Some(match command {
        1 => (Position, Read),
        2 => (Position, Write),
        3 => (Position, ReadWrite),
        4 => (Station, Read),
        5 => (Station, Write),
        6 => (Station, ReadWrite),
        7 => (Broadcast, Read),
        8 => (Broadcast, Write),
        9 => (Broadcast, ReadWrite),
        10 => (Logical, Read),
        11 => (Logical, Write),
        12 => (Logical, ReadWrite),
        13 => (Position, ReadMultipleWrite),
        14 => (Station, ReadMultipleWrite),
        _ => return None,
    })
}

/// Bytes of data of the datagram that begins here.
pub(crate) fn length(datagram: &[u8]) -> usize {
    usize::from(word(datagram, 6) & 0x7FF)
}

impl Device<'_> {
    /// All datagrams of a frame pass this device. They are well-formed: each has its data and its
    /// working counter.
    pub(crate) fn process(&mut self, datagrams: &mut [u8]) {
        let mut rest = datagrams;
        while rest.len() >= HEADER + COUNTER {
            let whole = HEADER + length(rest) + COUNTER;
            let Some((datagram, others)) = rest.split_at_mut_checked(whole) else {
                return;
            };
            rest = others;
            // Most of a cycle's datagrams are for one device: the others should lose no time with
            // them.
            if !AT_STATION.contains(&datagram[0]) || self.is_addressed(word(datagram, 2)) {
                self.datagram(datagram);
            }
        }
    }

    fn datagram(&mut self, datagram: &mut [u8]) {
        let Some((addressing, command)) = decode(datagram[0]) else {
            return;
        };
        let address = word(datagram, 2);
        let is_here = match addressing {
            Addressing::Station => self.is_addressed(address),
            Addressing::Position => address == 0,
            Addressing::Broadcast | Addressing::Logical => true,
        };
        if matches!(addressing, Addressing::Position | Addressing::Broadcast) {
            put(datagram, 2, &address.wrapping_add(1).to_le_bytes());
        }
        let command = match (command, is_here) {
            (Command::ReadMultipleWrite, true) => Command::Read,
            (Command::ReadMultipleWrite, false) => Command::Write,
            (command, true) => command,
            (_, false) => return,
        };
        let (head, tail) = datagram.split_at_mut(HEADER);
        let (data, counter) = tail.split_at_mut(tail.len() - COUNTER);
        let worked = match addressing {
            Addressing::Logical => self.logical(command, long(head, 2), data),
            _ => {
                let is_all = addressing == Addressing::Broadcast;
                self.physical(command, usize::from(word(head, 4)), data, is_all)
            }
        };
        if worked != 0 {
            let sum = word(counter, 0).wrapping_add(worked);
            put(counter, 0, &sum.to_le_bytes());
        }
    }

    /// Answers what the working counter rises by.
    fn physical(&mut self, command: Command, at: usize, data: &mut [u8], is_all: bool) -> u16 {
        if data.is_empty() {
            return 0;
        }
        match command {
            Command::Read if !is_all => u16::from(self.read(at, data)),
            Command::Write => u16::from(self.write(at, data)),
            _ => self.in_pieces(command, at, data, is_all),
        }
    }

    /// Reads that are combined with what is there, and reads with a write: the old value comes
    /// back.
    fn in_pieces(&mut self, command: Command, at: usize, data: &mut [u8], is_all: bool) -> u16 {
        let (mut was_read, mut was_written) = (false, false);
        let mut old = [0; PIECE];
        for (number, piece) in data.chunks_mut(PIECE).enumerate() {
            let at = at + number * PIECE;
            let old = &mut old[..piece.len()];
            let is_read = self.read(at, old);
            if command == Command::ReadWrite {
                was_written |= self.write(at, piece);
            }
            if is_read {
                was_read = true;
                for (new, old) in piece.iter_mut().zip(old) {
                    *new = if is_all { *new | *old } else { *old };
                }
            }
        }
        u16::from(was_read) + 2 * u16::from(was_written)
    }

    /// Outputs are taken before inputs are put, so that both may have one logical address.
    fn logical(&mut self, command: Command, address: u32, data: &mut [u8]) -> u16 {
        let (mut was_read, mut was_written) = (false, false);
        if command != Command::Read {
            for place in 0..self.fmmus.count() {
                let unit = self.fmmus.active(place);
                if unit.is_written
                    && let Some(overlap) = unit.overlap(address, data.len())
                {
                    was_written |= if unit.is_bytewise {
                        let at = overlap.physical / 8;
                        self.write(at, &data[overlap.data.start / 8..overlap.data.end / 8])
                    } else {
                        self.write_bits(&overlap, data)
                    };
                }
            }
        }
        if command != Command::Write {
            for place in 0..self.fmmus.count() {
                let unit = self.fmmus.active(place);
                if unit.is_read
                    && let Some(overlap) = unit.overlap(address, data.len())
                {
                    was_read |= if unit.is_bytewise {
                        let at = overlap.physical / 8;
                        self.read(at, &mut data[overlap.data.start / 8..overlap.data.end / 8])
                    } else {
                        self.read_bits(&overlap, data)
                    };
                }
            }
        }
        let write = if command == Command::ReadWrite { 2 } else { 1 };
        u16::from(was_read) + write * u16::from(was_written)
    }

    /// Bits of `data` from the device's memory.
    fn read_bits(&mut self, overlap: &Overlap, data: &mut [u8]) -> bool {
        let mut was_read = false;
        for (at, bits) in pieces(overlap) {
            let mut bytes = [0; PIECE];
            let count = (at.1 + bits.len()).div_ceil(8);
            if self.read(at.0, &mut bytes[..count]) {
                was_read = true;
                for (place, bit) in bits.enumerate() {
                    copy_bit(data, bit, &bytes, at.1 + place);
                }
            }
        }
        was_read
    }

    /// Writes bits of `data` into the device's memory; the neighbouring bits stay as they were
    /// written last.
    fn write_bits(&mut self, overlap: &Overlap, data: &[u8]) -> bool {
        let mut was_written = false;
        for (at, bits) in pieces(overlap) {
            let mut bytes = [0; PIECE];
            let count = (at.1 + bits.len()).div_ceil(8);
            self.peek(at.0, &mut bytes[..count]);
            for (place, bit) in bits.enumerate() {
                copy_bit(&mut bytes, at.1 + place, data, bit);
            }
            was_written |= self.write(at.0, &bytes[..count]);
        }
        was_written
    }
}

/// Pieces of an overlap: the byte and the bit of the device where each begins, and its bits of the
/// data.
fn pieces(
    overlap: &Overlap,
) -> impl Iterator<Item = ((usize, usize), core::ops::Range<usize>)> + use<> {
    let (data, physical) = (overlap.data.clone(), overlap.physical);
    const BITS: usize = (PIECE - 1) * 8;
    (0..data.len()).step_by(BITS).map(move |done| {
        let at = physical + done;
        let begin = data.start + done;
        ((at / 8, at % 8), begin..data.end.min(begin + BITS))
    })
}
