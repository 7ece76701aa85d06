//! Owns: the rules of constant-bandwidth servers: the refill of a budget, and the deadline that
//! goes with it.
//! Must never know: the thread that runs, jobs, timers.
//!
//! After L. Abeni and G. Buttazzo, "Integrating Multimedia Applications in Hard Real-Time Systems"
//! (RTSS 1998), section 3. A server has a budget Q and a period T. The rules, at time t, with the
//! deadline d and what is left of the budget, c:
//! - the thread wakes: if t ≥ d, or c / (d − t) ≥ Q / T, it begins again with d = t + T and c = Q;
//!   otherwise it continues with what it has, for c by d is no more than its share;
//! - the budget is used up (c = 0): d moves on by T and c becomes Q again. A *soft* server does so
//!   at once; a *hard* one is throttled until t = d and does so then.

use taktos_time::{Duration, Instant};

/// The server of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub budget: Duration,
    pub period: Duration,
    /// By when what is left is to be served, and from when on it can be refilled.
    pub deadline: Instant,
    /// The CPU time of the thread at which the budget is used up.
    pub limit: Duration,
    pub hard: bool,
    /// Whether its thread waits for the refill.
    pub throttled: bool,
}

impl Server {
    /// Creates a server with nothing left and a deadline that is over: it begins again when its
    /// thread wakes.
    pub fn new(budget: Duration, period: Duration, hard: bool, used: Duration) -> Self {
        Self {
            budget,
            period,
            deadline: Instant::START,
            limit: used,
            hard,
            throttled: false,
        }
    }

    /// The rest of the budget for a thread that has used so much CPU time.
    pub fn left(&self, used: Duration) -> Duration {
        self.limit.saturating_sub(used)
    }

    /// The thread wakes, having used so much. Whether it may run; if not, not before the deadline.
    pub fn wake(&mut self, used: Duration, now: Instant) -> bool {
        if self.has_its_share(used, now) {
            self.deadline = now.saturating_add(self.period);
            self.limit = self.limit.min(used).saturating_add(self.budget);
        }
        self.settle(used, now)
    }

    /// c / (d − t) ≥ Q / T, without rounding. From the deadline on it holds for any c.
    fn has_its_share(&self, used: Duration, now: Instant) -> bool {
        let wide = |span: Duration| u128::from(span.as_nanos());
        let until = self.deadline.since(now);
        wide(self.left(used)) * wide(self.period) >= wide(until) * wide(self.budget)
    }

    /// Refills the budget if it is used up and may be, until something is left. Returns whether
    /// the thread may run; if not, not before the deadline.
    pub fn settle(&mut self, used: Duration, now: Instant) -> bool {
        while used >= self.limit {
            if self.hard && now < self.deadline {
                return false;
            }
            self.deadline = self.deadline.saturating_add(self.period);
            self.limit = self.limit.saturating_add(self.budget);
        }
        true
    }
}
