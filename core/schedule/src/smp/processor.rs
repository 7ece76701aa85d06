//! Owns: who shall run on a processor and who does. Must never know: why.

use super::ids::NONE;
use taktos_time::{Duration, Instant};

/// A row of the table of processors.
#[derive(Clone, Debug)]
pub struct ProcessorRecord {
    /// Since when the heir is the heir.
    pub(crate) since: Instant,
    /// How long an idle thread was the heir.
    pub(crate) idle: Duration,
    /// Who shall run here; NONE where the processor is not online.
    pub(crate) heir: u16,
    /// Whose registers are here, or NONE.
    pub(crate) executing: u16,
    /// First and last of the threads whose requests for help this processor will carry out.
    pub(crate) asks_first: u16,
    pub(crate) asks_last: u16,
    /// The instance that owns it, or NO_OWNER.
    pub(crate) owner: u8,
    /// Whether it was given to an instance when the system was made.
    pub(crate) assigned: bool,
    /// The time at which it was asked to expire.
    pub(crate) armed: Option<Instant>,
    /// The last thread that lost it with its budget used up, until that is looked at, or NONE. The
    /// thread may be at home in an instance that does not own the processor any more.
    pub(crate) spent: u16,
}

impl ProcessorRecord {
    pub(crate) const NO_OWNER: u8 = u8::MAX;

    /// A processor that is not online.
    pub const EMPTY: Self = Self {
        since: Instant::START,
        idle: Duration::ZERO,
        heir: NONE,
        executing: NONE,
        asks_first: NONE,
        asks_last: NONE,
        owner: Self::NO_OWNER,
        assigned: false,
        armed: None,
        spent: NONE,
    };
}

impl Default for ProcessorRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
