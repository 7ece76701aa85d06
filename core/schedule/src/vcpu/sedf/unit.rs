//! Owns: a unit's record: its period, what it used of it, its scores.
//! Must never know: the other units.

use super::parameters::Parameters;
use crate::Cpu;
use crate::vcpu::kit::list::Place;
use crate::vcpu::kit::topology::FIRST_CPU;
use crate::vcpu::kit::{State, linked, record};
use taktos_time::{Duration, Instant};

/// Kind of the lists of periods: those begun, those to come.
pub(super) const PERIOD: usize = 0;
/// Kind of the lists of units that lost time by blocking.
pub(super) const PENALTY: usize = 1;
/// Kind of the lists of units that share extra time by weight.
pub(super) const UTILISATION: usize = 2;

/// The score of weight 1, for shares by weight (a score is that over the weight).
const SCORE: u64 = 1 << 17;
/// Scores are ratios with ten bits of fraction.
const FRACTION: u32 = 10;

/// How a unit runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Run {
    /// On its slice.
    Slice,
    /// On extra time for the time it lost.
    Penalty,
    /// On its share of extra time.
    Utilisation,
}

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub(super) parameters: Parameters,
    /// In force: the weighted ones' are worked out.
    pub(super) period: Duration,
    pub(super) slice: Duration,
    pub(super) state: State,
    /// End of the current period.
    pub(super) deadline: Instant,
    /// The part of the slice that it has used.
    pub(super) used: Duration,
    /// The time that it lost by its last short block, and has not had back.
    pub(super) lost: Duration,
    pub(super) penalty_score: u64,
    pub(super) score: u64,
    /// Its processor.
    pub(super) home: Cpu,
    /// Where it is to be, once it is off and saved.
    pub(super) goal: Cpu,
    pub(super) running: Option<Run>,
    /// Periods that ended before it had its slice.
    pub(super) missed: u64,
    /// It has been awake before.
    pub(super) started: bool,
    pub(super) links: [Place; 3],
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        parameters: Parameters::DEFAULT,
        period: Parameters::WEIGHT_PERIOD,
        slice: Duration::ZERO,
        state: State::OUT,
        deadline: Instant::START,
        used: Duration::ZERO,
        lost: Duration::ZERO,
        penalty_score: 0,
        score: 0,
        home: FIRST_CPU,
        goal: FIRST_CPU,
        running: None,
        missed: 0,
        started: false,
        links: [Place::OUT; 3],
    };

    /// When the period began, or is to begin, that ends at the deadline.
    #[inline]
    pub(super) fn begin(&self) -> Instant {
        let deadline = self.deadline.as_nanos();
        Instant::from_nanos(deadline.saturating_sub(self.period.as_nanos()))
    }

    /// Whether its current period has begun.
    #[inline]
    pub(super) fn has_begun(&self, now: Instant) -> bool {
        self.begin() <= now
    }

    /// Returns the rest of its slice.
    #[inline]
    pub(super) fn left(&self) -> Duration {
        self.slice.saturating_sub(self.used)
    }

    /// Returns whether it is in the queues of its processor.
    #[inline]
    pub(super) fn is_listed(&self) -> bool {
        let at_home = self.state.awake && self.home == self.goal;
        self.running.is_some() || at_home
    }

    /// Whether it wants time that it lost.
    #[inline]
    pub(super) fn wants_penalty(&self) -> bool {
        self.lost > Duration::ZERO
    }

    /// Changes the slice in force: no more of it can have been used than there is.
    pub(super) fn set_slice(&mut self, slice: Duration) {
        self.slice = slice;
        self.used = self.used.min(slice);
    }

    /// Charges `ran` to the slice. If that is used up, the period is over: what was
    /// overrun is used already of the next one, or of the next ones.
    pub(super) fn charge(&mut self, ran: Duration) {
        let used = self.used.saturating_add(ran).as_nanos();
        let slice = self.slice.as_nanos();
        let periods = used.checked_div(slice).unwrap_or(0);
        self.used = Duration::from_nanos(used.checked_rem(slice).unwrap_or(0));
        self.advance(periods);
    }

    /// Moves the deadline by `periods` periods.
    fn advance(&mut self, periods: u64) {
        let span = self.period.as_nanos().saturating_mul(periods);
        self.deadline = self.deadline.saturating_add(Duration::from_nanos(span));
    }

    /// Moves a unit without a slice to the first period that begins after `now`.
    pub(super) fn skip(&mut self, now: Instant) {
        let behind = now.since(self.begin()).as_nanos();
        self.advance(behind / self.period.as_nanos() + 1);
    }

    /// Ends a period in which it did not have its slice: the deadline moves by whole
    /// periods past `now`, and the slice is fresh.
    pub(super) fn realign(&mut self, now: Instant) {
        let behind = now.since(self.deadline).as_nanos();
        self.advance(behind / self.period.as_nanos() + 1);
        self.used = Duration::ZERO;
        self.missed += 1;
    }

    /// Updates its period when it wakes (the defining rule of SEDF).
    pub(super) fn unblock(&mut self, now: Instant) {
        if !self.started {
            self.started = true;
            self.deadline = now.saturating_add(self.slice);
        }
        if !self.has_begun(now) {
            return;
        }
        if now < self.deadline {
            self.forfeit();
        } else {
            self.deadline = now.saturating_add(self.period);
            self.used = Duration::ZERO;
        }
    }

    /// A short block: what is left of the slice is lost. It wants that as extra time.
    fn forfeit(&mut self) {
        self.lost = self.left();
        // Without a loss there is no score to have.
        let scaled = self.period.as_nanos() << FRACTION;
        self.penalty_score = scaled.checked_div(self.lost.as_nanos()).unwrap_or(0);
        self.advance(1);
        self.used = Duration::ZERO;
    }

    /// The score after a piece of extra time.
    pub(super) fn next_score(&self) -> u64 {
        match self.parameters {
            Parameters::BestEffort { weight } => SCORE / u64::from(weight),
            _ if self.slice > Duration::ZERO => {
                (self.period.as_nanos() << FRACTION) / self.slice.as_nanos()
            }
            _ => SCORE,
        }
    }

    /// Takes over its parameters; weighted ones' slices are worked out apart.
    pub(super) fn take_parameters(&mut self) {
        let (period, slice) = match self.parameters {
            Parameters::Periodic { period, slice, .. } => (period, slice),
            _ => (Parameters::WEIGHT_PERIOD, Duration::ZERO),
        };
        self.period = period;
        self.set_slice(slice);
    }
}

record!(Unit);
linked!(Unit, u16);
