//! Owns: the limit of restarts of a partition by a supervisor, and the time of the next one. Must
//! never know: what a restart is, budgets.

use crate::critical_section::{CriticalSection, Guarded};
use taktos_time::{Duration, Instant};

/// The limit of restarts in each period. A period begins with the first restart after the end of
/// the last one.
pub(super) struct Restarts {
    most: u32,
    period: Duration,
    begin: Guarded<Instant>,
    /// How many there were in the period that began last.
    count: Guarded<u32>,
}

impl Restarts {
    /// At most `most` in each `period`, and none yet.
    pub const fn new(most: u32, period: Duration) -> Self {
        Self {
            most,
            period,
            begin: Guarded::new(Instant::START),
            count: Guarded::new(0),
        }
    }

    fn end(&self, cs: CriticalSection<'_>) -> Instant {
        self.begin.get(cs).saturating_add(self.period)
    }

    /// When the next one may be, if not at `now`.
    pub fn due(&self, cs: CriticalSection<'_>, now: Instant) -> Option<Instant> {
        let end = self.end(cs);
        (self.count.get(cs) >= self.most && now < end).then_some(end)
    }

    /// There is one at `now`.
    pub fn note(&self, cs: CriticalSection<'_>, now: Instant) {
        let count = self.count.get(cs);
        if count == 0 || now >= self.end(cs) {
            self.begin.set(cs, now);
            self.count.set(cs, 1);
        } else {
            self.count.set(cs, count.saturating_add(1));
        }
    }
}
