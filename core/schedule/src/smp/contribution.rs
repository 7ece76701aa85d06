//! Owns: what makes up a node's priority. Must never know: why a lock contributes what it does.

use super::{Lock, ids::NONE, order::Level};

/// Where a contribution comes from. The most urgent one rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contribution {
    /// The thread's own priority (home only).
    Real,
    /// The deadline of its job (home only).
    Deadline,
    /// A lock that it holds or spins for: at most one for each (lock, instance).
    Lock(Lock),
}

/// A row of the pool of contributions by locks.
#[derive(Clone, Debug)]
pub struct ContributionRecord {
    pub(crate) level: Level,
    pub(crate) lock: u16,
    pub(crate) next: u16,
}

impl ContributionRecord {
    /// A row that is not used.
    pub const EMPTY: Self = Self {
        level: Level::NONE,
        lock: NONE,
        next: NONE,
    };
}

impl Default for ContributionRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
