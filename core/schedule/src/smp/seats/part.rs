//! Owns: the change of deciders when the first thread of an instance under deadlines is bound to a
//! processor. Must never know: why it is bound.

use super::decider::Kind;
use super::loans::lent;
use super::{Deadlines, Home, Ready, World};
use crate::Cpu;

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// Changes the decider, as threads of its instance are bound to processors. The new one takes
    /// over the READY threads, and calls `turn` for each in their order: as many steps as there
    /// are. Does nothing if the new one decides already.
    pub(super) fn part<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        turn: impl FnMut(Id) -> Option<i64>,
    ) {
        let (waiting, kind) = match self.kind.get() {
            Kind::Edf => (self.edf.waiting(), Kind::Bound),
            Kind::Served => (self.served.waiting(), Kind::ServedBound),
            _ => return,
        };
        Q::part(w, waiting, self.affine.begin_to_bind(), turn);
        self.kind.set(kind);
        if !self.lends() {
            // The users are those of the last loans still.
            self.lent_seats()
                .iter()
                .for_each(|seat| seat.user.set(None));
        }
    }

    /// [`Home::part`], when `id`, which is in no ring, is bound to a processor: the threads with a
    /// seat, and the READY threads, draw turns in their order. As many steps as there are of both.
    #[inline(never)]
    pub(super) fn part_seats<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        let is_first = matches!(self.kind.get(), Kind::Edf | Kind::Served);
        if !is_first || Deadlines::bound_to(w, id).is_none() {
            return;
        }
        match self.lends() {
            true => self.part_seats_of(&lent(self, w)),
            false => self.part_seats_of(w),
        }
    }

    fn part_seats_of<W: World<Id = Id, Seat = Seat>>(&self, w: &W) {
        let (is_watched, mut drawn) = (self.is_watched(), 0);
        let mut draw = || {
            drawn += 1;
            drawn - 1
        };
        let mut seats = [None; N];
        let mut places = seats.iter_mut();
        let tell = |cpu, owner: Option<Id>| {
            if let Some(place) = places.next() {
                *place = Some((cpu, owner.map(|id| (id, draw()))));
            }
        };
        match self.kind.get() {
            Kind::Served => self.served.end(w, tell),
            _ => self.edf.end(w, tell),
        };
        self.part(w, |_| Some(draw()));
        let decider = self.decider();
        decider.start(drawn);
        for (cpu, owner) in seats.into_iter().flatten() {
            decider.seat(w, cpu, owner);
            if self.binds_servers() && !self.lends() {
                let seat = self.lent_seat(Cpu::masked(cpu as u8));
                let [last, spent] = self.served.give_budgets(w, cpu);
                seat.user.set(owner.map(|(id, _)| id));
                seat.last.set(last);
                seat.spent.set(spent);
            }
        }
        self.watch(is_watched);
    }
}
