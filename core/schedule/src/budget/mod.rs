//! A budget of processor time: an amount in each period, for the threads that are charged to it.
//!
//! Owns: the arithmetic of a deferrable server, with payback of what was taken beyond the budget.
//! Must never know: the threads that are charged, a clock, the effects of an empty budget.
//!
//! The rule is that of Lehoczky, Sha and Strosnider, "Enhanced Aperiodic Responsiveness in Hard
//! Real-Time Environments" (RTSS 1987): what is left may be used at any time, and each period it
//! is filled up. A period begins when a full budget begins to be used, and others follow until it
//! is full at the end of one. Time that was used with nothing left is a *debt*: the next renewals
//! pay it first, as in Ghazalie and Baker, "Aperiodic Servers in a Deadline Scheduling
//! Environment" (Real-Time Systems 9, 1995).
//!
//! So with an amount Q, a period T, and a debt that is never more than D, in any interval of the
//! length t no more is charged than
//!
//! > t for t ≤ Q, else Q · (1 + ⌈(t − Q) / T⌉) + D
//!
//! which is what a periodic thread with a release jitter of T − Q takes (Bernat and Burns, "New
//! Results on Fixed Priority Aperiodic Servers", RTSS 1999), and D once.
//!
//! On several processors some *users* may be charged to one budget at a time, and what is left
//! goes as many times as fast. If there are m of them at most, in any interval of the length t no
//! more is charged than
//!
//! > m · t for t ≤ Q / m, else Q · (1 + ⌈(t − Q / m) / T⌉) + D
//!
//! for what is left before a renewal is used up within Q / m of it. From the next renewal on each
//! brings Q, and the last one no more than m times the part of the interval that follows it.

use taktos_time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// The amount that may be used in a period, and the part of it that was used. See the module's
/// head for its invariants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    amount: Duration,
    period: Duration,
    left: Duration,
    owed: Duration,
    /// The end of the period that runs, or, of a budget that is full, of the last one.
    renewal: Instant,
}

impl Budget {
    /// Creates a full budget of `amount` in each `period`, for threads on at most `processors`
    /// processors at a time.
    ///
    /// # Panics
    /// If the amount is zero, or more than they have in the period: for a static, when it is
    /// compiled.
    #[must_use]
    pub const fn new(amount: Duration, period: Duration, processors: u32) -> Self {
        assert!(amount.as_nanos() > 0, "a budget is some time");
        assert!(
            amount.as_nanos() <= period.saturating_mul(processors).as_nanos(),
            "a budget is no longer than its period, for each processor"
        );
        Self {
            amount,
            period,
            left: amount,
            owed: Duration::ZERO,
            renewal: Instant::START,
        }
    }

    /// Returns the time that may be used until the renewal.
    #[must_use]
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Returns the time that was used with nothing left, and is not paid yet.
    #[must_use]
    pub const fn owed(&self) -> Duration {
        self.owed
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.left.as_nanos() == 0
    }

    /// When the running period ends, as was known when the budget was brought up to date last.
    #[must_use]
    pub const fn renewal(&self) -> Instant {
        self.renewal
    }

    /// Brings the budget, of which nothing is being used, up to `now`. Steps: the periods that it
    /// takes to pay the debt.
    pub fn renew(&mut self, now: Instant) {
        while self.renewal <= now && self.left < self.amount {
            self.end_period();
        }
    }

    /// Begins to use the budget at `now`: a period begins if none runs. Steps as [`Budget::renew`].
    pub fn begin(&mut self, now: Instant) {
        self.renew(now);
        if self.renewal <= now {
            self.renewal = now.saturating_add(self.period);
        }
    }

    /// Returns the time for which the rest lasts `users`, at least one of them, until nothing of
    /// it is left.
    #[must_use]
    pub const fn lasts(&self, users: u32) -> Duration {
        Duration::from_nanos(self.left.as_nanos().div_ceil(users as u64))
    }

    /// Takes what one user used from `begin`, at which the use [began](Budget::begin) or was
    /// charged last, to `end`. Steps: the periods that ended meanwhile. Returns the largest debt
    /// on the way.
    pub fn charge(&mut self, begin: Instant, end: Instant) -> Duration {
        self.charge_for(begin, end, 1)
    }

    /// Does [`Budget::charge`] for `users` threads at a time.
    #[inline(always)]
    pub fn charge_for(&mut self, begin: Instant, end: Instant, users: u32) -> Duration {
        let mut begin = begin;
        let mut most = Duration::ZERO;
        while self.renewal <= end {
            let renewal = self.renewal;
            self.take(of_all(renewal.since(begin), users));
            most = most.max(self.owed);
            begin = renewal;
            self.end_period();
            if self.renewal == renewal {
                // The end of all time.
                return most;
            }
        }
        self.take(of_all(end.since(begin), users));
        most.max(self.owed)
    }

    fn take(&mut self, time: Duration) {
        let beyond = time.saturating_sub(self.left);
        self.left = self.left.saturating_sub(time);
        self.owed = self.owed.saturating_add(beyond);
    }

    fn end_period(&mut self) {
        let rest = self.amount.saturating_sub(self.owed);
        self.owed = self.owed.saturating_sub(self.amount);
        self.left = rest;
        self.renewal = self.renewal.saturating_add(self.period);
    }
}

/// Returns the time that `users` threads use in `time`. For one it is that time, without a check
/// whether it is too long.
#[inline(always)]
const fn of_all(time: Duration, users: u32) -> Duration {
    match users {
        1 => time,
        _ => time.saturating_mul(users),
    }
}
