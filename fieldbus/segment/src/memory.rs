//! The address space of a SubDevice controller: registers, and the memory after them.
//!
//! Owns: the bytes. Must never know: the meaning of a register, nor the rights to access it.

use core::ops::Range;

use crate::bytes;
use crate::registers::{RAM, SIZE};

pub(crate) struct Memory([u8; SIZE]);

impl Memory {
    pub(crate) const fn new() -> Self {
        Self([0; SIZE])
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.0[at]
    }

    pub(crate) fn word(&self, at: usize) -> u16 {
        bytes::word(&self.0, at)
    }

    pub(crate) fn long(&self, at: usize) -> u32 {
        bytes::long(&self.0, at)
    }

    pub(crate) fn quad(&self, at: usize) -> u64 {
        bytes::quad(&self.0, at)
    }

    pub(crate) fn put(&mut self, at: usize, value: &[u8]) {
        bytes::put(&mut self.0, at, value);
    }

    pub(crate) fn set(&mut self, at: usize, value: u8) {
        self.0[at] = value;
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &[u8] {
        &self.0[range]
    }

    /// One area to read and another to write; `None` where they overlap or leave the memory.
    pub(crate) fn pair(
        &mut self,
        from: Range<usize>,
        to: Range<usize>,
    ) -> Option<(&[u8], &mut [u8])> {
        if from.end > SIZE || to.end > SIZE || from.start < RAM || to.start < RAM {
            return None;
        }
        if from.end <= to.start {
            let (low, high) = self.0.split_at_mut(to.start);
            return Some((&low[from], &mut high[..to.end - to.start]));
        }
        if to.end <= from.start {
            let (low, high) = self.0.split_at_mut(from.start);
            return Some((&high[..from.end - from.start], &mut low[to]));
        }
        None
    }
}
