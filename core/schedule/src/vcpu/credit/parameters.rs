//! Owns: the parameters of CREDIT, their defaults, ranges and profiles.
//! Must never know: units, processors.

use crate::vcpu::kit::{check, default_is, ratelimit_in_range};
use crate::vcpu::{Error, PLAIN, Profile, in_range};
use taktos_time::Duration;

/// Credits that a millisecond on a processor costs.
pub const CREDITS_PER_MILLISECOND: i64 = 10;
/// The weight of a domain until another one is set.
pub const DEFAULT_WEIGHT: u16 = 256;
/// While a unit has run for less than this, the check of the rate limit comes
/// again after this much time, not after what remains of the limit.
pub const SHORTEST_CHECK: Duration = Duration::from_micros(100);

/// The affinity that is checked when a waking unit preempts another, although idle processors exist
/// of which none suits the waking unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kick {
    /// The preempted unit's: when an idle processor suits it, it goes there.
    #[default]
    PreemptedUnit,
    /// The waking unit's: its mask holds no idle processor by then, so the preempted unit never
    /// goes. A defect of the reference, for comparison.
    WakingUnit,
}

/// The parameters of a CREDIT pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    pub(super) slice: Duration,
    pub(super) ratelimit: Duration,
    pub(super) migration_delay: Duration,
    pub(super) balance_ratelimit: Duration,
    pub(super) stealing: bool,
    pub(super) placement: bool,
    pub(super) tickle_one_idler: bool,
    pub(super) power_saving: bool,
    pub(super) kick: Kick,
}

impl Parameters {
    /// Slice 30 ms, rate limit 1000 µs, no migration delay, balancing at most
    /// once in 1 ms, stealing and placement on, one idler tickled at a time,
    /// no power saving.
    pub const DEFAULT: Self = Self {
        slice: Duration::from_millis(30),
        ratelimit: Duration::from_micros(1000),
        migration_delay: Duration::ZERO,
        balance_ratelimit: Duration::from_millis(1),
        stealing: true,
        placement: true,
        tickle_one_idler: true,
        power_saving: false,
        kick: Kick::PreemptedUnit,
    };

    /// The defaults of a release: 4.5 did not limit the rate of balancing.
    pub const fn of(profile: Profile) -> Self {
        match profile {
            Profile::Current => Self::DEFAULT,
            Profile::Xen45 => Self {
                balance_ratelimit: Duration::ZERO,
                ..Self::DEFAULT
            },
        }
    }

    /// Returns these, of which images hold what a description can state; the rest is as in
    /// [`Parameters::DEFAULT`] there.
    #[inline(always)]
    pub(super) const fn held(&self) -> Self {
        if !PLAIN {
            return *self;
        }
        Self {
            slice: self.slice,
            ratelimit: self.ratelimit,
            migration_delay: self.migration_delay,
            stealing: self.stealing,
            placement: self.placement,
            ..Self::DEFAULT
        }
    }

    /// With neither stealing nor placement: a unit stays on its processor as
    /// long as its affinity and the pool allow it.
    pub const fn without_balancing(self) -> Self {
        self.with_stealing(false).with_placement(false)
    }

    /// How long a unit runs at a stretch, and the period of accounting: whole
    /// milliseconds, 1 to 1000, and no less than the rate limit.
    pub const fn with_slice(mut self, slice: Duration) -> Result<Self, Error> {
        let (ns, least) = (slice.as_nanos(), self.ratelimit.as_nanos());
        let milliseconds = ns / MILLISECOND;
        let part = ns % MILLISECOND;
        check!(in_range("slice's part of a millisecond", part, 0, 0, "ns"));
        check!(in_range("slice", milliseconds, 1, 1000, "ms"));
        check!(in_range("slice", ns, least, SLICE_MAXIMUM, "ns"));
        self.slice = slice;
        Ok(self)
    }

    /// How long a unit that has started runs at least while it can: 0 (off) or
    /// 100 to 500 000 µs, and no more than the slice.
    pub const fn with_ratelimit(mut self, ratelimit: Duration) -> Result<Self, Error> {
        let (ns, most) = (ratelimit.as_nanos(), self.slice.as_nanos());
        check!(ratelimit_in_range(ns));
        check!(in_range("ratelimit", ns, 0, most, "ns"));
        self.ratelimit = ratelimit;
        Ok(self)
    }

    /// For how long after a unit was switched out no other processor steals it:
    /// 0 to 100 ms.
    pub const fn with_migration_delay(mut self, delay: Duration) -> Result<Self, Error> {
        let most = 100 * MILLISECOND;
        check!(in_range("migration delay", delay.as_nanos(), 0, most, "ns"));
        self.migration_delay = delay;
        Ok(self)
    }

    /// A processor that has looked for work to steal does not look again until
    /// more than this has passed: 0 (off) to 1 s.
    pub const fn with_balance_ratelimit(mut self, limit: Duration) -> Result<Self, Error> {
        let most = 1000 * MILLISECOND;
        check!(in_range(
            "balance ratelimit",
            limit.as_nanos(),
            0,
            most,
            "ns"
        ));
        self.balance_ratelimit = limit;
        Ok(self)
    }

    /// Whether a processor without urgent work takes that of others. Without it
    /// a waking unit tickles its own processor only, for no other could take it.
    pub const fn with_stealing(mut self, stealing: bool) -> Self {
        self.stealing = stealing;
        self
    }

    /// Whether units are placed on the idlest processor when they come in, move,
    /// and at the ticks.
    pub const fn with_placement(mut self, placement: bool) -> Self {
        self.placement = placement;
        self
    }

    /// Whether a wake-up tickles one suitable idle processor, or all of them.
    pub const fn with_tickle_one_idler(mut self, tickle_one_idler: bool) -> Self {
        self.tickle_one_idler = tickle_one_idler;
        self
    }

    /// Whether placement fills cores and sockets one by one instead of spreading.
    pub const fn with_power_saving(mut self, power_saving: bool) -> Self {
        self.power_saving = power_saving;
        self
    }

    /// Sets the affinity that decides whether a preempted unit goes to an idle processor.
    pub const fn with_kick(mut self, kick: Kick) -> Self {
        self.kick = kick;
        self
    }

    /// The slice, which is also the period of accounting.
    pub const fn slice(&self) -> Duration {
        self.slice
    }

    /// The rate limit.
    pub const fn ratelimit(&self) -> Duration {
        self.ratelimit
    }

    /// The period of the ticks: a third of the slice; the slice itself when that
    /// is shorter than 3 ms.
    pub const fn tick(&self) -> Duration {
        let ns = self.slice.as_nanos();
        Duration::from_nanos(if ns < 3 * MILLISECOND { ns } else { ns / 3 })
    }

    /// Returns the cost of a slice on a processor, in credits: the pot's part for each processor,
    /// and the clamp of the credit or debt of a unit.
    pub const fn slice_credits(&self) -> i64 {
        (self.slice.as_nanos() / MILLISECOND) as i64 * CREDITS_PER_MILLISECOND
    }
}

default_is!(Parameters: DEFAULT);

const MILLISECOND: u64 = 1_000_000;
const SLICE_MAXIMUM: u64 = 1000 * MILLISECOND;
