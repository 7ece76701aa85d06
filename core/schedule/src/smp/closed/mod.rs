//! Owns: what decides about an instance by its seats, and what its threads and those of others lend
//! each other. Must never know: why a thread waits, but for locks whose owners are helped.
//!
//! Such an instance is *closed*: its [`Decider`] decides, a [`Solo`] where it has one processor and
//! a [`Cluster`] where it has several, or deadlines, a [`Masked`] where threads have affinities, or
//! where deadlines count and threads are bound, and the [`System`](super::System) knows its threads
//! as blocked and its processors as idle. A world that [lends](World::LENDS) seats has its
//! instances closed at all times. In another one, what spans instances *opens* them: then the
//! System decides, and the rings of the decider hold its READY threads. [`Router`] opens and
//! closes, has seats lent, and processors come to closed instances and leave them.

mod affine;
mod cluster;
mod decider;
mod duty;
mod laws;
mod lent;
mod loans;
mod look;
mod masked;
mod part;
mod pinned;
mod router;
mod servers;
mod solo;
mod watch;

pub use affine::{Affine, ByRule};
pub(super) use cluster::LATEST;
pub use cluster::{
    Branches, Budgets, Cluster, Deadlines, Key, Left, Ready, SEATS, Served, Stack, Told, Tops,
    Tournament, Urgency, Waiting, Watched,
};
pub use decider::{Decider, Home, Moved};
pub use look::Sight;
pub use masked::{Bound, Masked, Rings, Rule, Strong, Weak};
pub use router::{Kept, Router, Rows};
pub use solo::Solo;
pub use watch::Act;

use super::Reasons;
use crate::smp;
use crate::{Links, Priority};
use taktos_time::{Duration, Instant};

/// The one reason for which threads that a [`Decider`] decides about are blocked otherwise: they wait, for whatever it is. (Of
/// the reasons the one that lets a thread be moved.)
pub const WAITS: Reasons = Reasons::TIME;

/// Where a thread goes among its equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Behind them.
    Last,
    /// In front of them.
    First,
}

/// What a [`Decider`] must know of the threads and the processors of its world.
pub trait World: Links {
    /// Names a processor's two words: who shall run there and who does.
    type Seat: Copy;

    /// All processors have numbers below this.
    const PROCESSORS: usize;
    /// Whether threads may have servers that throttle them.
    const THROTTLES: bool = false;
    /// Whether it counts how long its threads were heirs also where they have no servers.
    const COUNTS: bool = true;

    /// Whether waits for locks whose owners are helped are decided by loans of seats.
    const LENDS: bool = false;

    /// The seat of the processor `cpu`.
    fn seat(&self, cpu: usize) -> Self::Seat;

    /// The inverse of [`World::seat`]. At most as many steps as there are processors.
    fn number_of(&self, seat: Self::Seat) -> usize;

    /// The idle thread of the processor `cpu`.
    fn idle(&self, cpu: usize) -> Self::Id;

    /// The priority by which `id` is scheduled.
    fn priority(&self, id: Self::Id) -> Priority;

    /// [`World::priority`] as a number of the tables: for a world with more than [`Priority`] has.
    #[inline(always)]
    fn number(&self, id: Self::Id) -> smp::Priority {
        smp::Priority(self.priority(id).level().into())
    }

    /// From now on `id` inherits this priority from who waits for its locks at home, or none: its
    /// [`World::priority`] is that one, if it is the more urgent. Only in a world that
    /// [lends](World::LENDS).
    fn inherit(&self, _id: Self::Id, _priority: Option<smp::Priority>) {}

    /// The word that is kept beside `id`, which is no idle thread, for what decides about its home.
    fn note(&self, id: Self::Id) -> u64;

    /// Sets [`World::note`].
    fn set_note(&self, id: Self::Id, note: u64);

    /// The links that are kept for `id`, which is at home where deadlines count.
    fn branches(&self, id: Self::Id) -> &Branches<Self::Id>;

    /// Who shall run there; it is known.
    fn heir(&self, seat: Self::Seat) -> Self::Id;

    /// Whether it is known who shall run there: always, where [`World::forget_heir`] is never
    /// called.
    fn knows_heir(&self, _seat: Self::Seat) -> bool {
        true
    }

    /// Whose registers are there.
    fn current(&self, seat: Self::Seat) -> Self::Id;

    /// Decides who shall run there.
    fn set_heir(&self, seat: Self::Seat, heir: Self::Id);

    /// Who shall run there is unknown: it is to be dispatched.
    fn forget_heir(&self, seat: Self::Seat);

    /// Whether who shall run there is another one than who does, or unknown.
    fn is_due(&self, seat: Self::Seat) -> bool;

    /// A counter that runs as the time does, in a unit of the world's own.
    fn ticks(&self) -> u64;

    /// `id` was the heir of its processor for `ticks`.
    fn charge(&self, id: Self::Id, ticks: u64);

    /// How long `id` was charged for in all. Not for idle threads.
    fn charged(&self, id: Self::Id) -> Duration;

    /// What was said with [`World::set_limit`].
    fn limit(&self, id: Self::Id) -> Duration;
    /// Having been charged for so long, `id`, which has a server, has used up its budget.
    fn set_limit(&self, id: Self::Id, limit: Duration);

    /// The word that [`World::set_turn`] left beside `id`.
    fn turn(&self, _id: Self::Id) -> i64 {
        0
    }
    /// `id`, which is at home where deadlines count and threads are bound to processors, stands in
    /// the rings with this turn. To be kept in a world in which threads may be bound there.
    fn set_turn(&self, _id: Self::Id, _turn: i64) {}

    /// [`Router::expire`] is to be called for the processor `cpu` in so long a time, or is not any more. It replaces what was
    /// said before, and what [`Effects::arm`](super::Effects::arm) said.
    fn watch(&self, cpu: usize, left: Option<Duration>);

    /// [`Router::expire`] is to be called at that time for the first of the processors that are online,
    /// beside what was said with [`World::watch`] and [`Effects::arm`](super::Effects::arm): a thread
    /// that is throttled gets its budget then. None is any more.
    fn watch_refill(&self, _at: Option<Instant>) {}

    /// The processor `cpu` has another heir: it is to look. Nothing for the one that calls.
    fn call(&self, seat: Self::Seat, cpu: usize);
}
