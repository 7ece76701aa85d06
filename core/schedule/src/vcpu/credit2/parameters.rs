//! Owns: the parameters of CREDIT2, their defaults, ranges and profiles.
//! Must never know: units, processors.

use crate::vcpu::kit::{check, default_is, ratelimit_in_range};
use crate::vcpu::{Error, PLAIN, Profile, in_range};
use taktos_time::Duration;

/// The credit of a unit that comes in, and what a reset adds: 10 ms, in nanoseconds.
pub const CREDIT_INITIAL: i64 = 10_000_000;
/// No unit owes more.
pub const CREDIT_FLOOR: i64 = -CREDIT_INITIAL;
/// No unit has more.
pub const CREDIT_CEILING: i64 = CREDIT_INITIAL + 500_000;
/// The credit of the idle unit: less than that of any other unit.
pub const CREDIT_IDLE: i64 = CREDIT_FLOOR - 1;
/// How much more credit a unit needs to be taken to another processor than it ran on.
pub const MIGRATION_RESISTANCE: i64 = 500_000;
/// The credit that a unit gains for the cold caches there.
pub const MIGRATION_COMPENSATION: i64 = 50_000;
/// How much less than the rate limit a unit may have run to be worth a tickle.
pub const RATELIMIT_TOLERANCE: Duration = Duration::from_micros(50);
/// The least time for which a chosen unit runs, and the least part that it takes of its domain's
/// budget.
pub const SLICE_MINIMUM: Duration = Duration::from_micros(500);
/// The period in which a capped domain's budget is refilled.
pub const CAP_PERIOD: Duration = Duration::from_millis(10);
/// The weight of a domain until another one is set.
pub const DEFAULT_WEIGHT: u16 = 256;

/// Which processors share a run queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// None: each has its own.
    Cpu,
    /// The threads of a core.
    Core,
    /// The processors of a socket.
    #[default]
    Socket,
    /// The processors of a memory node.
    Node,
    /// All.
    All,
}

/// How processors are grouped to run queues; fixed for the life of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grouping {
    pub(super) scope: Scope,
    pub(super) largest: usize,
}

impl Grouping {
    /// By socket, at most 16 processors on a queue.
    pub const DEFAULT: Self = Self {
        scope: Scope::Socket,
        largest: 16,
    };

    /// By `scope`, with at most `largest` processors on a queue: 1 to 64.
    pub const fn new(scope: Scope, largest: usize) -> Result<Self, Error> {
        check!(in_range(
            "processors on a run queue",
            largest as u64,
            1,
            64,
            ""
        ));
        Ok(Self { scope, largest })
    }
}

/// Between which queues' loads the balance checks whether the machine is busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Capacity {
    /// The two with the loads that differ most, between which units would move.
    #[default]
    MostDifferent,
    /// The own one and whichever was checked last. A defect of the reference, for comparison.
    LastVisited,
}

/// The parameters of a CREDIT2 pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    pub(super) ratelimit: Duration,
    pub(super) slice_maximum: Duration,
    pub(super) window_bits: u8,
    pub(super) precision_bits: u8,
    pub(super) underload: i8,
    pub(super) overload: i8,
    pub(super) balancing: bool,
    pub(super) placement: bool,
    pub(super) capacity: Capacity,
    pub(super) profile: Profile,
}

impl Parameters {
    /// Rate limit 1000 µs, slices up to 10 ms, a load window of 2³⁰ ns with 18
    /// fraction bits, tolerances of 2⁰ and 2⁻³ units, balancing and placement on.
    pub const DEFAULT: Self = Self {
        ratelimit: Duration::from_micros(1000),
        slice_maximum: Duration::from_millis(10),
        window_bits: 30,
        precision_bits: 18,
        underload: 0,
        overload: -3,
        balancing: true,
        placement: true,
        capacity: Capacity::MostDifferent,
        profile: Profile::Current,
    };

    /// The defaults of a release. In 4.5: slices up to 2 ms, no rate limit, no
    /// caps, no soft affinity, and a unit that wakes preempts its own processor
    /// before it looks for an idle one.
    pub const fn of(profile: Profile) -> Self {
        match profile {
            Profile::Current => Self::DEFAULT,
            Profile::Xen45 => Self {
                ratelimit: Duration::ZERO,
                slice_maximum: Duration::from_millis(2),
                profile,
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
            ratelimit: self.ratelimit,
            balancing: self.balancing,
            placement: self.placement,
            ..Self::DEFAULT
        }
    }

    /// With neither balancing nor placement: a unit stays on its run queue as
    /// long as its affinity and the pool allow it.
    pub const fn without_balancing(self) -> Self {
        self.with_balancing(false).with_placement(false)
    }

    /// How long a unit that has started runs at least while it can: 0 (off) or
    /// 100 to 500 000 µs; 0 only in release 4.5.
    pub const fn with_ratelimit(mut self, ratelimit: Duration) -> Result<Self, Error> {
        let ns = ratelimit.as_nanos();
        check!(match self.held().profile {
            Profile::Current => ratelimit_in_range(ns),
            Profile::Xen45 => in_range("ratelimit (release 4.5 has none)", ns, 0, 0, "ns"),
        });
        self.ratelimit = ratelimit;
        Ok(self)
    }

    /// The window of the load averages, 2ᵇⁱᵗˢ ns: 20 to 34 bits.
    pub const fn with_load_window(mut self, bits: u8) -> Result<Self, Error> {
        check!(in_range("load window", bits as u64, 20, 34, "bits"));
        self.window_bits = bits;
        Ok(self)
    }

    /// The fraction bits of the load averages: 8 to 22. Only before units come in.
    pub const fn with_load_precision(mut self, bits: u8) -> Result<Self, Error> {
        check!(in_range("load precision", bits as u64, 8, 22, "bits"));
        self.precision_bits = bits;
        Ok(self)
    }

    /// By how many units, 2ᵘⁿᵈᵉʳˡᵒᵃᵈ and 2ᵒᵛᵉʳˡᵒᵃᵈ, two queues' loads have to
    /// differ for the balance to act, while the larger load is below the number of
    /// processors and from there on: −8 to 8 each.
    pub const fn with_tolerances(mut self, underload: i8, overload: i8) -> Result<Self, Error> {
        check!(tolerance_in_range(underload));
        check!(tolerance_in_range(overload));
        (self.underload, self.overload) = (underload, overload);
        Ok(self)
    }

    /// Whether a reset balances the load between run queues.
    pub const fn with_balancing(mut self, balancing: bool) -> Self {
        self.balancing = balancing;
        self
    }

    /// Whether units that come in or move go to the least loaded run queue.
    pub const fn with_placement(mut self, placement: bool) -> Self {
        self.placement = placement;
        self
    }

    /// Between which queues' loads the balance checks whether the machine is busy.
    pub const fn with_capacity(mut self, capacity: Capacity) -> Self {
        self.capacity = capacity;
        self
    }

    /// The rate limit.
    pub const fn ratelimit(&self) -> Duration {
        self.ratelimit
    }

    /// The longest slice.
    pub const fn slice_maximum(&self) -> Duration {
        self.slice_maximum
    }

    /// The release.
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// One unit of load, as the averages count it.
    pub(super) const fn whole_load(&self) -> i64 {
        1 << self.precision_bits
    }

    /// The difference of loads from which on the balance acts.
    pub(super) const fn tolerance(&self, busy: bool) -> i64 {
        let exponent = if busy { self.overload } else { self.underload };
        1 << (self.precision_bits as i32 + exponent as i32)
    }
}

default_is!(Grouping, Parameters: DEFAULT);

const fn tolerance_in_range(exponent: i8) -> Result<(), Error> {
    // Errors carry numbers without sign: the reciprocal of the tolerance is named.
    if exponent < 0 {
        return in_range(
            "load tolerance as the part of a unit 2^-n, n",
            exponent.unsigned_abs() as u64,
            1,
            8,
            "",
        );
    }
    in_range("load tolerance as units 2^n, n", exponent as u64, 0, 8, "")
}
