//! Owns: the change of deciders when the first thread of an instance under deadlines is bound to a
//! processor. Must never know: why it is bound.

use super::decider::Kind;
use super::loans::lent;
use super::{Deadlines, Home, Place, Ready, World};
use crate::smp::order::{Order, Turns};

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// Threads of its instance, which is open, are bound to processors: another one decides from
    /// now on, which takes over the READY threads, whose turns are asked for in their order: as
    /// many steps as there are. Nothing where it does already.
    pub(super) fn part<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        turn: impl FnMut(Id) -> Option<i64>,
    ) {
        if let Kind::Edf = self.kind.get() {
            Q::part(w, self.edf.waiting(), self.affine.begin_to_bind(), turn);
            self.kind.set(Kind::Bound);
        }
    }

    /// [`Home::part`] where seats decide, and `id`, which is in no ring, is bound to a processor:
    /// those who have a seat, and those who are READY, draw turns in their order. As many steps as
    /// there are of both.
    #[inline(never)]
    pub(super) fn part_seats<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        let is_first = matches!(self.kind.get(), Kind::Edf) && self.edf.is_closed();
        if !is_first || Deadlines::bound_to(w, id).is_none() {
            return;
        }
        match self.lends() {
            true => self.part_seats_of(&lent(self, w)),
            false => self.part_seats_of(w),
        }
    }

    /// `id`, which is at home here and the first to be bound to a processor, comes in again, if it
    /// `is_ready`, behind its equals.
    #[cold]
    #[inline(never)]
    pub(super) fn bind_first<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, is_ready: bool) {
        if is_ready {
            self.edf.remove(w, id);
        }
        self.part_seats(w, id);
        if is_ready {
            self.decider().ready(w, id, Place::Last, |_| {});
        }
    }

    fn part_seats_of<W: World<Id = Id, Seat = Seat>>(&self, w: &W) {
        let (is_watched, mut turns) = (self.is_watched(), Turns::NEW);
        let mut draw = || Turns::signed(turns.draw(Order::Append));
        let mut seats = [None; N];
        let mut places = seats.iter_mut();
        self.edf.open(w, |cpu, owner| {
            if let Some(place) = places.next() {
                *place = Some((cpu, owner.map(|id| (id, draw()))));
            }
        });
        self.part(w, |_| Some(draw()));
        let decider = self.decider();
        decider.close(turns.next());
        for (cpu, owner) in seats.into_iter().flatten() {
            decider.seat(w, cpu, owner);
        }
        self.watch(is_watched);
    }
}
