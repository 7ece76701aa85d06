//! Virtual processors on processors: the schedulers of a hypervisor.
//!
//! Owns: the events that a VCPU policy sees, its requests to the world, and the six policies.
//! Must never know: registers, guests, clocks; how long anything takes.
//!
//! # How the world uses a policy
//! One instance of a policy rules one pool of processors. Time never goes back
//! from one call to the next.
//!
//! - A unit comes in asleep ([`Policy::insert`]); [`Policy::wake`] makes it runnable,
//!   [`Policy::sleep`] ends that (it blocked, or it is paused), wherever it is.
//! - A policy never switches a processor itself: it tickles it ([`Effects::tickle`]), and the world
//!   calls [`Policy::schedule`] there as soon as it can. Several tickles before that call are as
//!   good as one. The world calls it also when [`Choice::until`] has come.
//! - When `schedule` chooses another unit than that processor had before, the world switches, and
//!   when the outgoing unit's registers are saved it calls [`Policy::context_saved`] for it (not
//!   for the idle unit). Until then no other processor is given that unit.
//! - A hardware timer is not set closer than [`TIMER_SLOP`] ahead. That floor belongs to the
//!   world: policies request exact instants and live with late ones.
//!
//! The behaviour follows spec 05 (Xen's current source; SEDF from its last
//! release), with the reference's named defects mended and offered as options.

pub mod admission;
pub mod arinc653;
pub mod credit;
pub mod credit2;
mod error;
mod ids;
mod kit;
pub mod null;
pub mod pool;
pub mod rtds;
pub mod sedf;

pub(crate) use error::in_range;
pub use error::{Error, Violation};
pub use ids::{Domain, Vcpu};
pub use kit::topology::Place;

use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// How close ahead a hypervisor lets its hardware timer be set, by default:
/// 50 µs (spec 05, section 0). A parameter of the world.
pub const TIMER_SLOP: Duration = Duration::from_micros(50);

/// Which release's behaviour a policy shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Profile {
    /// Today's source.
    #[default]
    Current,
    /// Release 4.5 of January 2015, the only one with both RTDS and SEDF: for
    /// the published figures of 2015.
    Xen45,
}

/// Whether code that only the simulator needs is left out, as in images, where the size of text
/// counts: the modes that exist for comparison, those of another [`Profile`] among them; and the
/// new placement of units when a processor joins. In an image all processors join before the first
/// unit comes, and stay; affinities stay, too ([`pool::FixedPools`] ensures it).
const PLAIN: bool = cfg!(target_os = "none");

/// Makes a table of the caller's a new one, of the first `most` records. In an image it is new: a
/// scheduler is made once.
fn table<T: Clone + Default>(table: &mut [T], most: usize) -> &mut [T] {
    let most = table.len().min(most);
    let table = &mut table[..most];
    if !PLAIN {
        table.fill(T::default());
    }
    table
}

/// A timer of a policy, one of each name in an instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Timer {
    /// The tick of a processor (CREDIT).
    Tick(Cpu),
    /// The distribution of credit (CREDIT).
    Accounting,
    /// The next start of a period (RTDS).
    Replenishment,
    /// The refill of a capped domain's budget (CREDIT2).
    Refill(Domain),
}

/// The requests of a policy to the world.
pub trait Effects {
    /// Requests a call of [`Policy::schedule`] on `cpu` as soon as can be.
    fn tickle(&mut self, cpu: Cpu);

    /// Requests a call of [`Policy::timer`] with `timer` at `at`, instead of any instant requested
    /// before; none disarms it. An instant that has passed is due at once.
    fn arm(&mut self, timer: Timer, at: Option<Instant>);
}

/// A world in which nothing happens: for setting parameters before it begins.
impl Effects for () {
    fn tickle(&mut self, _: Cpu) {}
    fn arm(&mut self, _: Timer, _: Option<Instant>) {}
}

/// The next unit of a processor, and when it chooses again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// The unit to run; none for the idle unit.
    pub next: Option<Vcpu>,
    /// When [`Policy::schedule`] is due again on this processor without a
    /// tickle; none for never. It replaces the instant of the choice before.
    pub until: Option<Instant>,
}

/// The facts that a policy needs of a unit that comes into its pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admission {
    /// The domain that it belongs to.
    pub domain: Domain,
    /// Where it may run.
    pub hard: CpuSet,
    /// Where it had better run, for policies that heed that.
    pub soft: CpuSet,
}

impl Admission {
    /// A unit of `domain` that may run anywhere and has no preference.
    pub const fn anywhere(domain: Domain) -> Self {
        Self {
            domain,
            hard: CpuSet::ALL,
            soft: CpuSet::ALL,
        }
    }
}

/// Where a unit with affinity `hard` may run in the pool `cpus`: those of the pool
/// that it allows; when it allows none of them, the whole pool, until the pool or
/// the affinity changes (a unit always can run somewhere; [`Error::Stranded`] of
/// the pools keeps it from coming to that).
#[inline]
pub const fn allowed(hard: CpuSet, cpus: CpuSet) -> CpuSet {
    let both = hard.and(cpus);
    if both.is_empty() { cpus } else { both }
}

/// A scheduler of virtual processors over one pool of processors.
///
/// Calls that name a unit or a processor that is not in the pool change nothing;
/// where there is a [`Result`] they say so.
pub trait Policy {
    /// `cpu` joins the pool, idle. Refused with [`Error::CpuPresent`],
    /// [`Error::NoCpuRecord`].
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;

    /// `cpu` leaves the pool: units that wait there go elsewhere at once, and one
    /// that runs there is tickled away ([`Policy::schedule`] gives the idle
    /// unit from now on). The processor is free when [`Policy::current`] is none
    /// there and what ran there is saved. Refused with [`Error::CpuAbsent`],
    /// [`Error::LastCpu`].
    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;

    /// `vcpu` comes into the pool, asleep. Refused with [`Error::NoRecord`],
    /// [`Error::NoDomain`], [`Error::Present`], [`Error::NoCpu`].
    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error>;

    /// `vcpu` leaves the pool. It has to be put to sleep and switched out before.
    /// Refused with [`Error::Absent`], and with [`Error::Busy`] while it is
    /// runnable, running or being switched out.
    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;

    /// `vcpu` is runnable from now on.
    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `vcpu` is not runnable from now on: it blocked, or it is paused.
    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `vcpu`, which is running, lets others go first once.
    fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// From now on `vcpu` may run on `hard` (as far as [`allowed`]), and had
    /// better run on `soft`. Refused with [`Error::Absent`].
    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error>;

    /// Chooses what `cpu` does next. `work`: the hypervisor has work of its own
    /// there, which the idle unit does before any guest.
    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice;

    /// The registers of `vcpu`, which [`Policy::schedule`] took off `cpu`, are saved.
    fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `timer` has gone off.
    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects);

    /// `vcpu`, which is about to sleep at `now`, is to be woken at `at`, which is later: the first
    /// instant from then on at which it may run. A wake-up at that instant does as well. An
    /// answer that is too early is right, too.
    fn supply(&self, _vcpu: Vcpu, at: Instant, _now: Instant) -> Instant {
        at
    }

    /// The last choice of [`Policy::schedule`] for `cpu`; none for the idle unit.
    fn current(&self, cpu: Cpu) -> Option<Vcpu>;

    /// The processors of the pool.
    fn cpus(&self) -> CpuSet;

    /// Checks all that has to be true between two calls. It reads every unit and processor several
    /// times: for tests and the simulator.
    fn check_invariants(&self) -> Result<(), Violation>;
}
