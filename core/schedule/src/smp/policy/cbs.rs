//! Owns: the rules of constant-bandwidth servers: when a budget is refilled, and with which
//! deadline. Must never know: the running thread, a job, a timer.
//!
//! After L. Abeni and G. Buttazzo, "Integrating Multimedia Applications in Hard Real-Time Systems"
//! (RTSS 1998), section 3. A server has a budget Q and a period T. Whatever its thread does, it
//! takes no more of the processors than a periodic task with execution time Q and period T would.
//! So the other threads keep their guarantees. The rules, at time t, with the deadline d and what
//! is left of the budget, c:
//! - the thread wakes: if t ≥ d, or c / (d − t) ≥ Q / T, the server begins again with d = t + T and
//!   c = Q; otherwise it continues with c and d, for c by d is no more than its share;
//! - the budget is used up (c = 0): d moves on by T and c becomes Q again. A *soft* server does so
//!   at once: its thread may continue, after all with earlier deadlines. A *hard* one is throttled
//!   until t = d and does so then.
//!
//! Under global EDF on m processors every server gets its Q by its d if the sum of all Q / T is at
//! most m − (m − 1)·max Q / T (J. Goossens, S. Funk and S. Baruah, "Priority-driven scheduling of
//! periodic task systems on multiprocessors", 2003; for servers instead of tasks, S. Baruah, J.
//! Goossens and G. Lipari, RTAS 2002).
//!
//! The budget is a limit to the thread's CPU time: as that is kept anyway, a change of heirs costs
//! nothing more. If the world comes too late, the thread owes the difference, which the next budget
//! pays.

use super::members::Member;
use crate::Branch;
use taktos_time::{Duration, Instant};

/// A row of the table of servers: the one of a thread.
#[derive(Clone, Debug)]
pub struct ServerRecord {
    /// The processor time in every `period`; zero: the thread has no server.
    pub(crate) budget: Duration,
    pub(crate) period: Duration,
    /// By when what is left is to be served, and from when on it can be refilled.
    pub(crate) deadline: Instant,
    /// The CPU time of the thread at which the budget is used up.
    pub(crate) limit: Duration,
    /// Whether it is throttled when its budget is used up.
    pub(crate) hard: bool,
    /// Whether its thread is throttled: then it is in the heap of those that are.
    pub(crate) throttled: bool,
    /// Links in that heap.
    pub(crate) branch: Branch<Member>,
}

impl ServerRecord {
    /// No server.
    pub const EMPTY: Self = Self {
        budget: Duration::ZERO,
        period: Duration::ZERO,
        deadline: Instant::START,
        limit: Duration::ZERO,
        hard: false,
        throttled: false,
        branch: Branch::LOOSE,
    };

    /// Creates a server with nothing left and a deadline that is over: it begins again when its
    /// thread wakes.
    pub fn new(budget: Duration, period: Duration, hard: bool, used: Duration) -> Self {
        Self {
            budget,
            period,
            hard,
            limit: used,
            ..Self::EMPTY
        }
    }

    #[inline(always)]
    pub(crate) fn exists(&self) -> bool {
        self.budget > Duration::ZERO
    }

    /// Returns the rest of the budget of a thread that has used so much CPU time.
    #[inline(always)]
    pub(crate) fn left(&self, used: Duration) -> Duration {
        self.limit.saturating_sub(used)
    }

    /// The thread wakes, having used so much. Whether it may run; if not, not before the deadline.
    /// A fixed number of steps.
    pub(crate) fn wake(&mut self, used: Duration, now: Instant) -> bool {
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

    /// Refills the budget if it is used up and may be. Whether the thread may run; if not, not
    /// before the deadline. A fixed number of steps.
    pub fn settle(&mut self, used: Duration, now: Instant) -> bool {
        if used < self.limit {
            return true;
        }
        let wanted = used.saturating_sub(self.limit).as_nanos() / self.budget.as_nanos() + 1;
        let due = if self.hard {
            if now < self.deadline {
                return false;
            }
            now.since(self.deadline).as_nanos() / self.period.as_nanos() + 1
        } else {
            u64::MAX
        };
        let refills = wanted.min(due);
        let times = |span: Duration| Duration::from_nanos(span.as_nanos().saturating_mul(refills));
        self.deadline = self.deadline.saturating_add(times(self.period));
        self.limit = self.limit.saturating_add(times(self.budget));
        used < self.limit
    }
}

impl Default for ServerRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_time::Span;

    fn at(ms: u64) -> Instant {
        Instant::START.saturating_add(Duration::from_millis(ms))
    }

    fn server(hard: bool) -> ServerRecord {
        ServerRecord::new(2.millis(), 10.millis(), hard, 7.millis())
    }

    #[test]
    fn begins_anew_at_the_first_job() {
        let mut server = server(false);
        assert!(server.wake(7.millis(), at(3)));
        assert_eq!(server.deadline, at(13));
        assert_eq!(server.left(7.millis()), 2.millis());
    }

    #[test]
    fn keeps_what_it_has_while_that_is_less_than_its_share() {
        let mut server = server(false);
        server.wake(7.millis(), at(0));
        // 1 ms is left. Until 5 ms before the deadline that is less than a fifth of the time.
        assert!(server.wake(8.millis(), at(4)));
        assert_eq!(
            (server.deadline, server.left(8.millis())),
            (at(10), 1.millis())
        );
        // Exactly a fifth: it begins again.
        assert!(server.wake(8.millis(), at(5)));
        assert_eq!(
            (server.deadline, server.left(8.millis())),
            (at(15), 2.millis())
        );
    }

    #[test]
    fn begins_anew_at_the_deadline_whatever_is_left() {
        let mut server = server(true);
        server.wake(7.millis(), at(0));
        assert!(server.wake(9.millis(), at(10)));
        assert_eq!(
            (server.deadline, server.left(9.millis())),
            (at(20), 2.millis())
        );
    }

    #[test]
    fn soft_goes_on_with_a_later_deadline() {
        let mut server = server(false);
        server.wake(7.millis(), at(0));
        assert!(server.settle(9.millis(), at(2)));
        assert_eq!(
            (server.deadline, server.left(9.millis())),
            (at(20), 2.millis())
        );
        // Nothing is changed while something is left.
        assert!(server.settle(10.millis(), at(3)));
        assert_eq!(
            (server.deadline, server.left(10.millis())),
            (at(20), 1.millis())
        );
    }

    #[test]
    fn hard_waits_for_its_deadline() {
        let mut server = server(true);
        server.wake(7.millis(), at(0));
        assert!(!server.settle(9.millis(), at(2)));
        assert_eq!(server.deadline, at(10));
        assert!(!server.settle(9.millis(), at(9)));
        assert!(server.settle(9.millis(), at(10)));
        assert_eq!(
            (server.deadline, server.left(9.millis())),
            (at(20), 2.millis())
        );
    }

    #[test]
    fn wakes_with_nothing_left_as_it_would_go_on() {
        let mut soft = server(false);
        soft.wake(7.millis(), at(0));
        assert!(soft.wake(9.millis(), at(4)));
        assert_eq!((soft.deadline, soft.left(9.millis())), (at(20), 2.millis()));
        let mut hard = server(true);
        hard.wake(7.millis(), at(0));
        assert!(!hard.wake(9.millis(), at(4)));
        assert_eq!(hard.deadline, at(10));
    }

    #[test]
    fn what_was_used_too_much_is_owed() {
        let mut soft = server(false);
        soft.wake(7.millis(), at(0));
        // 5 ms instead of 2: two more budgets are begun, of the second of which 1 ms is left.
        assert!(soft.settle(12.millis(), at(5)));
        assert_eq!(
            (soft.deadline, soft.left(12.millis())),
            (at(30), 1.millis())
        );
        let mut hard = server(true);
        hard.wake(7.millis(), at(0));
        assert!(!hard.settle(12.millis(), at(5)));
        assert!(!hard.settle(12.millis(), at(10)));
        assert_eq!(hard.deadline, at(20));
        assert!(hard.settle(12.millis(), at(20)));
        assert_eq!(
            (hard.deadline, hard.left(12.millis())),
            (at(30), 1.millis())
        );
        // Neither is forgiven by sleeping.
        let mut soft = server(false);
        soft.wake(7.millis(), at(0));
        assert!(soft.wake(10.millis(), at(50)));
        assert_eq!(
            (soft.deadline, soft.left(10.millis())),
            (at(60), 1.millis())
        );
    }
}
