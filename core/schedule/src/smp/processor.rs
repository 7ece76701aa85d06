//! Owns: the instance that has a processor. Must never know: the thread that runs there.

use super::ids::NONE;
use taktos_time::{Duration, Instant};

/// A row of the table of processors.
#[derive(Clone, Debug)]
pub struct ProcessorRecord {
    /// Since when no instance has it.
    pub(crate) since: Instant,
    /// How long it idled while no instance had it, up to then.
    pub(crate) idle: Duration,
    /// The row of its idle thread; NONE where it is not online.
    pub(crate) idle_row: u16,
    /// The instance that owns it, or NO_OWNER.
    pub(crate) owner: u8,
    /// Whether it was given to an instance when the system was made.
    pub(crate) assigned: bool,
    /// The last thread that lost it with its budget used up, until that budget is checked, or
    /// NONE. The thread may be at home in an instance that does not own the processor any more.
    pub(crate) spent: u16,
}

impl ProcessorRecord {
    pub(crate) const NO_OWNER: u8 = u8::MAX;

    /// A processor that is not online.
    pub const EMPTY: Self = Self {
        since: Instant::START,
        idle: Duration::ZERO,
        idle_row: NONE,
        owner: Self::NO_OWNER,
        assigned: false,
        spent: NONE,
    };
}

impl Default for ProcessorRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
