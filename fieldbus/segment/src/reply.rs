//! Owns: a reply in a mailbox while it is written, and the details of an error in its place.
//! Must never know: the protocol that writes it.

use crate::bytes::put;

/// Details of a mailbox error (ETG.1000.4, table 30).
pub(crate) const SYNTAX: u16 = 1;
pub(crate) const UNSUPPORTED_PROTOCOL: u16 = 2;
pub(crate) const SERVICE_NOT_SUPPORTED: u16 = 4;
pub(crate) const SIZE_TOO_SHORT: u16 = 6;

/// A reply while it is written: what follows the mailbox header.
pub(crate) struct Reply<'m> {
    pub(crate) bytes: &'m mut [u8],
    pub(crate) length: usize,
}

impl Reply<'_> {
    /// Appends what fits; says whether all did.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> bool {
        let fits = bytes.len().min(self.room());
        self.bytes[self.length..self.length + fits].copy_from_slice(&bytes[..fits]);
        self.length += fits;
        fits == bytes.len()
    }

    /// Bytes that may still come.
    pub(crate) fn room(&self) -> usize {
        self.bytes.len() - self.length
    }

    /// Overwrites the bytes at `at`.
    pub(crate) fn set(&mut self, at: usize, bytes: &[u8]) {
        if at + bytes.len() <= self.length {
            put(self.bytes, at, bytes);
        }
    }

    /// Discards the contents.
    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }
}
