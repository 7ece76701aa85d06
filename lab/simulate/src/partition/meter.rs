//! Owns: the time that a virtual processor receives in each of its periods.
//! Must never know: the policy that decides on it.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use taktos_time::Duration;

use crate::Summary;

/// Time that a virtual processor received in each period, if it had something to do during all of
/// the period. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Periods {
    /// The length of a period.
    pub period: u64,
    /// Time that the virtual processor is to have in each period.
    pub budget: u64,
    /// Time that it had: count, minimum, maximum, sum.
    pub received: Summary,
    /// In how many it had less than the budget.
    pub short: u64,
}

/// The form for programs: it has the number of periods next to the time received in them.
impl Serialize for Periods {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Periods", 5)?;
        form.serialize_field("period", &self.period)?;
        form.serialize_field("budget", &self.budget)?;
        form.serialize_field("received", &self.received)?;
        form.serialize_field("count", &self.received.count())?;
        form.serialize_field("short", &self.short)?;
        form.end()
    }
}

/// Measures one virtual processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    pub periods: Periods,
    /// When the first period begins that may be wanted whole, or the present one that has
    /// been wanted so far; none while it sleeps.
    begin: Option<u64>,
    /// Time that it had in this period.
    had: u64,
}

impl Meter {
    pub fn new(period: Duration, budget: Duration) -> Self {
        Self {
            periods: Periods {
                period: period.as_nanos(),
                budget: budget.as_nanos(),
                ..Periods::default()
            },
            begin: None,
            had: 0,
        }
    }

    /// It has something to do from `at` on. One of its periods ends at `end`, not before.
    pub fn wake(&mut self, at: u64, end: u64) {
        let begin = end.saturating_sub(self.periods.period);
        // A period that began before is not wanted whole.
        self.begin = Some(if begin >= at { begin } else { end });
        self.had = 0;
    }

    /// It has nothing to do from `at` on.
    pub fn sleep(&mut self, at: u64) {
        self.pass(at);
        self.begin = None;
    }

    /// It executed from `from` to `to`.
    pub fn executed(&mut self, mut from: u64, to: u64) {
        self.pass(from);
        while from < to {
            let Some(begin) = self.begin else { return };
            if from < begin {
                from = begin.min(to);
                continue;
            }
            let until = to.min(begin + self.periods.period);
            self.had += until - from;
            from = until;
            self.pass(from);
        }
    }

    /// Counts the periods that are over at `at`.
    fn pass(&mut self, at: u64) {
        while let Some(begin) = self.begin.filter(|begin| begin + self.periods.period <= at) {
            self.periods.received.add(self.had);
            self.periods.short += u64::from(self.had < self.periods.budget);
            self.begin = Some(begin + self.periods.period);
            self.had = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_periods_that_were_wanted_whole_count() {
        let mut meter = Meter::new(Duration::from_nanos(10), Duration::from_nanos(3));
        // It wakes at 4 with a period that ends at 12: the first whole one is 12 to 22.
        meter.wake(4, 12);
        meter.executed(5, 14);
        meter.executed(20, 24);
        meter.executed(31, 32);
        meter.sleep(41);
        // 12 to 22: 2 + 2; 22 to 32: 2 + 1; 32 to 42 is cut short.
        let periods = meter.periods;
        assert_eq!((periods.received.count(), periods.short), (2, 0));
        assert_eq!(periods.received.min(), Some(3));
        assert_eq!(periods.received.total(), 7);
        // It wakes at the very start of a period, and has nothing in two of them.
        meter.wake(50, 60);
        meter.executed(70, 71);
        meter.sleep(80);
        assert_eq!(meter.periods.received.count(), 5);
        assert_eq!(meter.periods.short, 3);
    }
}
