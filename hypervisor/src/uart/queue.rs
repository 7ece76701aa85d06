//! Owns: bytes that wait, first in, first out. Must never know: what they mean.

/// How many bytes can wait to be read by a guest.
pub const INPUT: usize = 256;

// Indices wrap as bytes do.
const _: () = assert!(INPUT == 1 << 8);

/// A queue of at most [`INPUT`] bytes.
pub(super) struct Queue {
    bytes: [u8; INPUT],
    first: u8,
    length: u16,
}

impl Queue {
    pub const fn new() -> Self {
        Self {
            bytes: [0; INPUT],
            first: 0,
            length: 0,
        }
    }

    pub const fn len(&self) -> usize {
        self.length as usize
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds a byte; false where there is no room.
    pub fn push(&mut self, byte: u8) -> bool {
        if self.len() == INPUT {
            return false;
        }
        // The index wraps where the array ends.
        self.bytes[usize::from(self.first.wrapping_add(self.length as u8))] = byte;
        self.length += 1;
        true
    }

    /// Takes the oldest byte.
    pub fn pop(&mut self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let byte = self.bytes[usize::from(self.first)];
        self.first = self.first.wrapping_add(1);
        self.length -= 1;
        Some(byte)
    }
}
