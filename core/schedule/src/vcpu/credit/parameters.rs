//! Owns: the parameters of CREDIT, their defaults, ranges and profiles.
//! Must never know: units, processors.

use crate::vcpu::{Error, PLAIN, Profile, in_range};
use taktos_time::Duration;

/// Credits that a millisecond on a processor costs.
pub const CREDITS_PER_MILLISECOND: i64 = 10;
/// What weighs a domain that nobody gave a weight.
pub const DEFAULT_WEIGHT: u16 = 256;
/// While a unit has run for less than this, the check of the rate limit comes
/// again after this much time, not after what remains of the limit.
pub const SHORTEST_CHECK: Duration = Duration::from_micros(100);

/// Whose affinity is asked when a waking unit preempts another, although idle
/// processors exist of which none suits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kick {
    /// The preempted unit's: when an idle processor suits it, it goes there.
    #[default]
    PreemptedUnit,
    /// The waking unit's, whose mask holds no idle processor by then: the
    /// preempted unit never goes. A defect of the reference, for comparison.
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

    /// These, of which images hold what a description can ask for; the rest is as in [`Parameters::DEFAULT`] there.
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
    pub const fn with_slice(self, slice: Duration) -> Result<Self, Error> {
        let (ns, least) = (slice.as_nanos(), self.ratelimit.as_nanos());
        let milliseconds = ns / MILLISECOND;
        let fits = if milliseconds * MILLISECOND == ns {
            in_range("slice", milliseconds, 1, 1000, "ms")
        } else {
            in_range(
                "slice's part of a millisecond",
                ns % MILLISECOND,
                0,
                0,
                "ns",
            )
        };
        if let Err(error) = fits {
            return Err(error);
        }
        if let Err(error) = in_range("slice", ns, least, SLICE_MAXIMUM, "ns") {
            return Err(error);
        }
        Ok(Self { slice, ..self })
    }

    /// How long a unit that has started runs at least while it can: 0 (off) or
    /// 100 to 500 000 µs, and no more than the slice.
    pub const fn with_ratelimit(self, ratelimit: Duration) -> Result<Self, Error> {
        let ns = ratelimit.as_nanos();
        if let Err(error) = ratelimit_in_range(ns) {
            return Err(error);
        }
        if let Err(error) = in_range("ratelimit", ns, 0, self.slice.as_nanos(), "ns") {
            return Err(error);
        }
        Ok(Self { ratelimit, ..self })
    }

    /// For how long after a unit was switched out no other processor steals it:
    /// 0 to 100 ms.
    pub const fn with_migration_delay(self, migration_delay: Duration) -> Result<Self, Error> {
        let ns = migration_delay.as_nanos();
        match in_range("migration delay", ns, 0, 100 * MILLISECOND, "ns") {
            Err(error) => Err(error),
            Ok(()) => Ok(Self {
                migration_delay,
                ..self
            }),
        }
    }

    /// A processor that has looked for work to steal does not look again until
    /// more than this has passed: 0 (off) to 1 s.
    pub const fn with_balance_ratelimit(self, balance_ratelimit: Duration) -> Result<Self, Error> {
        let ns = balance_ratelimit.as_nanos();
        match in_range("balance ratelimit", ns, 0, 1000 * MILLISECOND, "ns") {
            Err(error) => Err(error),
            Ok(()) => Ok(Self {
                balance_ratelimit,
                ..self
            }),
        }
    }

    /// Whether a processor without urgent work takes that of others. Without it
    /// a waking unit tickles its own processor only, for no other could take it.
    pub const fn with_stealing(self, stealing: bool) -> Self {
        Self { stealing, ..self }
    }

    /// Whether units are placed on the idlest processor when they come in, move,
    /// and at the ticks.
    pub const fn with_placement(self, placement: bool) -> Self {
        Self { placement, ..self }
    }

    /// Whether a wake-up tickles one suitable idle processor, or all of them.
    pub const fn with_tickle_one_idler(self, tickle_one_idler: bool) -> Self {
        Self {
            tickle_one_idler,
            ..self
        }
    }

    /// Whether placement fills cores and sockets one by one instead of spreading.
    pub const fn with_power_saving(self, power_saving: bool) -> Self {
        Self {
            power_saving,
            ..self
        }
    }

    /// Whose affinity decides whether a preempted unit goes to an idle processor.
    pub const fn with_kick(self, kick: Kick) -> Self {
        Self { kick, ..self }
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

    /// What a slice on a processor costs, in credits: the pot's part for each
    /// processor, and the clamp of what a unit can have or owe.
    pub const fn slice_credits(&self) -> i64 {
        (self.slice.as_nanos() / MILLISECOND) as i64 * CREDITS_PER_MILLISECOND
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const MILLISECOND: u64 = 1_000_000;
const SLICE_MAXIMUM: u64 = 1000 * MILLISECOND;

/// The range of the rate limits of CREDIT and CREDIT2, in nanoseconds.
pub(in crate::vcpu) const fn ratelimit_in_range(ns: u64) -> Result<(), Error> {
    if ns == 0 {
        return Ok(());
    }
    in_range(
        "ratelimit (0 turns it off)",
        ns,
        100_000,
        500 * MILLISECOND,
        "ns",
    )
}
