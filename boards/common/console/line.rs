//! Owns: how a serial line is written to whose registers are words.
//! Must never know: which board. Others take this file as it is.

#[path = "registers.rs"]
mod registers;

use registers::{load, store};

/// A serial line.
pub(crate) struct Line {
    /// A register, and the bits of it that are set once the line is on.
    pub on: (usize, u32),
    /// What switches it on, where no firmware has: registers and their values, in this order.
    pub setting: &'static [(usize, u32)],
    /// The register whose bits [`Line::full`] say that nothing more can be taken.
    pub status: usize,
    /// Those bits.
    pub full: u32,
    /// The register that sends a byte.
    pub send: usize,
}

impl Line {
    /// Writes `text`, waiting for the device where it is behind.
    pub(crate) fn write(&self, text: &str) {
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
