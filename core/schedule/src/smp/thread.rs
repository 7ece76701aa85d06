//! Owns: what is known of a thread whatever the instance. Must never know: its stack, its
//! registers.

use super::ids::NONE;
use crate::CpuSet;

/// A row of the table of threads.
#[derive(Clone, Debug)]
pub struct ThreadRecord {
    /// The requested processors, reduced to those that are online.
    pub(crate) affinity: CpuSet,
    pub(crate) exists: bool,
    /// Its home instance.
    pub(crate) home: u8,
    /// First of the instances that help, or `NodeRecord::NO_HELPER`.
    pub(crate) helper: u8,
    /// How often it is pinned.
    pub(crate) pins: u16,
    /// The processor to which the pin has taken effect, or NOWHERE.
    pub(crate) pinned_to: u8,
    /// Link of the free list while it does not exist.
    pub(crate) next_free: u16,
    /// The real priority with which it was created.
    pub(crate) initial: u32,
}

impl ThreadRecord {
    pub(crate) const NOWHERE: u8 = u8::MAX;

    /// A row without a thread.
    pub const EMPTY: Self = Self {
        affinity: CpuSet::ALL,
        exists: false,
        home: 0,
        helper: u8::MAX,
        pins: 0,
        pinned_to: Self::NOWHERE,
        next_free: NONE,
        initial: 0,
    };
}

impl Default for ThreadRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
