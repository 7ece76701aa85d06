//! Owns: a world as the decider of an instance sees it in which seats are lent: each processor has
//! the owner of its seat as its heir.
//! Must never know: the users of seats that are lent.

use super::{Branches, SEATS, World};
use crate::{Cpu, CpuSet, Links, Priority};
use core::cell::Cell;
use taktos_time::{Duration, Instant};

/// A seat of an instance in which seats are lent.
pub(super) struct LentSeat<Id> {
    /// The thread to which it belongs; none if it is free.
    pub(super) owner: Cell<Option<Id>>,
    /// The thread that was set to run there, while this one owned it; `None` means the idle
    /// thread.
    pub(super) user: Cell<Option<Id>>,
    pub(super) told: Cell<Option<Id>>,
    /// The last thread that was pinned to the processor, at home elsewhere, and took the seat
    /// while it was free.
    pub(super) guest: Cell<Option<Id>>,
    /// The user, if that has a server: the alarm of the processor is for its budget.
    pub(super) last: Cell<Option<Id>>,
    /// The last thread that lost it to another user with its budget used up.
    pub(super) spent: Cell<Option<Id>>,
}

impl<Id: Copy> LentSeat<Id> {
    /// `user` is to run there while the present owner has it.
    pub(super) fn tell(&self, user: Option<Id>) {
        self.user.set(user);
        self.told.set(self.owner.get());
    }

    /// A free one.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub(super) const FREE: Self = Self {
        owner: Cell::new(None),
        user: Cell::new(None),
        told: Cell::new(None),
        guest: Cell::new(None),
        last: Cell::new(None),
        spent: Cell::new(None),
    };
}

/// The world `w` with the owners of `seats` as heirs. Nothing that a decider does here reaches a
/// processor.
pub(super) struct Lent<'w, W: World, const N: usize = SEATS> {
    pub(super) w: &'w W,
    pub(super) seats: &'w [LentSeat<W::Id>; N],
    /// The processors of the instance.
    pub(super) cpus: CpuSet,
    /// Whether each processor has switched to its owner, as far as the decider sees: one that
    /// waits for registers itself does not see where they are.
    pub(super) settles: bool,
    /// A thread that comes in for another: where its own registers are makes no difference.
    pub(super) lender: Option<W::Id>,
}

impl<W: World, const N: usize> Lent<'_, W, N> {
    /// The seat of the processor `cpu`.
    pub(super) fn at(&self, cpu: usize) -> &LentSeat<W::Id> {
        &self.seats[cpu % N]
    }
}

impl<W: World, const N: usize> Links for Lent<'_, W, N> {
    type Id = W::Id;

    fn next(&self, id: W::Id) -> W::Id {
        self.w.next(id)
    }

    fn previous(&self, id: W::Id) -> W::Id {
        self.w.previous(id)
    }

    fn set_next(&self, id: W::Id, next: W::Id) {
        self.w.set_next(id, next);
    }

    fn set_previous(&self, id: W::Id, previous: W::Id) {
        self.w.set_previous(id, previous);
    }
}

impl<W: World, const N: usize> World for Lent<'_, W, N> {
    type Seat = W::Seat;
    const PROCESSORS: usize = W::PROCESSORS;
    /// A throttled thread represents another like any that waits: the caller knows which may.
    const THROTTLES: bool = false;
    const COUNTS: bool = W::COUNTS;

    fn seat(&self, cpu: usize) -> W::Seat {
        self.w.seat(cpu)
    }

    fn number_of(&self, seat: W::Seat) -> usize {
        self.w.number_of(seat)
    }

    fn idle(&self, cpu: usize) -> W::Id {
        self.w.idle(cpu)
    }

    fn priority(&self, id: W::Id) -> Priority {
        self.w.priority(id)
    }

    fn number(&self, id: W::Id) -> crate::smp::Priority {
        self.w.number(id)
    }

    fn inherit(&self, id: W::Id, priority: Option<crate::smp::Priority>) {
        self.w.inherit(id, priority);
    }

    fn note(&self, id: W::Id) -> u64 {
        self.w.note(id)
    }

    fn set_note(&self, id: W::Id, note: u64) {
        self.w.set_note(id, note);
    }

    fn branches(&self, id: W::Id) -> &Branches<W::Id> {
        self.w.branches(id)
    }

    fn heir(&self, seat: W::Seat) -> W::Id {
        let cpu = self.w.number_of(seat);
        self.at(cpu).owner.get().unwrap_or(self.w.idle(cpu))
    }

    fn current(&self, seat: W::Seat) -> W::Id {
        let (current, cpu) = (self.w.current(seat), self.w.number_of(seat));
        let is_of = Cpu::new(cpu).is_some_and(|cpu| self.cpus.contains(cpu));
        match self.settles || !is_of || self.lender == Some(current) {
            true => self.w.idle(cpu),
            false => current,
        }
    }

    fn set_heir(&self, seat: W::Seat, heir: W::Id) {
        let cpu = self.w.number_of(seat);
        let owner = (heir != self.w.idle(cpu)).then_some(heir);
        self.at(cpu).owner.set(owner);
    }

    fn forget_heir(&self, _: W::Seat) {}

    fn is_due(&self, _: W::Seat) -> bool {
        false
    }

    fn ticks(&self) -> u64 {
        self.w.ticks()
    }

    /// The one that used the seat of `id` until now is charged, be it an idle thread, which has a
    /// free one.
    fn charge(&self, id: W::Id, ticks: u64) {
        let idle = |cpu: Cpu| self.w.idle(cpu.index());
        let owner = |cpu: Cpu| self.at(cpu.index()).told.get().unwrap_or(idle(cpu));
        let user = match self.cpus.into_iter().find(|cpu| owner(*cpu) == id) {
            None => id,
            Some(cpu) => self.at(cpu.index()).user.get().unwrap_or(idle(cpu)),
        };
        self.w.charge(user, ticks);
    }

    fn charged(&self, id: W::Id) -> Duration {
        self.w.charged(id)
    }

    fn limit(&self, id: W::Id) -> Duration {
        self.w.limit(id)
    }

    fn set_limit(&self, id: W::Id, limit: Duration) {
        self.w.set_limit(id, limit);
    }

    fn turn(&self, id: W::Id) -> i64 {
        self.w.turn(id)
    }

    fn set_turn(&self, id: W::Id, turn: i64) {
        self.w.set_turn(id, turn);
    }

    /// The budgets of users are checked instead, whatever thread owns their seats.
    fn watch(&self, _: usize, _: Option<Duration>) {}

    fn watch_refill(&self, at: Option<Instant>) {
        self.w.watch_refill(at);
    }

    fn call(&self, _: W::Seat, _: usize) {}
}
