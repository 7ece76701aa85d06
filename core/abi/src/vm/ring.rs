//! A pair of byte rings in the memory of a channel, for streams of bytes between two partitions.
//!
//! Owns: the layout of that memory, the order in which it is read and written, the condition for
//! ringing a doorbell. Must never know: the access to memory ([`Memory`]) and to doorbells.
//!
//! # The rings
//! Ring n carries what end n of the channel writes. Each has one writer and one reader (Lamport
//! 1983, "Specifying concurrent program modules"); the counts of bytes written and read only grow,
//! modulo 2³², and each is written by one side. Memory that is all zeros is a pair of empty rings.
//!
//! # Doorbells
//! An end that finds less than it wants sets a word of the ring, and checks once more. An end that
//! moves bytes afterwards clears that word and rings ([`Moved::ring`]). All words are sequentially
//! consistent, so one of the two sees the action of the other, and no request is overlooked. A busy
//! end gets no doorbell.
//!
//! # A hostile other end
//! may write anything anywhere in the memory, at any time. Each end keeps its own count to itself;
//! the other's count is checked, and places are masked: no access leaves the memory, and every call
//! ends. Ends with counts that do not fit together drop the content of the ring, and continue from
//! there.

/// The memory of a channel, as one of its ends reaches it. Places are in bytes from the memory's
/// beginning; those of words are multiples of
/// 64. The other end may access it at the same time.
pub trait Memory {
    /// Reads a word; sequentially consistent with all accesses to words.
    fn word(&self, at: u32) -> u32;
    /// Writes a word; sequentially consistent with all accesses to words.
    fn set_word(&self, at: u32, value: u32);
    /// Reads bytes, not before words that were read earlier.
    fn read(&self, at: u32, to: &mut [u8]);
    /// Writes bytes, before words that are written later.
    fn write(&self, at: u32, from: &[u8]);
}

/// Bytes of the words before the rings' bytes.
const HEADER: u32 = 512;
/// Bytes of the words of one ring: each word has a cache line to itself.
const WORDS: u32 = 256;
const WRITTEN: u32 = 0;
const READ: u32 = 64;
const READER_WAITS: u32 = 128;
const WRITER_WAITS: u32 = 192;

/// The layout of a pair of rings in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    capacity: u32,
}

impl Layout {
    /// That in `bytes` of memory: the largest powers of two of which two fit. None where none fit,
    /// or `bytes` is above 2³¹.
    pub const fn of(bytes: u64) -> Option<Self> {
        if bytes < HEADER as u64 + 2 || bytes > 1 << 31 {
            return None;
        }
        let each = (bytes as u32 - HEADER) / 2;
        Some(Self {
            capacity: 1 << each.ilog2(),
        })
    }

    /// How many bytes each ring holds: a power of two.
    pub const fn capacity(self) -> usize {
        self.capacity as usize
    }
}

/// The result of a call that moves bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "the other end waits for its doorbell"]
pub struct Moved {
    /// How many bytes.
    pub bytes: usize,
    /// Whether the other end's doorbell must be rung now.
    pub ring: bool,
}

/// One ring, as either side sees it.
#[derive(Clone, Copy, Debug)]
struct Ring {
    number: u32,
    capacity: u32,
}

impl Ring {
    fn word(self, memory: &impl Memory, word: u32) -> u32 {
        memory.word(self.number * WORDS + word)
    }

    fn set_word(self, memory: &impl Memory, word: u32, value: u32) {
        memory.set_word(self.number * WORDS + word, value);
    }

    /// Returns how many bytes are between the two counts; none if they cannot be true.
    fn used(self, written: u32, read: u32) -> Option<u32> {
        let used = written.wrapping_sub(read);
        (used <= self.capacity).then_some(used)
    }

    /// Returns where the byte of this count is located, and how many bytes follow in one piece
    /// from there on, `most` at most.
    fn piece(self, count: u32, most: usize) -> (u32, usize) {
        let place = count & (self.capacity - 1);
        let behind = (self.capacity - place) as usize;
        let at = HEADER + self.number * self.capacity + place;
        (at, behind.min(most))
    }

    /// Whether the other side waits; it does no longer, for it is rung for.
    fn take_wish(self, memory: &impl Memory, word: u32) -> bool {
        let waits = self.word(memory, word) != 0;
        if waits {
            self.set_word(memory, word, 0);
        }
        waits
    }
}

/// The side of a ring that writes.
#[derive(Debug)]
pub struct Writer {
    ring: Ring,
    written: u32,
}

impl Writer {
    /// The writer at end `end` (0 or 1) of a channel, going on where the last one ended.
    pub fn attach(layout: Layout, end: usize, memory: &impl Memory) -> Self {
        let ring = Ring {
            number: (end & 1) as u32,
            capacity: layout.capacity,
        };
        Self {
            ring,
            written: ring.word(memory, WRITTEN),
        }
    }

    /// Writes as many of `bytes` as there is room for. If that is not all, the other end rings as
    /// soon as there is more room. Bound: a few words, two copies.
    pub fn write(&mut self, memory: &impl Memory, bytes: &[u8]) -> Moved {
        let mut moved = self.put(memory, bytes);
        let mut ring = false;
        if moved < bytes.len() {
            self.ring.set_word(memory, WRITER_WAITS, 1);
            moved += self.put(memory, &bytes[moved..]);
            // Counts that cannot be true: the reader is to look and to fall in step.
            ring = self.used(memory).is_none();
        }
        if moved > 0 {
            ring |= self.ring.take_wish(memory, READER_WAITS);
        }
        Moved { bytes: moved, ring }
    }

    /// For how many bytes there is room. Bound: fixed.
    pub fn room(&self, memory: &impl Memory) -> usize {
        let used = self.used(memory).unwrap_or(self.ring.capacity);
        (self.ring.capacity - used) as usize
    }

    /// For how many bytes there is room; where that is fewer than `wanted`, the other end rings as
    /// soon as there is more. Bound: fixed.
    pub fn room_or_wait(&self, memory: &impl Memory, wanted: usize) -> usize {
        let room = self.room(memory);
        if room >= wanted {
            return room;
        }
        self.ring.set_word(memory, WRITER_WAITS, 1);
        self.room(memory)
    }

    fn used(&self, memory: &impl Memory) -> Option<u32> {
        self.ring.used(self.written, self.ring.word(memory, READ))
    }

    /// Writes what there is room for. The count is written even where that is nothing: the other
    /// end may have written over it.
    fn put(&mut self, memory: &impl Memory, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(self.room(memory))];
        let (at, first) = self.ring.piece(self.written, bytes.len());
        memory.write(at, &bytes[..first]);
        if first < bytes.len() {
            let next = self.written.wrapping_add(first as u32);
            memory.write(self.ring.piece(next, 0).0, &bytes[first..]);
        }
        self.written = self.written.wrapping_add(bytes.len() as u32);
        self.ring.set_word(memory, WRITTEN, self.written);
        bytes.len()
    }
}

/// The side of a ring that reads.
#[derive(Debug)]
pub struct Reader {
    ring: Ring,
    read: u32,
}

impl Reader {
    /// The reader at end `end` (0 or 1) of a channel, of what the other end writes, going on where
    /// the last one ended.
    pub fn attach(layout: Layout, end: usize, memory: &impl Memory) -> Self {
        let ring = Ring {
            number: (end & 1 ^ 1) as u32,
            capacity: layout.capacity,
        };
        Self {
            ring,
            read: ring.word(memory, READ),
        }
    }

    /// Returns how many bytes can be read, without a request for more: the other end rings no
    /// doorbell for this check. If the counts cannot be true, returns the capacity:
    /// [`Reader::read`] falls in step then. Bound: two words.
    pub fn filled(&self, memory: &impl Memory) -> usize {
        let written = self.ring.word(memory, WRITTEN);
        let used = self.ring.used(written, self.read);
        used.unwrap_or(self.ring.capacity) as usize
    }

    /// Reads as many bytes into `buffer` as there are. If they do not fill it, the other end rings
    /// as soon as there are more; if they do, there may be more now. Bound: a few words, two
    /// copies.
    pub fn read(&mut self, memory: &impl Memory, buffer: &mut [u8]) -> Moved {
        let before = self.read;
        let mut moved = self.take(memory, buffer);
        if moved < buffer.len() {
            self.ring.set_word(memory, READER_WAITS, 1);
            moved += self.take(memory, &mut buffer[moved..]);
        }
        Moved {
            bytes: moved,
            ring: self.read != before && self.ring.take_wish(memory, WRITER_WAITS),
        }
    }

    /// Reads what there is. The count is written even where that is nothing: the other end may have
    /// written over it.
    fn take(&mut self, memory: &impl Memory, buffer: &mut [u8]) -> usize {
        let written = self.ring.word(memory, WRITTEN);
        let Some(used) = self.ring.used(written, self.read) else {
            self.move_to(memory, written);
            return 0;
        };
        let count = buffer.len().min(used as usize);
        let buffer = &mut buffer[..count];
        let (at, first) = self.ring.piece(self.read, count);
        memory.read(at, &mut buffer[..first]);
        if first < count {
            let next = self.read.wrapping_add(first as u32);
            memory.read(self.ring.piece(next, 0).0, &mut buffer[first..]);
        }
        self.move_to(memory, self.read.wrapping_add(count as u32));
        count
    }

    fn move_to(&mut self, memory: &impl Memory, read: u32) {
        self.read = read;
        self.ring.set_word(memory, READ, read);
    }
}
