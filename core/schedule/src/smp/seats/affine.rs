//! Owns: the choice between the rules of [`Masked`] that few instances have. Must never know: how
//! each decides.
//!
//! All functions here are out of line, so that instances under other rules pay nothing for them.

use super::laws::Law;
use super::masked::{Bound, Rings};
use super::{Masked, Place, Ready, SEATS, Weak, World};
use crate::ReadyQueue;
use core::cell::Cell;

/// The seats of an instance with affinities under another rule than strong affinity: one of each.
pub struct Affine<Id: Copy + Eq, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    weak: Masked<Id, Q::Affine, Weak, N>,
    bound: Masked<Id, Q::Bound, Bound, N>,
    /// Whether threads are bound, and deadlines count.
    binds: Cell<bool>,
    /// Whether acts may go to it directly.
    pub(super) direct: Cell<bool>,
}

/// The seats of an [`Affine`], by the rule of its instance.
pub enum ByRule<'a, Id: Copy + Eq, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    /// Where no thread is shifted for another's affinity.
    Weak(&'a Masked<Id, Q::Affine, Weak, N>),
    /// Where deadlines count, and threads are bound to processors.
    Bound(&'a Masked<Id, Q::Bound, Bound, N>),
}

/// Calls the one that it is.
macro_rules! each {
    ($affine:expr, $seats:ident => $call:expr) => {
        match $affine.by_rule() {
            ByRule::Weak($seats) => $call,
            ByRule::Bound($seats) => $call,
        }
    };
}

impl<Id: Copy + Eq, Q: Ready<Id>, const N: usize> Affine<Id, Q, N> {
    /// One that does not decide yet, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = Self {
        weak: Masked::EMPTY,
        bound: Masked::EMPTY,
        binds: Cell::new(false),
        direct: Cell::new(false),
    };

    /// The seats that decide.
    #[inline(always)]
    pub(crate) fn by_rule(&self) -> ByRule<'_, Id, Q, N> {
        match self.binds.get() {
            false => ByRule::Weak(&self.weak),
            true => ByRule::Bound(&self.bound),
        }
    }

    /// From now on threads are bound, and deadlines count. The rings for that, which are empty.
    pub(super) fn begin_to_bind(&self) -> &Q::Bound {
        self.binds.set(true);
        self.bound.rings()
    }

    /// See [`Masked::arrive`].
    pub(super) fn arrive<W: World<Id = Id>>(&self, w: &W) {
        each!(self, seats => seats.arrive(w));
    }

    /// See [`Masked::has`].
    #[inline(never)]
    pub(crate) fn has(&self, cpu: usize) -> bool {
        each!(self, seats => seats.has(cpu))
    }

    /// See [`Masked::owner`].
    #[inline(never)]
    pub fn owner(&self, cpu: usize) -> Option<Id> {
        each!(self, seats => seats.owner(cpu))
    }

    /// See [`Masked::seat_of`].
    pub(super) fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        each!(self, seats => seats.seat_of(w, id))
    }

    /// See [`Rings::place`].
    pub(super) fn place_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> usize {
        match self.binds.get() {
            false => Q::Affine::place(w, id),
            true => Q::Bound::place(w, id),
        }
    }

    /// See [`Masked::for_each_seat`].
    pub(super) fn for_each_seat(&self, visit: impl FnMut(usize, Option<Id>)) {
        each!(self, seats => seats.for_each_seat(visit));
    }

    /// See [`Masked::check`].
    pub(super) fn check<W: World<Id = Id>>(&self, w: &W) -> Law {
        each!(self, seats => seats.check(w))
    }

    /// Whether `id`, which is ready, has a seat, or none that has none comes before it.
    #[inline(always)]
    pub(super) fn keeps_place<W: World<Id = Id>>(&self, w: &W, id: Id) -> bool {
        each!(self, seats => seats.keeps_place(w, id))
    }

    /// Whether `id`, which is at home in its instance, may run on the processor `cpu`.
    #[inline(never)]
    pub fn allows<W: World<Id = Id>>(&self, w: &W, id: Id, cpu: usize) -> bool {
        each!(self, seats => seats.allows(w, id, cpu))
    }

    /// See [`Masked::charge_owner`].
    #[inline(never)]
    pub(crate) fn charge_owner<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        each!(self, seats => seats.charge_owner(w, cpu));
    }

    /// See [`Masked::dispatch`].
    #[inline(never)]
    pub fn dispatch<W: World<Id = Id>>(&self, w: &W, here: usize) -> Id {
        each!(self, seats => seats.dispatch(w, here))
    }

    /// See [`Masked::ready`].
    #[inline(never)]
    pub fn ready<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        each!(self, seats => seats.ready(w, id, place));
    }

    /// See [`Masked::remove`].
    #[inline(never)]
    pub fn remove<W: World<Id = Id>>(&self, w: &W, id: Id) {
        each!(self, seats => seats.remove(w, id));
    }

    /// See [`Masked::requeue`].
    #[inline(never)]
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        each!(self, seats => seats.requeue(w, id, place));
    }

    /// See [`Masked::change`].
    #[inline(never)]
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        each!(self, seats => seats.change(w, id, set, place));
    }

    /// See [`Masked::waiting_has_changed`].
    #[cold]
    #[inline(never)]
    pub fn waiting_has_changed<W: World<Id = Id>>(&self, w: &W) {
        each!(self, seats => seats.waiting_has_changed(w));
    }

    /// Makes `receiver`, a ring of its own, ready, and puts `sender`, which is ready, after its
    /// equals.
    #[inline(never)]
    pub(super) fn direct_switch<W: World<Id = Id>>(&self, w: &W, receiver: Id, sender: Id) {
        match self.by_rule() {
            ByRule::Weak(weak) => {
                weak.ready(w, receiver, Place::First);
                weak.requeue(w, sender, Place::Last);
            }
            ByRule::Bound(bound) => bound.direct_switch(w, receiver, sender),
        }
    }

    /// Returns the first thread in the rings that `will_do`. As many steps as there are before it.
    #[inline(never)]
    pub(super) fn first<W: World<Id = Id>>(
        &self,
        w: &W,
        will_do: impl FnMut(Id) -> bool,
    ) -> Option<Id> {
        each!(self, seats => Some(seats.rings().search(w, will_do)?.0))
    }

    /// Visits all threads in the rings, in their order.
    #[inline(never)]
    pub(super) fn for_each<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        each!(self, seats => seats.rings().visit_all(w, visit));
    }

    /// See [`Masked::start`].
    #[inline(never)]
    pub(super) fn start(&self, drawn: i64) {
        each!(self, seats => seats.start(drawn));
        self.direct.set(true);
    }

    /// See [`Masked::seat`].
    #[inline(never)]
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<(Id, i64)>) {
        each!(self, seats => seats.seat(w, cpu, heir));
    }

    /// See [`Masked::gain`].
    #[inline(never)]
    pub(super) fn gain<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        each!(self, seats => seats.gain(w, cpu));
    }

    /// See [`Masked::lose`].
    #[inline(never)]
    pub(super) fn lose<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        each!(self, seats => seats.lose(w, cpu))
    }

    /// See [`Masked::come_back`].
    #[inline(never)]
    pub(super) fn come_back<W: World<Id = Id>>(&self, w: &W, id: Id) {
        each!(self, seats => seats.come_back(w, id));
    }
}
