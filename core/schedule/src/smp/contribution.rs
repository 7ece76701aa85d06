//! Owns: what locks contribute to a node's priority. Must never know: why a lock contributes what
//! it does.

use super::{ids::NONE, order::Level};

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
