//! Owns: output to a serial line that has registers of one word. Must never know: the board.

use crate::registers::{load, store};

/// A serial line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// A register, and the bits of it that are set once the line is on.
    pub on: (usize, u32),
    /// Registers and their values, in this order, that switch the line on if no firmware has.
    pub setting: &'static [(usize, u32)],
    /// Status register: its bits [`Line::full`] are set while the line takes no other byte.
    pub status: usize,
    /// Those bits of [`Line::status`].
    pub full: u32,
    /// The register that sends a byte.
    pub send: usize,
}

impl Line {
    /// Writes `text`, and waits while the device takes no other byte.
    pub fn write(&self, text: &str) {
        let (register, bits) = self.on;
        if load(register) & bits != bits {
            for &(register, value) in self.setting {
                store(register, value);
            }
        }
        for byte in text.bytes() {
            while load(self.status) & self.full != 0 {}
            store(self.send, byte.into());
        }
    }
}
