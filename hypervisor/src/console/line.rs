//! Owns: the part of a line that waits to be shown. Must never know: the guest that wrote it.

/// How many bytes of a line wait for its end.
pub const LINE: usize = 120;

pub(super) struct Line {
    bytes: [u8; LINE],
    length: usize,
}

impl Line {
    pub const fn new() -> Self {
        Self {
            bytes: [0; LINE],
            length: 0,
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds a byte to a line that is not full; true where it is full now.
    pub fn push(&mut self, byte: u8) -> bool {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
        self.length == LINE
    }

    /// Returns the bytes that wait; they wait no longer.
    pub fn take(&mut self) -> &[u8] {
        let length = core::mem::take(&mut self.length);
        &self.bytes[..length]
    }
}
