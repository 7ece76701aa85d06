//! Owns: the choice between the rules of [`Masked`] that few instances have. Must never know: how each decides.
//!
//! All functions here are out of line, so that instances under other rules pay nothing for them.

use super::duty::Duty;
use super::laws::Law;
use super::masked::{Bound, Rings};
use super::{Deadlines, Masked, Place, Weak, World};
use crate::smp::Level;
use core::cell::Cell;

/// The seats of an instance with affinities under another rule than strong affinity: one of each.
pub struct Affine<Id: Copy + Eq> {
    weak: Masked<Id, Weak>,
    bound: Masked<Id, Bound>,
    /// Whether threads are bound, and deadlines count.
    binds: Cell<bool>,
    /// Whether the seats decide, by which rule they ever do.
    duty: Duty,
}

/// The seats of an [`Affine`], by the rule of its instance.
pub enum ByRule<'a, Id: Copy + Eq> {
    /// Where nobody is shifted for another's affinity.
    Weak(&'a Masked<Id, Weak>),
    /// Where deadlines count, and threads are bound to processors.
    Bound(&'a Masked<Id, Bound>),
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

impl<Id: Copy + Eq> Affine<Id> {
    /// One that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        weak: Masked::OPEN,
        bound: Masked::OPEN,
        binds: Cell::new(false),
        duty: Duty::new(),
    };

    /// The seats that decide.
    #[inline(always)]
    pub fn by_rule(&self) -> ByRule<'_, Id> {
        match self.binds.get() {
            false => ByRule::Weak(&self.weak),
            true => ByRule::Bound(&self.bound),
        }
    }

    /// From now on threads are bound, and deadlines count. The rings for that, which are empty.
    pub(super) fn begin_to_bind(&self) -> &Deadlines<Id> {
        self.binds.set(true);
        self.bound.rings()
    }

    /// See [`Masked::is_closed`].
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.duty.is_on()
    }

    /// Whether they decide, and by which ways they are found.
    #[inline(always)]
    pub(super) fn duty(&self) -> &Duty {
        &self.duty
    }

    /// See [`Masked::arrive`].
    pub(super) fn arrive<W: World<Id = Id>>(&self, w: &W) {
        each!(self, seats => seats.arrive(w));
    }

    /// See [`Masked::has`].
    #[inline(never)]
    pub fn has(&self, cpu: usize) -> bool {
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
    pub fn charge_owner<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
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

    /// `receiver`, a ring of its own, becomes ready, and `sender`, which is ready, goes behind its equals.
    #[inline(never)]
    pub(super) fn hand_turn<W: World<Id = Id>>(&self, w: &W, receiver: Id, sender: Id) {
        match self.by_rule() {
            ByRule::Weak(weak) => {
                weak.ready(w, receiver, Place::First);
                weak.requeue(w, sender, Place::Last);
            }
            ByRule::Bound(bound) => bound.hand_turn(w, receiver, sender),
        }
    }

    /// The first of those that stand in the rings that `will_do`. As many steps as there are before it.
    #[inline(never)]
    pub(super) fn first<W: World<Id = Id>>(
        &self,
        w: &W,
        will_do: impl FnMut(Id) -> bool,
    ) -> Option<Id> {
        each!(self, seats => Some(seats.rings().search(w, will_do)?.0))
    }

    /// Visits all that stand in the rings, in their order.
    #[inline(never)]
    pub(super) fn for_each<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        each!(self, seats => seats.rings().visit_all(w, visit));
    }

    /// `id`, which stands in the rings at `level`, does so no longer.
    #[inline(never)]
    pub(super) fn take<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        match self.by_rule() {
            ByRule::Weak(weak) => weak.rings().take_out(w, id, level.as_priority()),
            ByRule::Bound(bound) => bound.rings().take_out(w, id, level),
        }
    }

    /// `id`, a ring of its own, stands in the rings from now on; see [`Masked::put`].
    #[inline(never)]
    pub(super) fn put<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        level: Level,
        turn: i64,
        place: Place,
    ) {
        match self.by_rule() {
            ByRule::Weak(weak) => weak.put(w, id, level.as_priority(), turn, place),
            ByRule::Bound(bound) => bound.put(w, id, level, turn, place),
        }
    }

    /// See [`Masked::turn`].
    #[inline(never)]
    pub(super) fn turn<W: World<Id = Id>>(&self, w: &W, id: Id) -> i64 {
        each!(self, seats => seats.turn(w, id))
    }

    /// See [`Masked::close`].
    #[inline(never)]
    pub(super) fn close(&self, next: [i64; 2]) {
        each!(self, seats => seats.close(next));
        self.duty.set(true);
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

    /// See [`Masked::open`].
    #[inline(never)]
    pub(super) fn open<W: World<Id = Id>>(
        &self,
        w: &W,
        tell: impl FnMut(usize, Option<(Id, Option<i64>)>),
    ) -> (u64, [i64; 2]) {
        self.duty.set(false);
        each!(self, seats => seats.open(w, tell))
    }
}
