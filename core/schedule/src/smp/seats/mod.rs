//! Owns: the deciders of instances by seats, and the loans between an instance's threads and those
//! of others. Must never know: why a thread waits, except for locks with owners that are helped.
//!
//! A [`Decider`] decides about an instance, from [`Router::begin`] on. It is a [`Solo`] if the
//! instance has one processor, and a [`Cluster`] if it has several, or deadlines. It is a
//! [`Masked`] if threads have affinities, or if deadlines count and threads are bound. The
//! [`System`](super::System) knows its threads by their rows alone. [`Router`] has seats lent if
//! locks span instances, and processors come to instances and leave them; [`Driver`] is the whole
//! operations of a world of threads.

mod affine;
mod cluster;
mod decider;
mod driver;
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
    Branches, Budgets, Cluster, Deadlines, Key, Left, Ready, SEATS, Served, Stack, Tops,
    Tournament, Urgency, Waiting, Watched,
};
pub use decider::{Decider, Home, Moved};
pub use driver::{Driver, Host};
pub use look::Sight;
pub use masked::{Bits, Bound, Masked, Rings, Rule, Strong, Weak};
pub use router::{Router, Rows};
pub use solo::Solo;
pub use watch::Act;

use crate::smp;
use crate::{Links, Priority};
use taktos_time::{Duration, Instant};

/// Where a thread goes among its equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// After them.
    Last,
    /// In front of them.
    First,
}

/// The threads and the processors of a world, as far as a [`Decider`] must know them.
pub trait World: Links {
    /// Names a processor's two words: the thread that is to run there, and the one that does.
    type Seat: Copy;

    /// All processors have numbers below this.
    const PROCESSORS: usize;
    /// Whether threads may have servers that throttle them.
    const THROTTLES: bool = false;
    /// Whether it counts how long its threads were heirs also where they have no servers.
    const COUNTS: bool = true;

    /// The seat of the processor `cpu`.
    fn seat(&self, cpu: usize) -> Self::Seat;

    /// The inverse of [`World::seat`]. At most as many steps as there are processors.
    fn number_of(&self, seat: Self::Seat) -> usize;

    /// The idle thread of the processor `cpu`.
    fn idle(&self, cpu: usize) -> Self::Id;

    /// The priority by which `id` is scheduled.
    fn priority(&self, id: Self::Id) -> Priority;

    /// [`World::priority`] as a number of the rows: for a world with more than [`Priority`] has.
    #[inline(always)]
    fn number(&self, id: Self::Id) -> smp::Priority {
        smp::Priority(self.priority(id).level().into())
    }

    /// Makes `id` inherit this priority from the threads that wait for its locks at home, or none:
    /// its [`World::priority`] is that one, if it is the more urgent.
    fn inherit(&self, _id: Self::Id, _priority: Option<smp::Priority>) {}

    /// Returns the word that is kept with `id`, which is no idle thread, for the decider of its
    /// home.
    fn note(&self, id: Self::Id) -> u64;

    /// Sets [`World::note`].
    fn set_note(&self, id: Self::Id, note: u64);

    /// The links that are kept for `id`, which is at home where deadlines count.
    fn branches(&self, id: Self::Id) -> &Branches<Self::Id>;

    /// Returns the thread that is to run there; it is known.
    fn heir(&self, seat: Self::Seat) -> Self::Id;

    /// Returns whether the thread that is to run there is known: always, if [`World::forget_heir`]
    /// is never called.
    fn knows_heir(&self, _seat: Self::Seat) -> bool {
        true
    }

    /// Returns the thread that has its registers there.
    fn current(&self, seat: Self::Seat) -> Self::Id;

    /// Sets the thread that is to run there.
    fn set_heir(&self, seat: Self::Seat, heir: Self::Id);

    /// Makes the thread that is to run there unknown: it is to be dispatched.
    fn forget_heir(&self, seat: Self::Seat);

    /// Returns whether the thread that is to run there is another than the one that does, or
    /// unknown.
    fn is_due(&self, seat: Self::Seat) -> bool;

    /// A counter that runs as the time does, in a unit of the world's own.
    fn ticks(&self) -> u64;

    /// `id` was the heir of its processor for `ticks`.
    fn charge(&self, id: Self::Id, ticks: u64);

    /// How long `id` was charged for in all. Not for idle threads.
    fn charged(&self, id: Self::Id) -> Duration;

    /// Returns the limit that [`World::set_limit`] set.
    fn limit(&self, id: Self::Id) -> Duration;
    /// Sets the charged time at which `id`, which has a server, has used up its budget.
    fn set_limit(&self, id: Self::Id, limit: Duration);

    /// Returns the word that [`World::set_turn`] stored for `id`.
    fn turn(&self, _id: Self::Id) -> i64 {
        0
    }
    /// Stores the turn of `id`, which is at home where deadlines count and threads are bound to
    /// processors, and is in the rings. To be kept in a world in which threads may be bound there.
    fn set_turn(&self, _id: Self::Id, _turn: i64) {}

    /// Requests a call of [`Router::expire`] for the processor `cpu` after the time `left`, or
    /// none any more. Replaces the previous request.
    fn watch(&self, cpu: usize, left: Option<Duration>);

    /// Requests a call of [`Router::expire`] at that time for the first of the processors that are
    /// online, in addition to those of [`World::watch`]: a thread that is throttled gets its
    /// budget then. None cancels the request.
    fn watch_refill(&self, _at: Option<Instant>) {}

    /// The processor `cpu` has another heir: it is to look. Nothing for the one that calls.
    fn call(&self, seat: Self::Seat, cpu: usize);

    /// The seat of the processor `cpu` has another owner, or is free now. For a world in which a
    /// processor looks again for each such change, also where its heir, the idle thread, stays.
    #[inline(always)]
    fn appointed(&self, _cpu: usize) {}
}
