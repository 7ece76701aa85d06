//! Owns: a unit's record: its server's state and where it stands.
//! Must never know: the other units.

use super::options::Parameters;
use crate::vcpu::list::{Place, Places};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// Kind of the lists in which a unit waits to run, or for a refill.
pub(super) const WAITING: usize = 0;
/// Kind of the lists ordered by refill.
pub(super) const REFILL: usize = 1;

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// What its server is in this period.
    pub(super) parameters: Parameters,
    /// What it will be from the next refill on.
    pub(super) wanted: Parameters,
    pub(super) hard: CpuSet,
    /// End of the current period; meaningless before `started`.
    pub(super) deadline: Instant,
    /// What is left of the budget, or of the chunk of extra time.
    pub(super) left: Duration,
    /// Zero on the guarantee, above on extra time.
    pub(super) level: u32,
    /// Up to when its running has been charged.
    pub(super) charged: Instant,
    /// Where it ran last, or runs.
    pub(super) cpu: Option<Cpu>,
    pub(super) state: State,
    /// Its last refill took it off extra time or gave it something again, while it waited.
    pub(super) lifted: bool,
    pub(super) waiting: Place,
    pub(super) refill: Place,
}

/// Flags of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// It is in the pool.
    pub(super) present: bool,
    /// It is runnable.
    pub(super) awake: bool,
    /// A processor has chosen it.
    pub(super) running: bool,
    /// It was taken off a processor, and its registers are not saved yet.
    pub(super) saving: bool,
    /// Its grid of releases has begun.
    pub(super) started: bool,
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        parameters: Parameters::DEFAULT,
        wanted: Parameters::DEFAULT,
        hard: CpuSet::ALL,
        deadline: Instant::START,
        left: Duration::ZERO,
        level: 0,
        charged: Instant::START,
        cpu: None,
        state: State {
            present: false,
            awake: false,
            running: false,
            saving: false,
            started: false,
        },
        lifted: false,
        waiting: Place::OUT,
        refill: Place::OUT,
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

    /// Begins the grid of releases at its first activation, and after that moves the
    /// deadline by whole periods past `now`. A new period has a full budget,
    /// level 0 and the parameters that were wanted. Says whether there is one.
    pub(super) fn refresh(&mut self, now: Instant) -> bool {
        if self.state.started && now < self.deadline {
            return false;
        }
        let start = match self.state.started {
            true => self.deadline,
            false => now,
        };
        self.state.started = true;
        self.parameters = self.wanted;
        let period = self.parameters.period.as_nanos();
        let passed = now.since(start).as_nanos() / period;
        let ahead = Duration::from_nanos((passed + 1).saturating_mul(period));
        self.deadline = start.saturating_add(ahead);
        self.left = self.parameters.budget;
        self.level = 0;
        // What it ran before belongs to the period before.
        self.charged = now;
        true
    }

    /// Charges what it ran since it was charged last. Overrun is forgiven: with
    /// `extratime` it goes on with a full chunk one level lower, otherwise with nothing.
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

impl Default for Unit {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Places<WAITING> for Unit {
    fn place(&self) -> &Place {
        &self.waiting
    }
    fn place_mut(&mut self) -> &mut Place {
        &mut self.waiting
    }
}

impl Places<REFILL> for Unit {
    fn place(&self) -> &Place {
        &self.refill
    }
    fn place_mut(&mut self) -> &mut Place {
        &mut self.refill
    }
}
