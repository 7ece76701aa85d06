//! Owns: the ready threads of a cluster that have no seat, and their order. Must never know: the
//! owners of seats.

use super::super::{Place, Rings, World};
use super::key::{Key, Urgency};
use super::{Deadlines, Left, SEATS, Tops};
use crate::smp::Level;
use crate::{Priority, ReadyQueue};
use core::cell::Cell;

/// The ready threads without a seat, in the order in which they are served. Equals are in the
/// order in which they came.
pub trait Waiting<Id: Copy + Eq>: Sized {
    /// By what they are ordered.
    type Urgency: Urgency;
    /// The key by which seats are compared.
    type Key: Key;
    /// The processors that stopped idling.
    type Left: Left;
    /// The summary of the seats' keys that is kept with them.
    type Tops: Tops<Self::Key>;
    /// Whether a thread keeps its place among its equals if its urgency is set to the same value.
    const KEEPS_TURN: bool;
    /// No thread waits.
    const EMPTY: Self;

    /// How urgent `id` is.
    fn urgency<W: World<Id = Id>>(w: &W, id: Id) -> Self::Urgency;
    /// The processor of which [`Waiting::set_cpu`] was said last.
    fn cpu<W: World<Id = Id>>(w: &W, id: Id) -> usize;
    /// `id` is the heir of the processor `cpu`.
    fn set_cpu<W: World<Id = Id>>(w: &W, id: Id, cpu: usize);

    /// Puts `id`, a ring of its own, after its equals.
    fn append<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency);
    /// Puts `id`, a ring of its own, in front of its equals.
    fn prepend<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency);
    /// Puts `id`, a ring of its own, in front of all: none is more urgent.
    fn push_front<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency);
    /// Takes out `id`; it is then a ring of its own.
    fn remove<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency);
    /// Returns the thread that is served first, and its urgency.
    fn first<W: World<Id = Id>>(&self, w: &W) -> Option<(Id, Self::Urgency)>;
    /// The thread that is served first.
    #[inline(always)]
    fn top<W: World<Id = Id>>(&self, w: &W) -> Option<Id> {
        Some(self.first(w)?.0)
    }
    /// The first of those that are `urgency`; none is more urgent.
    fn first_equal<W: World<Id = Id>>(&self, w: &W, urgency: Self::Urgency) -> Option<Id>;
    /// Takes out `first`, the first of its equals, which is then a ring of its own. Puts `id`, a
    /// ring of its own, after them.
    fn exchange<W: World<Id = Id>>(&self, w: &W, first: Id, id: Id, urgency: Self::Urgency);
    /// Visits all, in their order. As many steps as there are, at least.
    fn for_each<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id));

    /// Puts `id`, a ring of its own, after its equals or in front of them.
    fn put<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency, place: Place) {
        match place {
            Place::Last => self.append(w, id, urgency),
            Place::First => self.prepend(w, id, urgency),
        }
    }

    /// Takes out the thread that is served first; it is then a ring of its own.
    #[inline(always)]
    fn pop<W: World<Id = Id>>(&self, w: &W) -> Option<(Id, Self::Urgency)> {
        let (first, urgency) = self.first(w)?;
        self.remove(w, first, urgency);
        Some((first, urgency))
    }
}

/// The ready threads of a cluster that have no seat, under fixed priorities, by the world's
/// numbers of priorities and processors.
pub trait Ready<Id: Copy + Eq>: Waiting<Id> {
    /// Their form if deadlines count.
    type Deadlines: Waiting<Id, Urgency = Level, Left = Self::Left>;
    /// Their form if threads have affinities.
    type Affine: Rings<Id>;
    /// Their form if deadlines count, and threads are bound to processors.
    type Bound: Rings<Id, Urgency = Level>;
    /// Whether the decider for one processor knows the world's priorities. Otherwise a
    /// [`Cluster`](super::Cluster) decides about that, too.
    const SOLO: bool = false;

    /// Takes over the threads of `solo`, which has none then; this one has none before.
    fn take_over(&self, _solo: &ReadyQueue<Id>) {}

    /// `bound` has the threads of `all` from now on, some of which are bound to processors; see
    /// [`Home::part`](crate::smp::seats::Home).
    fn part<W: World<Id = Id>>(
        w: &W,
        all: &Self::Deadlines,
        bound: &Self::Bound,
        turn: impl FnMut(Id) -> Option<i64>,
    );
}

impl<Id: Copy + Eq> Ready<Id> for ReadyQueue<Id> {
    type Deadlines = Deadlines<Id>;
    type Affine = Self;
    type Bound = Deadlines<Id>;
    const SOLO: bool = true;

    fn take_over(&self, solo: &Self) {
        Self::take_over(self, solo);
    }

    #[inline(always)]
    fn part<W: World<Id = Id>>(
        w: &W,
        all: &Deadlines<Id>,
        bound: &Deadlines<Id>,
        turn: impl FnMut(Id) -> Option<i64>,
    ) {
        bound.take_over(w, all, turn);
    }
}

/// Under fixed priorities: a ring for each.
impl<Id: Copy + Eq> Waiting<Id> for ReadyQueue<Id> {
    type Urgency = Priority;
    type Key = u64;
    type Left = Cell<u64>;
    type Tops = ();
    const KEEPS_TURN: bool = false;
    const EMPTY: Self = Self::EMPTY;

    #[inline(always)]
    fn urgency<W: World<Id = Id>>(w: &W, id: Id) -> Priority {
        w.priority(id)
    }

    #[inline(always)]
    fn cpu<W: World<Id = Id>>(w: &W, id: Id) -> usize {
        w.note(id) as usize & (SEATS - 1)
    }

    #[inline(always)]
    fn set_cpu<W: World<Id = Id>>(w: &W, id: Id, cpu: usize) {
        w.set_note(id, cpu as u64);
    }

    #[inline(always)]
    fn append<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        Self::append(self, w, id, priority);
    }

    #[inline(always)]
    fn prepend<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        Self::prepend(self, w, id, priority);
    }

    #[inline(always)]
    fn push_front<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        Self::prepend(self, w, id, priority);
    }

    #[inline(always)]
    fn remove<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        Self::remove(self, w, id, priority);
    }

    #[inline(always)]
    fn first<W: World<Id = Id>>(&self, _: &W) -> Option<(Id, Priority)> {
        let priority = self.urgent()?;
        Some((self.head(priority)?, priority))
    }

    #[inline(always)]
    fn top<W: World<Id = Id>>(&self, _: &W) -> Option<Id> {
        Self::top(self)
    }

    #[inline(always)]
    fn first_equal<W: World<Id = Id>>(&self, _: &W, priority: Priority) -> Option<Id> {
        self.head(priority)
    }

    #[inline(always)]
    fn exchange<W: World<Id = Id>>(&self, w: &W, first: Id, id: Id, priority: Priority) {
        Self::exchange(self, w, first, id, priority);
    }

    fn for_each<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        Self::for_each(self, w, visit);
    }
}
