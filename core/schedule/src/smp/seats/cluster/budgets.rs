//! Owns: the thread that each processor's alarm is for, and the thread that lost a processor with
//! its budget used up. Must never know: the rules of servers, the order in which threads are
//! served.
//!
//! An alarm is set when a thread with a server gets a seat. When it loses the seat to others, the
//! alarm stays, and finds nothing to do: so they need not know.
//!
//! A thread that is *throttled* waits for its budget. It has neither a seat nor a place in the
//! rings, also where it waits for nothing else; the tables keep the list of all such threads.

use super::super::World;
use super::deadlines::{Note, is_served, is_throttled};
use super::{Cluster, Deadlines, SEATS, Waiting, index};
use crate::smp::Level;
use core::cell::Cell;
use taktos_time::Duration;

/// The notes of a [`Cluster`] about budgets: nothing if threads have no servers.
pub trait Budgets<Id: Copy + Eq>: Sized {
    /// Nothing is noted.
    const NONE: Self;
    /// Whether it is to be known how long threads were heirs.
    const COUNT: bool = false;

    /// The processor of which `id` was the heir last, as [`Waiting::cpu`] says; or a number that
    /// [`Budgets::are_of`] knows.
    #[inline(always)]
    fn last<Q: Waiting<Id>, W: World<Id = Id>>(w: &W, id: Id) -> usize {
        Q::cpu(w, id)
    }
    /// Whether this was said of one with a server.
    #[inline(always)]
    fn are_of(_last: usize) -> bool {
        false
    }
    /// Whether `id`, which waits for nothing else, is throttled.
    #[inline(always)]
    fn hold_back<W: World<Id = Id>>(_: &W, _id: Id) -> bool {
        false
    }
    /// `id`, which has a server and had the seat of `from` last, has that of `cpu` from now on.
    fn has_sat<W: World<Id = Id>>(&self, _: &W, _id: Id, _from: usize, _cpu: usize) {}
    /// One with a server is about to leave the seat of `cpu`, and waits.
    fn leaves(&self, _cpu: usize) {}
    /// It has left the seat, which another has now, or none.
    fn has_left<W: World<Id = Id>>(&self, _: &W, _cpu: usize) {}
}

impl<Id: Copy + Eq> Budgets<Id> for () {
    const NONE: Self = ();
}

/// The notes about each processor.
pub struct Watched<Id, const N: usize = SEATS> {
    /// The thread with the budget that the alarm is for.
    last: [Cell<Option<Id>>; N],
    /// The last thread that lost the processor with its budget used up, as in the tables.
    spent: [Cell<Option<Id>>; N],
}

impl<Id: Copy + Eq, const N: usize> Budgets<Id> for Watched<Id, N> {
    const NONE: Self = Self {
        last: [const { Cell::new(None) }; N],
        spent: [const { Cell::new(None) }; N],
    };
    const COUNT: bool = true;

    #[inline(always)]
    fn last<Q: Waiting<Id>, W: World<Id = Id>>(w: &W, id: Id) -> usize {
        if N == SEATS {
            return (w.note(id) & Note::LAST) as usize;
        }
        Q::cpu(w, id) + if is_served(w, id) { N } else { 0 }
    }

    #[inline(always)]
    fn are_of(last: usize) -> bool {
        last >= N
    }

    #[inline(always)]
    fn hold_back<W: World<Id = Id>>(w: &W, id: Id) -> bool {
        is_throttled(w, id)
    }

    fn has_sat<W: World<Id = Id>>(&self, w: &W, id: Id, from: usize, cpu: usize) {
        if from != cpu {
            self.look_back(w, from, id);
        }
        if let Some(last) = self.last[index::<N>(cpu)].replace(Some(id)) {
            self.note_spent(w, cpu, last);
        }
        self.watch(w, id, cpu);
    }

    fn leaves(&self, cpu: usize) {
        self.last[index::<N>(cpu)].set(None);
    }

    fn has_left<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        let [last, spent] = [&self.last, &self.spent].map(|all| all[index::<N>(cpu)].get());
        if last.is_none() && spent.is_none() {
            w.watch(cpu, None);
        }
    }
}

impl<Id: Copy + Eq, const N: usize> Watched<Id, N> {
    /// Sets the alarm of `cpu` for the budget of `id`, which has the seat there.
    fn watch<W: World<Id = Id>>(&self, w: &W, id: Id, cpu: usize) {
        self.last[index::<N>(cpu)].set(Some(id));
        let left = match self.spent[index::<N>(cpu)].get() {
            None => Self::left(w, id),
            Some(_) => Duration::ZERO,
        };
        w.watch(cpu, Some(left));
    }

    /// `id` has lost the seat of `cpu`.
    fn look_back<W: World<Id = Id>>(&self, w: &W, cpu: usize, id: Id) {
        if self.last[index::<N>(cpu)].get() == Some(id) {
            self.last[index::<N>(cpu)].set(None);
            self.note_spent(w, cpu, id);
        }
    }

    /// `id` has lost the seat of `cpu`: it is noted if it had used up its budget.
    fn note_spent<W: World<Id = Id>>(&self, w: &W, cpu: usize, id: Id) {
        if is_served(w, id) && Self::left(w, id) == Duration::ZERO {
            self.spent[index::<N>(cpu)].set(Some(id));
        }
    }

    /// Returns the thread that lost the seat of `cpu` with its budget used up, and forgets it.
    fn take_spent<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        if let Some(last) = self.last[index::<N>(cpu)].get()
            && w.heir(w.seat(cpu)) != last
        {
            self.look_back(w, cpu, last);
        }
        self.spent[index::<N>(cpu)].take()
    }

    /// Returns the rest of the budget of `id`, which was charged until now.
    fn left<W: World<Id = Id>>(w: &W, id: Id) -> Duration {
        w.limit(id).saturating_sub(w.charged(id))
    }
}

/// The seats of an instance in which threads may have servers.
pub type Served<Id, Q = Deadlines<Id>, const N: usize = SEATS> = Cluster<Id, Q, Watched<Id, N>, N>;

impl<Id: Copy + Eq> Served<Id> {
    /// Whether `id` has a server: [`Router::renew`](super::super::Router::renew) is to be called
    /// before it becomes ready.
    #[inline(always)]
    pub fn serves<W: World<Id = Id>>(w: &W, id: Id) -> bool {
        is_served(w, id)
    }
}

impl<Id: Copy + Eq, Q: Waiting<Id, Urgency = Level>, const N: usize> Served<Id, Q, N> {
    /// Returns the threads that may have used up their budgets on `cpu`: the one that lost it, and
    /// its heir. They are charged until now, wherever they run.
    pub(in super::super) fn may_have_spent<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
    ) -> [Option<Id>; 2] {
        self.charge_heir(w, cpu);
        let spent = self.budgets.take_spent(w, cpu);
        if let Some(spent) = spent {
            self.charge_seat_of(w, spent);
        }
        [spent, self.served_heir(w, cpu)]
    }

    /// `id` is charged until now, if it has a seat.
    pub(in super::super) fn charge_seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) {
        if let Some(cpu) = self.seat_of(w, id) {
            self.charge_heir(w, cpu);
        }
    }

    /// Prepares for a new budget of `id`: notes whether the old one was used up when `id` lost its
    /// last seat.
    pub(in super::super) fn look_back<W: World<Id = Id>>(&self, w: &W, id: Id) {
        let cpu = Q::cpu(w, id);
        if self.budgets.last[index::<N>(cpu)].get() == Some(id) && self.seat_of(w, id).is_none() {
            self.budgets.look_back(w, cpu, id);
        }
    }

    /// `id`, which is ready, is about to leave its seat, if it has one, and to come in again: it is
    /// noted if it has used up its budget.
    pub(in super::super) fn loses<W: World<Id = Id>>(&self, w: &W, id: Id) {
        if let Some(cpu) = self.seat_of(w, id) {
            self.charge_heir(w, cpu);
            self.budgets.look_back(w, cpu, id);
        }
    }

    /// The alarm of `cpu` is for its heir's budget again, if that has a server.
    pub(in super::super) fn watch_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if let Some(heir) = self.served_heir(w, cpu) {
            self.budgets.watch(w, heir, cpu);
        }
    }

    /// Ends the decisions about `cpu`. Returns the thread that lost the seat with its budget used
    /// up.
    pub(in super::super) fn forget_budgets<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
    ) -> Option<Id> {
        let spent = self.budgets.take_spent(w, cpu);
        self.budgets.leaves(cpu);
        spent
    }

    /// The heir of `cpu`, if the alarm is for its budget, and the thread that lost it having used
    /// up its own; both are forgotten here, as others look after them from now on.
    pub(in super::super) fn give_budgets<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
    ) -> [Option<Id>; 2] {
        let spent = self.budgets.take_spent(w, cpu);
        [self.budgets.last[index::<N>(cpu)].take(), spent]
    }

    /// The inverse of [`Cluster::give_budgets`].
    pub(in super::super) fn take_budgets(&self, cpu: usize, [last, spent]: [Option<Id>; 2]) {
        self.budgets.last[index::<N>(cpu)].set(last);
        self.budgets.spent[index::<N>(cpu)].set(spent);
    }

    fn served_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        let heir = w.heir(w.seat(cpu));
        (heir != w.idle(cpu) && is_served(w, heir)).then_some(heir)
    }
}
