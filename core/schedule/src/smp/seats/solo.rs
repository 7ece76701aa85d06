//! Owns: the ready threads of an instance that has one processor under fixed priorities: the queue
//! of the kernel on one processor, with an heir that is known at all times.
//! Must never know: helping, affinity, what another instance does.
//!
//! The invariants: the heir of the processor is the first of its equals, and none is more urgent,
//! or it is the idle thread. A thread at home here has its registers nowhere, or on that very
//! processor.

use super::laws::{Law, law};
use super::{Home, Place, Ready, Waiting, World};
use crate::{Priority, ReadyQueue};
use core::cell::Cell;

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// The queue that decides, and the seat of its processor, where the instance has one, and acts
    /// may go to it directly.
    #[inline(always)]
    pub fn solo(&self) -> Option<(&Solo<Id, Seat>, Seat)> {
        Some((&self.solo, self.solo.direct()?))
    }
}

/// The queue of an instance of one processor. See the module's head for its invariants.
#[repr(C)]
pub struct Solo<Id, Seat> {
    /// That of its processor; none before it decides.
    seat: Cell<Option<Seat>>,
    /// The counter when the heir became the heir.
    since: Cell<u64>,
    cpu: Cell<usize>,
    ready: ReadyQueue<Id>,
    /// Its processor's seat while it is [watched](Solo::watch), and the first one is none.
    watched: Cell<Option<Seat>>,
}

impl<Id: Copy + Eq, Seat: Copy> Solo<Id, Seat> {
    /// One that does not decide yet, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = Self {
        seat: Cell::new(None),
        since: Cell::new(0),
        cpu: Cell::new(0),
        ready: ReadyQueue::EMPTY,
        watched: Cell::new(None),
    };

    /// Its processor's seat, if it has one.
    #[inline(always)]
    pub fn processor(&self) -> Option<Seat> {
        self.seat.get().or_else(|| self.watched.get())
    }

    /// [`Solo::processor`], but for while it is watched.
    #[inline(always)]
    pub(super) fn direct(&self) -> Option<Seat> {
        self.seat.get()
    }

    /// Whether it is watched.
    pub(super) fn is_watched(&self) -> bool {
        self.watched.get().is_some()
    }

    /// While it is watched, the usual ways do not find it.
    pub(super) fn watch(&self, on: bool) {
        let (from, to) = match on {
            true => (&self.seat, &self.watched),
            false => (&self.watched, &self.seat),
        };
        if let Some(seat) = from.take() {
            to.set(Some(seat));
        }
    }

    /// The heir of the processor is another from now on, and the former one is charged.
    #[inline(always)]
    fn set_heir<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, heir: Id) {
        self.charge_heir(w, seat);
        w.set_heir(seat, heir);
    }

    /// Charges the heir until now.
    #[inline(always)]
    pub(crate) fn charge_heir<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat) {
        let now = w.ticks();
        let since = self.since.replace(now);
        w.charge(w.heir(seat), now.wrapping_sub(since));
    }

    /// [`Solo::set_heir`] for the heir of perhaps another processor, which is called, unless it was
    /// called before.
    #[inline(always)]
    fn assign_seat<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, heir: Id) {
        let was_called = w.heir(seat) != w.current(seat);
        self.set_heir(w, seat, heir);
        if !was_called {
            w.call(seat, self.cpu.get());
        }
    }

    /// Makes the most urgent one the heir.
    #[inline(always)]
    pub(crate) fn refresh<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat) {
        if let Some(top) = self.ready.top()
            && top != w.heir(seat)
        {
            self.assign_seat(w, seat, top);
        }
    }

    /// Begins to decide about the processor `cpu`, where `heir` runs, which is in no ring; `None`
    /// means the idle thread.
    pub(super) fn seat<W: World<Id = Id, Seat = Seat>>(&self, w: &W, cpu: usize, heir: Option<Id>) {
        let (seat, idle) = (w.seat(cpu), w.idle(cpu));
        if let Some(heir) = heir {
            self.ready.prepend(w, heir, w.priority(heir));
        }
        self.ready.set_idle(idle);
        w.set_heir(seat, heir.unwrap_or(idle));
        self.cpu.set(cpu);
        self.since.set(w.ticks());
        self.seat.set(Some(seat));
    }

    /// It has the processor `cpu`, the only one, which idles for no instance: the first of those
    /// that are ready gets it.
    pub(super) fn gain<W: World<Id = Id, Seat = Seat>>(&self, w: &W, cpu: usize) {
        self.seat(w, cpu, None);
        self.refresh(w, w.seat(cpu));
    }

    /// Removes its processor, which idles from now on. Returns the thread that was to run there,
    /// and is in no ring.
    pub(super) fn lose<W: World<Id = Id, Seat = Seat>>(&self, w: &W) -> Option<Id> {
        let seat = self.processor()?;
        let (heir, idle) = (w.heir(seat), w.idle(self.cpu.get()));
        match heir == idle {
            true => self.charge_heir(w, seat),
            false => {
                self.ready.remove(w, heir, w.priority(heir));
                self.assign_seat(w, seat, idle);
            }
        }
        self.seat.set(None);
        (heir != idle).then_some(heir)
    }

    /// Ends its decisions. `tell` receives the processor and its heir, which is in no ring then;
    /// `None` means the idle thread.
    pub(super) fn end<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        tell: impl FnOnce(usize, Option<Id>),
    ) {
        if let Some(seat) = self.seat.take() {
            self.charge_heir(w, seat);
            let (cpu, heir) = (self.cpu.get(), w.heir(seat));
            let heir = (heir != w.idle(cpu)).then_some(heir);
            if let Some(heir) = heir {
                self.ready.remove(w, heir, w.priority(heir));
            }
            tell(cpu, heir);
        }
    }

    /// Whether it decides about the processor `cpu`.
    pub(super) fn decides(&self, cpu: usize) -> bool {
        self.processor().is_some() && self.cpu.get() == cpu
    }

    /// The processor about which it decides.
    pub(super) fn place(&self) -> Option<usize> {
        self.processor().map(|_| self.cpu.get())
    }

    /// Returns the processor that has `id`, which is at home here, as its heir.
    pub(super) fn seat_of<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = self.place()?;
        (w.heir(w.seat(cpu)) == id).then_some(cpu)
    }

    /// Checks the invariant that is its own, while it decides.
    pub(super) fn check<W: World<Id = Id, Seat = Seat>>(&self, w: &W) -> Law {
        let top = self.ready.top();
        law(
            self.processor()
                .is_none_or(|seat| Some(w.heir(seat)) == top),
            "the heir is the first of the most urgent ring, or the idle thread",
        )
    }

    /// The rings of its READY threads.
    pub(super) fn ready(&self) -> &ReadyQueue<Id> {
        &self.ready
    }

    /// Makes `id`, a ring of its own, ready after its equals. Returns whether it is the heir.
    #[inline(always)]
    pub fn append<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) -> bool {
        if !self.ready.append(w, id, priority) {
            return false;
        }
        let urgent = priority.beats(w.priority(w.heir(seat)));
        if urgent {
            self.assign_seat(w, seat, id);
        }
        urgent
    }

    /// Makes `id`, a ring of its own, ready in front of its equals.
    #[inline(always)]
    pub fn prepend<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, id: Id) {
        self.ready.prepend(w, id, w.priority(id));
        self.refresh(w, seat);
    }

    /// Takes out `id`, which is ready; it is then a ring of its own.
    #[inline(always)]
    pub fn remove<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, id: Id) {
        self.ready.remove(w, id, w.priority(id));
        self.refresh(w, seat);
    }

    /// Takes out the heir, which runs on the calling processor. Returns the heir then.
    #[inline(always)]
    pub fn retire<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        heir: Id,
        priority: Priority,
    ) -> Id {
        let next = self.ready.retire(w, heir, priority).unwrap_or(heir);
        self.set_heir(w, seat, next);
        next
    }

    /// Takes out `first`, the heir, which runs on the calling processor, and makes `id`, a ring of
    /// its own, ready in front of its equals. Returns the heir then.
    #[inline(always)]
    pub fn retire_for<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        first: Id,
        id: Id,
    ) -> Id {
        let (priority, other) = (w.priority(first), w.priority(id));
        let heir = if other == priority {
            self.ready.replace(w, first, id, priority);
            id
        } else {
            self.ready.remove(w, first, priority);
            self.ready.prepend(w, id, other);
            self.ready.top().unwrap_or(id)
        };
        self.set_heir(w, seat, heir);
        heir
    }

    /// Takes out `first`, the heir, which runs on the calling processor. `set` gives `id`, which is
    /// ready and was less urgent, the priority of `first`: `id` goes after its new equals. Returns
    /// the heir then.
    #[inline(always)]
    pub fn lend<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        first: Id,
        id: Id,
        set: impl FnOnce(),
    ) -> Id {
        self.ready.remove(w, id, w.priority(id));
        set();
        let heir = self.ready.exchange(w, first, id, w.priority(first));
        self.set_heir(w, seat, heir);
        heir
    }

    /// Takes out `first`, the heir, which runs on the calling processor, and puts `id`, a ring of
    /// its own that has the priority of `first`, after its equals. `set` makes `first` less urgent,
    /// which goes in front of its new equals. Returns the heir then.
    #[inline(always)]
    pub fn give_back<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        first: Id,
        id: Id,
        set: impl FnOnce(),
    ) -> Id {
        let heir = self.ready.exchange(w, first, id, w.priority(first));
        set();
        self.ready.prepend(w, first, w.priority(first));
        self.set_heir(w, seat, heir);
        heir
    }

    /// Puts the heir, which runs on the calling processor, after its equals. Returns the heir then.
    #[inline(always)]
    pub fn advance<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        heir: Id,
        priority: Priority,
    ) -> Id {
        let next = self.ready.advance(w, heir, priority);
        self.set_heir(w, seat, next);
        next
    }

    /// Puts `receiver`, a ring of its own, in the place of `sender`, the heir, which runs on the
    /// calling processor and goes after its equals.
    #[inline(always)]
    pub fn take_turn<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        receiver: Id,
        sender: Id,
        priority: Priority,
    ) {
        self.ready.take_turn(w, receiver, sender, priority);
        self.set_heir(w, seat, receiver);
    }

    /// Does [`Solo::take_turn`] if `sender` has the turn; else `receiver`, a ring of its own that
    /// is to have its priority, becomes ready after its equals.
    #[inline(always)]
    pub fn direct_switch<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        receiver: Id,
        sender: Id,
    ) {
        let priority = w.priority(sender);
        if self.is_first(sender, priority) {
            self.take_turn(w, seat, receiver, sender, priority);
        } else {
            self.append(w, seat, receiver, priority);
        }
    }

    /// Gives `id`, which is ready, the priority that it has in `w` once `set` was called: after
    /// its new equals or in front of them.
    #[inline(always)]
    pub fn change<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        set: impl FnOnce(),
        place: Place,
    ) {
        self.ready.remove(w, id, w.priority(id));
        set();
        self.ready.put(w, id, w.priority(id), place);
        self.refresh(w, seat);
    }

    /// Gives `id`, the heir, the more urgent priority `new` by a call of `set`: it remains the
    /// heir.
    #[inline(always)]
    pub fn raise<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        new: Priority,
        set: impl FnOnce(),
    ) {
        self.ready.raise(w, id, w.priority(id), new);
        set();
    }

    /// Puts `id`, which is ready, in front of its equals; or after them, if it is the first of
    /// them.
    #[inline(always)]
    pub fn requeue<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, id: Id, place: Place) {
        let priority = w.priority(id);
        match place {
            Place::First => self.ready.bring_to_front(w, id, priority),
            Place::Last if self.is_first(id, priority) => {
                self.ready.rotate(w, priority);
            }
            Place::Last => return,
        }
        self.refresh(w, seat);
    }

    /// Whether `id` is the first of the ready ones of `priority`.
    #[inline(always)]
    pub fn is_first(&self, id: Id, priority: Priority) -> bool {
        self.ready.head(priority) == Some(id)
    }
}
