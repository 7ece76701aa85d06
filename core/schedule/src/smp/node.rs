//! Owns: the data of an instance about a thread. Must never know: the instance's decider.

use super::{ids::NONE, order::Level};

/// A row of the table of nodes: one thread in one instance. Row `instance × threads + thread`.
#[derive(Clone, Debug)]
pub struct NodeRecord {
    /// How urgent it was by the last update.
    pub(crate) level: Level,
    /// The node's own contribution: the real priority (home only).
    pub(crate) real: Level,
    /// The contribution of a job: its deadline (home only).
    pub(crate) deadline: Level,
    /// How many reasons this node has to help (0: it does not).
    pub(crate) helps: u16,
    /// First of the contributions by locks.
    pub(crate) shares: u16,
    /// The next helping instance of the thread, or [`NodeRecord::NO_HELPER`].
    pub(crate) next_helper: u8,
}

impl NodeRecord {
    pub(crate) const NO_HELPER: u8 = u8::MAX;

    /// An unused node.
    pub const EMPTY: Self = Self {
        level: Level::NONE,
        real: Level::NONE,
        deadline: Level::NONE,
        helps: 0,
        shares: NONE,
        next_helper: Self::NO_HELPER,
    };
}

impl Default for NodeRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
