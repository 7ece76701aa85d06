//! Owns: output that waits until the machine's line has space for it. Must never know: the writer.
//!
//! No processor waits for the line: output that does not fit in is left out, counted, and reported
//! when there is space again.

use crate::text::Text;

/// How many bytes can wait.
pub const WAITING: usize = 4096;

/// Output that waits for the line.
pub struct Output {
    bytes: [u8; WAITING],
    first: usize,
    length: usize,
    lost: u32,
}

impl Output {
    /// Nothing waits.
    pub const fn new() -> Self {
        Self {
            bytes: [0; WAITING],
            first: 0,
            length: 0,
            lost: 0,
        }
    }

    /// Whether nothing waits.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns whether something was left out, and is not reported yet.
    pub const fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Takes `piece`, whole or not at all, so that `kept` bytes of room are left; `write` gives the
    /// line what it has room for. After a loss it takes nothing before [`Output::begin`].
    pub fn put(&mut self, piece: &[u8], kept: usize, write: fn(&[u8]) -> usize) {
        let sent = match self.is_empty() && !self.has_lost() {
            true => write(piece),
            false => 0,
        };
        let rest = &piece[sent..];
        if self.has_lost() || self.length + rest.len() + kept > WAITING {
            self.lost = self.lost.saturating_add(rest.len() as u32);
            return;
        }
        for &byte in rest {
            self.bytes[(self.first + self.length) % WAITING] = byte;
            self.length += 1;
        }
    }

    /// Gives the line what it has room for.
    pub fn drain(&mut self, write: fn(&[u8]) -> usize) {
        while self.length > 0 {
            let end = (self.first + self.length).min(WAITING);
            let sent = write(&self.bytes[self.first..end]);
            if sent == 0 {
                return;
            }
            self.first = (self.first + sent) % WAITING;
            self.length -= sent;
        }
    }

    /// Called before a writer begins a text, with the `kept` bytes of space that it leaves. First
    /// reports the bytes that were left out, if there is space again or none is to be left.
    pub fn begin(&mut self, kept: usize, write: fn(&[u8]) -> usize) {
        if self.has_lost() && (kept == 0 || self.length <= WAITING / 2) {
            let mut line = Text::new();
            line.add(b"\n[").add(super::HYPERVISOR.as_bytes());
            line.add(b"] lost on the way to the console, in bytes: ");
            line.add_decimal(core::mem::take(&mut self.lost)).add(b"\n");
            self.put(line.bytes(), 0, write);
        }
    }
}

impl Default for Output {
    fn default() -> Self {
        Self::new()
    }
}
