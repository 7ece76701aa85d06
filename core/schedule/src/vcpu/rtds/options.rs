//! Owns: the parameters of servers and the modes of the policy, with their
//! defaults and ranges. Must never know: a queue.

use crate::vcpu::kit::check;
use crate::vcpu::{Error, Profile, in_range};
use taktos_time::Duration;

/// A server: what a unit may use, and how often that is refilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Its period: at least 10 µs. Default 10 ms.
    pub period: Duration,
    /// Its guaranteed time in a period: 10 µs to the period. Default 4 ms.
    pub budget: Duration,
    /// Whether it shares the time that the guarantees leave. Default: it does.
    pub extratime: bool,
}

impl Parameters {
    /// The default (spec 05, sections 3 and 9).
    pub const DEFAULT: Self = Self {
        period: Duration::from_millis(10),
        budget: Duration::from_millis(4),
        extratime: true,
    };

    /// The least period, and the least budget.
    pub const MINIMUM: Duration = Duration::from_micros(10);

    /// A server of `budget` in each `period`, without extra time.
    pub const fn new(budget: Duration, period: Duration) -> Self {
        Self {
            period,
            budget,
            extratime: false,
        }
    }

    /// Sets `extratime`.
    #[must_use]
    pub const fn with_extratime(mut self, extratime: bool) -> Self {
        self.extratime = extratime;
        self
    }

    /// Refuses what is out of range with [`Error::OutOfRange`].
    pub const fn check(&self) -> Result<(), Error> {
        let least = Self::MINIMUM.as_nanos();
        let (period, budget) = (self.period.as_nanos(), self.budget.as_nanos());
        check!(in_range("the period", period, least, u64::MAX, "ns"));
        in_range("the budget", budget, least, period, "ns")
    }
}

/// When it is noticed that a budget is used up, and when budgets are refilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enforcement {
    /// At the instant itself, by timers (since release 4.7).
    Events,
    /// Whenever a processor schedules, which it does at least once in this time (1 ms in releases
    /// 4.5 and 4.6).
    Quantum(Duration),
}

/// By what the queue of refills is ordered; its timer follows its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplenishBy {
    /// The time of the refill.
    Time,
    /// The order of the run queue, level first, as in the reference: for comparison. Refills of
    /// units on extra time can then be late, and servers lose budget that the analysis guarantees.
    RunQueueOrder,
}

/// Which of two units of the same priority a processor takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The one that waits.
    Queued,
    /// The one that runs.
    Running,
}

/// The modes of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How budgets are kept.
    pub enforcement: Enforcement,
    /// How refills are ordered; of no effect with a quantum.
    pub replenish_by: ReplenishBy,
    /// The unit that wins a tie at a processor.
    pub ties: Ties,
    /// Whether there is extra time at all: if not, [`Parameters::extratime`] is of no effect.
    pub extratime: bool,
}

impl Options {
    /// The quantum of releases 4.5 and 4.6.
    pub const QUANTUM: Duration = Duration::from_millis(1);

    /// Today's behaviour, with refills by time.
    pub const DEFAULT: Self = Self {
        enforcement: Enforcement::Events,
        replenish_by: ReplenishBy::Time,
        ties: Ties::Queued,
        extratime: true,
    };

    /// The behaviour of `profile`.
    pub const fn of(profile: Profile) -> Self {
        match profile {
            Profile::Current => Self::DEFAULT,
            Profile::Xen45 => Self {
                enforcement: Enforcement::Quantum(Self::QUANTUM),
                replenish_by: ReplenishBy::Time,
                ties: Ties::Running,
                extratime: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_time::Span;

    #[test]
    fn ranges_are_those_of_the_table() {
        let new = |budget, period| Parameters::new(budget, period).check();
        assert_eq!(new(10.micros(), 10.micros()), Ok(()));
        assert_eq!(Parameters::DEFAULT.check(), Ok(()));
        let short = Error::OutOfRange {
            parameter: "the period",
            value: 9_999,
            minimum: 10_000,
            maximum: u64::MAX,
            unit: "ns",
        };
        assert_eq!(new(10.micros(), 9_999.nanos()), Err(short));
        let long = Error::OutOfRange {
            parameter: "the budget",
            value: 20_001,
            minimum: 10_000,
            maximum: 20_000,
            unit: "ns",
        };
        assert_eq!(new(20_001.nanos(), 20.micros()), Err(long));
        assert!(new(9_999.nanos(), 20.micros()).is_err());
    }
}
