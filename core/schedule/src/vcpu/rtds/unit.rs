//! Owns: a unit's record: its server's state and its place.
//! Must never know: the other units.

use super::options::Parameters;
use crate::Cpu;
use crate::vcpu::kit::list::Place;
use crate::vcpu::kit::{State, linked, record};
use taktos_time::{Duration, Instant};

/// Kind of the lists in which a unit waits to run, or for a refill.
pub(super) const WAITING: usize = 0;
/// Kind of the lists ordered by refill.
pub(super) const REFILL: usize = 1;

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// Its server in this period.
    pub(super) parameters: Parameters,
    /// Its server from the next refill on.
    pub(super) wanted: Parameters,
    pub(super) state: State,
    /// End of the current period; meaningless before `started`.
    pub(super) deadline: Instant,
    /// The rest of the budget, or of the chunk of extra time.
    pub(super) left: Duration,
    /// Zero on the guarantee, above on extra time.
    pub(super) level: u32,
    /// Up to when its running has been charged.
    pub(super) charged: Instant,
    /// Where it ran last, or runs.
    pub(super) cpu: Option<Cpu>,
    /// A processor has chosen it.
    pub(super) running: bool,
    /// Its grid of releases has begun.
    pub(super) started: bool,
    /// Its last refill took it off extra time or gave it something again, while it waited.
    pub(super) lifted: bool,
    pub(super) links: [Place; 2],
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        parameters: Parameters::DEFAULT,
        wanted: Parameters::DEFAULT,
        state: State::OUT,
        deadline: Instant::START,
        left: Duration::ZERO,
        level: 0,
        charged: Instant::START,
        cpu: None,
        running: false,
        started: false,
        lifted: false,
        links: [Place::OUT; 2],
    };

    /// Whether it comes strictly before `other`: lower level, then earlier deadline.
    #[inline]
    pub(super) fn beats(&self, other: &Self) -> bool {
        (self.level, self.deadline) < (other.level, other.deadline)
    }

    /// Whether it may run on what is left.
    #[inline]
    pub(super) fn is_able(&self) -> bool {
        self.left > Duration::ZERO
    }

    /// Whether it does not sleep, or is still on a processor or being switched out.
    pub(super) const fn is_about(&self) -> bool {
        self.state.awake || self.running || self.state.saving
    }

    /// Begins the grid of releases at its first activation, and after that moves the
    /// deadline by whole periods past `now`. A new period has a full budget,
    /// level 0 and the parameters that were wanted. Says whether there is one.
    pub(super) fn refresh(&mut self, now: Instant) -> bool {
        if self.started && now < self.deadline {
            return false;
        }
        let start = match self.started {
            true => self.deadline,
            false => now,
        };
        self.started = true;
        self.parameters = self.wanted;
        let period = self.parameters.period.as_nanos();
        let passed = now.since(start).as_nanos() / period;
        let ahead = Duration::from_nanos((passed + 1).saturating_mul(period));
        self.deadline = start.saturating_add(ahead);
        self.left = self.parameters.budget;
        self.level = 0;
        // Time that the unit ran before belongs to the period before.
        self.charged = now;
        true
    }

    /// Charges what it ran since it was charged last. Overrun is forgiven: with `extratime` it
    /// continues with a full chunk one level lower, otherwise with nothing.
    pub(super) fn charge(&mut self, now: Instant, extratime: bool) {
        let ran = now.since(self.charged);
        self.charged = now;
        self.left = self.left.saturating_sub(ran);
        if self.left == Duration::ZERO && extratime && self.parameters.extratime {
            self.level = self.level.saturating_add(1);
            self.left = self.parameters.budget;
        }
    }
}

record!(Unit);
linked!(Unit, u16);
