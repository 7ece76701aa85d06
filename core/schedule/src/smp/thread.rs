//! Owns: what is known of a thread whatever the instance. Must never know: its stack, its registers.

use super::{Reasons, ids::NONE};
use crate::CpuSet;
use taktos_time::Duration;

/// Whether a thread has a processor; it has at most one, whichever of its nodes got it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Blocked,
    Ready,
    Scheduled,
}

/// A row of the table of threads.
#[derive(Clone, Debug)]
pub struct ThreadRecord {
    /// CPU time up to the last change of an heir.
    pub(crate) cpu_time: Duration,
    /// As asked for, reduced to processors that are online.
    pub(crate) affinity: CpuSet,
    pub(crate) reasons: Reasons,
    pub(crate) presence: Presence,
    pub(crate) exists: bool,
    /// Its home instance.
    pub(crate) home: u8,
    /// The instance whose node comes first: home, or where it is pinned.
    pub(crate) first: u8,
    /// First of the instances that help, or `NodeRecord::NO_HELPER`.
    pub(crate) helper: u8,
    /// The processor whose heir it is, while SCHEDULED (and the last one otherwise).
    pub(crate) cpu: u8,
    /// The processor that holds its registers, or NOWHERE.
    pub(crate) live_on: u8,
    /// How often its home had been opened when what is said here was true last.
    pub(crate) openings: u32,
    /// How often it is pinned.
    pub(crate) pins: u16,
    /// The processor to which the pin has taken effect, or NOWHERE.
    pub(crate) pinned_to: u8,
    /// The processor on whose list of help requests it stands, or NOWHERE.
    pub(crate) asks_on: u8,
    /// Links of that list; of the free list while it does not exist.
    pub(crate) ask_next: u16,
    pub(crate) ask_previous: u16,
    /// The real priority with which it was created.
    pub(crate) initial: u32,
}

impl ThreadRecord {
    pub(crate) const NOWHERE: u8 = u8::MAX;

    /// A row without a thread.
    pub const EMPTY: Self = Self {
        cpu_time: Duration::ZERO,
        affinity: CpuSet::ALL,
        reasons: Reasons::DORMANT,
        presence: Presence::Blocked,
        exists: false,
        home: 0,
        first: 0,
        helper: u8::MAX,
        cpu: 0,
        live_on: Self::NOWHERE,
        openings: 0,
        pins: 0,
        pinned_to: Self::NOWHERE,
        asks_on: Self::NOWHERE,
        ask_next: NONE,
        ask_previous: NONE,
        initial: 0,
    };
}

impl Default for ThreadRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
