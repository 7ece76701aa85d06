//! Owns: the ready threads of an instance of several processors: which thread has which processor,
//! with heirs that are known at all times.
//! Must never know: helping, pins, partial affinity, the acts of another instance; the order of
//! threads, which their [`Waiting`] defines.
//!
//! Each processor has a *seat*. The owner of a seat is the heir of the processor; a ready thread
//! without one waits for a seat. A seat's key is its owner's urgency and turn, so that one
//! comparison shows which owner is served first; no thread needs a key.
//!
//! The invariants:
//! - the heir of each processor is the owner of its seat, or the idle thread if the seat is free;
//! - no ready thread without a seat is before the owner of one;
//! - an owner has its registers nowhere or on the processor of its seat: so no thread waits for a
//!   processor to release them;
//! - of the free seats the one that became free last is taken first.
//!
//! Heirs are those of the [`System`](crate::smp::System) for the same calls, processor for
//! processor. A processor that idles and is to remain idle counts as one that has checked for its
//! heir, and so does one that comes or leaves.

mod budgets;
mod deadlines;
mod key;
mod laws;
mod left;
mod tops;
mod turned;
mod waiting;

pub use budgets::{Budgets, Served, Watched};
pub(in super::super) use deadlines::LATEST;
pub use deadlines::{Branches, Deadlines};
pub(super) use deadlines::{
    begin, has_job, is_served, is_throttled, set_budget, set_job, set_served, throttle,
};
pub use key::{Key, Urgency};
pub use left::{Left, Stack};
pub use tops::{Tops, Tournament};
pub use waiting::{Ready, Waiting};

use super::{Place, World};
use crate::ReadyQueue;
use core::cell::Cell;
use core::marker::PhantomData;

/// The most processors of an instance that a kernel's [`Cluster`] decides about, and above all
/// their numbers.
pub const SEATS: usize = 8;
/// How wide a turn is.
const LEVEL: u32 = 56;
/// The first turn of those appended, after the last of those prepended.
const MIDDLE: u64 = 1 << (LEVEL - 1);

/// The place of the processor `cpu` among `N`, a power of two.
#[inline(always)]
const fn index<const N: usize>(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (N - 1)
}

/// The seats and the rings of an instance. See the module's head for its invariants.
#[repr(C)]
pub struct Cluster<
    Id: Copy + Eq,
    Q: Waiting<Id> = ReadyQueue<Id>,
    B: Budgets<Id> = (),
    const N: usize = SEATS,
> {
    keys: [Cell<Q::Key>; N],
    /// The turn that is appended next, and the one that was prepended last.
    last: Cell<u64>,
    first: Cell<u64>,
    /// The processors that stopped idling and have not idled since, the last one lowest: such a
    /// one may not have looked yet.
    left: Q::Left,
    /// The counter when the heir became the heir.
    since: [Cell<u64>; N],
    /// Whether acts may go to it directly.
    pub(in crate::smp::seats) direct: Cell<bool>,
    /// Whether a seat in the upper half is in use.
    large: Cell<bool>,
    waiting: Q,
    budgets: B,
    tops: Q::Tops,
    id: PhantomData<Id>,
}

impl<Id: Copy + Eq, Q: Waiting<Id>, B: Budgets<Id>, const N: usize> Cluster<Id, Q, B, N> {
    /// One that does not decide yet, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = Self {
        keys: [const { Cell::new(Q::Key::NONE) }; N],
        last: Cell::new(MIDDLE),
        first: Cell::new(MIDDLE),
        left: Q::Left::NONE,
        since: [const { Cell::new(0) }; N],
        direct: Cell::new(false),
        large: Cell::new(false),
        waiting: Q::EMPTY,
        budgets: B::NONE,
        tops: Q::Tops::NONE,
        id: PhantomData,
    };

    /// Whether its instance has the processor `cpu`.
    #[inline(always)]
    pub(crate) fn has(&self, cpu: usize) -> bool {
        cpu < N && self.key(cpu).get() != Q::Key::NONE
    }

    #[inline(always)]
    fn key(&self, cpu: usize) -> &Cell<Q::Key> {
        &self.keys[index::<N>(cpu)]
    }

    /// The seat of `cpu` has this key, which has no processor yet.
    #[inline(always)]
    fn set_key(&self, cpu: usize, key: Q::Key) {
        self.put_key(cpu, key.at(cpu));
    }

    /// The seat of `cpu` has this key.
    #[inline(always)]
    fn put_key(&self, cpu: usize, key: Q::Key) {
        self.key(cpu).set(key);
        if N > SEATS && self.large.get() {
            self.tops.renew(cpu);
        }
    }

    /// The processor of the seat that has `key`.
    #[inline(always)]
    fn cpu_of(key: Q::Key) -> usize {
        index::<N>(key.cpu())
    }

    /// Returns the key of a thread that goes after its equals or in front of them.
    #[inline(always)]
    fn draw(&self, urgency: u64, place: Place) -> Q::Key {
        let turn = match place {
            Place::Last => {
                let turn = self.last.get();
                self.last.set(turn + Q::Key::TURN);
                turn
            }
            Place::First => {
                let turn = self.first.get() - Q::Key::TURN;
                self.first.set(turn);
                turn
            }
        };
        Q::Key::new(urgency, turn)
    }

    /// The key of the last seat: the one that became free last, or the least urgent owner's.
    #[inline(always)]
    fn lowest<W: World<Id = Id>>(&self) -> Q::Key {
        let of = |cpu: usize| self.keys[cpu].get();
        let lowest = of(0).max(of(1)).max(of(2).max(of(3)));
        if W::PROCESSORS > SEATS / 2 && self.large.get() {
            if N > SEATS {
                return self.tops.last(&self.keys);
            }
            let upper = of(4).max(of(5)).max(of(6).max(of(7)));
            return lowest.max(upper);
        }
        lowest
    }

    /// The processor on which `id`, which is at home here, has a seat.
    #[inline(always)]
    pub(crate) fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = Q::cpu(w, id);
        (self.key(cpu).get() != Q::Key::NONE && w.heir(w.seat(cpu)) == id).then_some(cpu)
    }

    /// How urgent `id` is, which is at home here.
    #[inline(always)]
    pub fn urgency<W: World<Id = Id>>(&self, w: &W, id: Id) -> Q::Urgency {
        Q::urgency(w, id)
    }

    /// Charges the heir of `cpu` until now.
    #[inline(always)]
    pub(crate) fn charge_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.charge(w, cpu, w.heir(w.seat(cpu)));
    }

    #[inline(always)]
    fn charge<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Id) {
        if !W::COUNTS && !B::COUNT {
            return;
        }
        let now = w.ticks();
        let since = self.since[index::<N>(cpu)].replace(now);
        w.charge(heir, now.wrapping_sub(since));
    }

    /// Makes `heir` the heir of `cpu`, which has the seat `seat`. `former`, the heir before, is
    /// charged; the processor is called, unless it was before.
    #[inline(always)]
    fn assign_seat<W: World<Id = Id>>(
        &self,
        w: &W,
        seat: W::Seat,
        cpu: usize,
        former: Id,
        heir: Id,
    ) {
        self.charge(w, cpu, former);
        w.set_heir(seat, heir);
        w.appointed(cpu);
        if former == w.current(seat) {
            w.call(seat, cpu);
        }
    }

    /// `id`, a ring of its own that knows of it, gets the seat of `cpu`, where `former` is the heir
    /// still.
    #[inline(always)]
    fn own<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        key: Q::Key,
        (seat, cpu): (W::Seat, usize),
        former: Id,
    ) {
        self.set_key(cpu, key);
        self.assign_seat(w, seat, cpu, former, id);
    }

    /// Gives `id`, a ring of its own, the seat of `cpu`, where `former` is the heir still. If
    /// another processor has its registers, `id` gets the seat there, and the owner of that seat
    /// gets this one.
    #[inline(always)]
    fn sit<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        key: Q::Key,
        (seat, cpu): (W::Seat, usize),
        former: Id,
    ) {
        let last = B::last::<Q, W>(w, id);
        if last != cpu {
            if B::are_of(last) {
                return self.sit_with_budget(w, id, key, (seat, cpu), former);
            }
            if w.current(w.seat(last)) == id {
                return self.sit_where_it_runs(w, id, key, cpu);
            }
            Q::set_cpu(w, id, cpu);
        }
        self.own(w, id, key, (seat, cpu), former);
    }

    /// [`Cluster::sit`] for a thread with a server.
    #[cold]
    #[inline(never)]
    fn sit_with_budget<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        key: Q::Key,
        (seat, cpu): (W::Seat, usize),
        former: Id,
    ) {
        let last = Q::cpu(w, id);
        if last != cpu && w.current(w.seat(last)) == id {
            self.sit_where_it_runs(w, id, key, cpu);
            return self.budgets.has_sat(w, id, last, last);
        }
        Q::set_cpu(w, id, cpu);
        self.own(w, id, key, (seat, cpu), former);
        self.budgets.has_sat(w, id, last, cpu);
    }

    #[cold]
    #[inline(never)]
    fn sit_where_it_runs<W: World<Id = Id>>(&self, w: &W, id: Id, key: Q::Key, cpu: usize) {
        let runs = Q::cpu(w, id);
        let seat = w.seat(runs);
        let owner = w.heir(seat);
        self.give_way(w, runs, cpu);
        self.own(w, id, key, (seat, runs), owner);
    }

    /// Gives the owner of the seat of `from` that of `to`. The owner has its registers nowhere, as
    /// another thread has its own on `from`.
    #[cold]
    fn give_way<W: World<Id = Id>>(&self, w: &W, from: usize, to: usize) {
        let key = self.key(from).get();
        self.put_key(to, key.moved(from, to));
        let moved = if key.is_free() {
            w.idle(to)
        } else {
            let moved = w.heir(w.seat(from));
            Q::set_cpu(w, moved, to);
            moved
        };
        let seat = w.seat(to);
        let former = w.heir(seat);
        if former != moved {
            self.assign_seat(w, seat, to, former, moved);
        }
        if !key.is_free() && B::are_of(B::last::<Q, W>(w, moved)) {
            self.charge(w, from, moved);
            self.budgets.has_sat(w, moved, from, to);
        }
    }

    /// Gives `id`, a ring of its own, the last seat, which has the key `lowest`. `id` is before the
    /// owner of that seat, which is then the first of the threads that wait.
    #[inline(always)]
    fn displace<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        urgency: Q::Urgency,
        place: Place,
        lowest: Q::Key,
    ) {
        let key = self.draw(urgency.number(), place);
        let cpu = Self::cpu_of(lowest);
        let seat = w.seat(cpu);
        let former = w.heir(seat);
        if lowest.is_free() {
            self.left.push(cpu);
        } else {
            self.waiting
                .push_front(w, former, urgency.of_later(lowest.urgency()));
        }
        self.sit(w, id, key, (seat, cpu), former);
    }

    /// Makes `id`, a ring of its own, ready. Whether it is the heir of a processor.
    #[inline(always)]
    pub fn enter<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        urgency: Q::Urgency,
        place: Place,
    ) -> bool {
        let lowest = self.lowest::<W>();
        let (own, last) = (urgency.number(), lowest.urgency());
        // One appended is after all its equals, one prepended before them.
        match place {
            Place::Last if own >= last => {
                self.waiting.append(w, id, urgency);
                return false;
            }
            Place::First if own > last => {
                self.waiting.prepend(w, id, urgency);
                return false;
            }
            _ => {}
        }
        self.displace(w, id, urgency, place, lowest);
        true
    }

    /// The most urgent ready thread gets the seat of `cpu`, where the heir is leaving; or it is
    /// free.
    #[inline(always)]
    fn fill<W: World<Id = Id>>(&self, w: &W, (seat, cpu): (W::Seat, usize)) {
        match self.waiting.pop(w) {
            Some((next, urgency)) => {
                let key = self.draw(urgency.number(), Place::Last);
                self.sit(w, next, key, (seat, cpu), w.heir(seat));
            }
            None => self.vacate(w, cpu),
        }
    }

    /// The seat of `cpu`, where the heir is leaving, is free. But the processor that stopped idling
    /// last idles on, unless it has looked: its heir gets this one.
    #[inline(always)]
    fn vacate<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        let idled = index::<N>(self.left.pop());
        let mut cpu = cpu;
        let owned = self.key(idled).get().is_owned();
        if idled != cpu && owned && w.current(w.seat(idled)) == w.idle(idled) {
            self.give_way(w, idled, cpu);
            cpu = idled;
        }
        let key = self.draw(Q::Key::FREE, Place::Last);
        self.set_key(cpu, key);
        let seat = w.seat(cpu);
        self.assign_seat(w, seat, cpu, w.heir(seat), w.idle(cpu));
    }

    /// Puts the owner of the seat of `cpu`, which has `urgency`, after its equals or in front of
    /// them. If another thread is before it then, that thread gets the seat.
    fn reposition<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        id: Id,
        urgency: Q::Urgency,
        place: Place,
    ) {
        let own = urgency.number();
        let is_before = |first: Q::Urgency| match place {
            Place::Last => first.number() <= own,
            Place::First => first.number() < own,
        };
        let next = self.waiting.first(w);
        let Some((next, urgent)) = next.filter(|(_, first)| is_before(*first)) else {
            let key = self.draw(own, place);
            return self.set_key(cpu, key);
        };
        self.waiting.remove(w, next, urgent);
        self.waiting.put(w, id, urgency, place);
        let key = self.draw(urgent.number(), Place::Last);
        self.sit(w, next, key, (w.seat(cpu), cpu), id);
    }

    /// `id` leaves its seat, that of `cpu`, and waits.
    #[inline(always)]
    fn leave<W: World<Id = Id>>(&self, w: &W, id: Id, (seat, cpu): (W::Seat, usize)) {
        if B::are_of(B::last::<Q, W>(w, id)) {
            return self.leave_with_budget(w, (seat, cpu));
        }
        self.fill(w, (seat, cpu));
    }

    /// [`Cluster::leave`] for a thread with a server.
    #[cold]
    #[inline(never)]
    fn leave_with_budget<W: World<Id = Id>>(&self, w: &W, (seat, cpu): (W::Seat, usize)) {
        self.budgets.leaves(cpu);
        self.fill(w, (seat, cpu));
        self.budgets.has_left(w, cpu);
    }

    /// Takes out `id`, which is ready; it is then a ring of its own.
    pub fn remove<W: World<Id = Id>>(&self, w: &W, id: Id) {
        match self.seat_of(w, id) {
            Some(cpu) => self.leave(w, id, (w.seat(cpu), cpu)),
            None if B::hold_back(w, id) => {}
            None => self.waiting.remove(w, id, Q::urgency(w, id)),
        }
    }

    /// Takes out `id`, which is ready at `urgency` and runs on the calling processor, which has the
    /// seat `here`. Returns the heir there then.
    #[inline(always)]
    pub fn retire<W: World<Id = Id>>(
        &self,
        w: &W,
        here: W::Seat,
        id: Id,
        urgency: Q::Urgency,
    ) -> Id {
        if w.heir(here) == id {
            self.leave(w, id, (here, Q::cpu(w, id)));
        } else if !B::hold_back(w, id) {
            // Another was decided for already, and the call of it did not come yet.
            self.waiting.remove(w, id, urgency);
        }
        w.heir(here)
    }

    /// Puts `id`, which is ready at `urgency` and runs on the calling processor with the seat
    /// `here`, after its equals. Returns the heir there then.
    #[inline(always)]
    pub fn advance<W: World<Id = Id>>(
        &self,
        w: &W,
        here: W::Seat,
        id: Id,
        urgency: Q::Urgency,
    ) -> Id {
        if w.heir(here) != id {
            self.go_behind(w, id, urgency);
            return w.heir(here);
        }
        let cpu = Q::cpu(w, id);
        let key = self.draw(urgency.number(), Place::Last);
        // None that is ready is more urgent than the owner of a seat.
        match self.waiting.first_equal(w, urgency) {
            None => {
                self.set_key(cpu, key);
                id
            }
            Some(next) => {
                self.waiting.exchange(w, next, id, urgency);
                self.sit(w, next, key, (here, cpu), id);
                w.heir(here)
            }
        }
    }

    /// Puts `id`, which is ready without a seat, after its equals.
    #[cold]
    #[inline(never)]
    fn go_behind<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Q::Urgency) {
        if B::hold_back(w, id) {
            return;
        }
        self.waiting.remove(w, id, urgency);
        self.waiting.append(w, id, urgency);
    }

    /// Makes `receiver`, a ring of its own, ready. `sender`, which is ready and runs on the calling
    /// processor with the seat `here`, lets it go first: both have `urgency`. If a seat is free, or
    /// less urgent, both have one then; else the receiver has the sender's. Returns the heir here
    /// then.
    #[inline(always)]
    pub fn take_turn<W: World<Id = Id>>(
        &self,
        w: &W,
        here: W::Seat,
        receiver: Id,
        sender: Id,
        urgency: Q::Urgency,
    ) -> Id {
        let lowest = self.lowest::<W>();
        let cpu = Q::cpu(w, sender);
        let goes_on = urgency.number() < lowest.urgency();
        if w.heir(here) != sender || !goes_on && !Self::turn_is_here(w, cpu, lowest) {
            return self.take_turn_anywhere(w, here, receiver, sender);
        }
        if goes_on {
            self.displace(w, receiver, urgency, Place::First, lowest);
            let key = self.draw(urgency.number(), Place::Last);
            self.set_key(cpu, key);
            return sender;
        }
        self.waiting.append(w, sender, urgency);
        let key = self.draw(urgency.number(), Place::First);
        self.sit(w, receiver, key, (here, cpu), sender);
        w.heir(here)
    }

    /// Whether a receiver that takes the turn of the owner of the seat of `here` gets that very
    /// seat, when `lowest` is as urgent. If the last seat is another, its owner loses it and comes
    /// back, as long as it runs there.
    #[inline(always)]
    fn turn_is_here<W: World<Id = Id>>(w: &W, here: usize, lowest: Q::Key) -> bool {
        Self::cpu_of(lowest) == here || {
            let seat = w.seat(Self::cpu_of(lowest));
            w.heir(seat) == w.current(seat)
        }
    }

    /// [`Cluster::take_turn`] for two threads that need not be equals.
    #[inline(always)]
    pub fn take_turn_of<W: World<Id = Id>>(
        &self,
        w: &W,
        here: W::Seat,
        receiver: Id,
        sender: Id,
    ) -> Id {
        let urgency = Q::urgency(w, sender);
        if Q::urgency(w, receiver) == urgency {
            self.take_turn(w, here, receiver, sender, urgency)
        } else {
            self.take_turn_anywhere(w, here, receiver, sender)
        }
    }

    /// [`Cluster::take_turn`] one after the other, be the two equals or not.
    #[inline(never)]
    fn take_turn_anywhere<W: World<Id = Id>>(
        &self,
        w: &W,
        here: W::Seat,
        receiver: Id,
        sender: Id,
    ) -> Id {
        self.enter(w, receiver, Q::urgency(w, receiver), Place::First);
        self.requeue(w, sender, Place::Last);
        w.heir(here)
    }

    /// Puts `id`, which is ready, after its equals or in front of them.
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        let urgency = Q::urgency(w, id);
        match self.seat_of(w, id) {
            Some(cpu) => self.reposition(w, cpu, id, urgency, place),
            None if B::hold_back(w, id) => {}
            None => {
                self.waiting.remove(w, id, urgency);
                self.enter(w, id, urgency, place);
            }
        }
    }

    /// Gives `id`, which is ready, the urgency that it has in `w` once `set` was called. Puts it
    /// after its new equals or in front of them.
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        let old = Q::urgency(w, id);
        set();
        let new = Q::urgency(w, id);
        if Q::KEEPS_TURN && new == old {
            return;
        }
        match self.seat_of(w, id) {
            Some(cpu) => self.reposition(w, cpu, id, new, place),
            None => {
                self.waiting.remove(w, id, old);
                self.enter(w, id, new, place);
            }
        }
    }

    /// Makes `id`, the heir of a processor, more urgent by a call of `set`, after its new equals
    /// or in front of them. It remains the heir, as no thread that waits is before it.
    #[inline(always)]
    pub fn raise<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        set();
        let cpu = Q::cpu(w, id);
        let key = self.draw(Q::urgency(w, id).number(), place);
        self.set_key(cpu, key);
    }

    /// Makes `id`, the heir of a processor, less urgent by a call of `set`, in front of its new
    /// equals. If another thread is before it then, that thread gets the seat.
    #[inline(always)]
    pub fn lower<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce()) {
        set();
        let (cpu, urgency) = (Q::cpu(w, id), Q::urgency(w, id));
        let own = urgency.number();
        if self
            .waiting
            .first(w)
            .is_some_and(|(_, first)| first.number() < own)
        {
            return self.reposition(w, cpu, id, urgency, Place::First);
        }
        let key = self.draw(own, Place::First);
        self.set_key(cpu, key);
    }

    /// Begins to decide about the processors that are reported by [`Cluster::seat`].
    pub(super) fn start(&self) {
        for key in &self.keys {
            key.set(Q::Key::NONE);
        }
        self.last.set(MIDDLE);
        self.first.set(MIDDLE);
        self.left.clear();
        self.tops.clear();
        self.large.set(false);
        self.direct.set(true);
    }

    /// Reports that `heir`, which is in no ring, runs on `cpu`; `None` means the idle thread. To
    /// be called for each processor: the owners by urgency, then the free ones, the one that is to
    /// be taken first last.
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<Id>) {
        let cpu = index::<N>(cpu);
        let urgency = heir.map_or(Q::Key::FREE, |id| Q::urgency(w, id).number());
        let key = self.draw(urgency, Place::Last);
        self.set_key(cpu, key);
        self.since[cpu].set(w.ticks());
        if N > SEATS {
            self.tops.renew(cpu);
        }
        self.large.set(self.large.get() || cpu >= SEATS / 2);
        if let Some(id) = heir {
            Q::set_cpu(w, id, cpu);
        }
        w.set_heir(w.seat(cpu), heir.unwrap_or(w.idle(cpu)));
        if let Some(id) = heir
            && B::are_of(B::last::<Q, W>(w, id))
        {
            self.budgets.has_sat(w, id, cpu, cpu);
        }
    }

    /// Ends its decisions. `tell` receives each processor and its owner, none if it is idle, in
    /// the order of [`Cluster::seat`].
    pub(super) fn end<W: World<Id = Id>>(&self, w: &W, mut tell: impl FnMut(usize, Option<Id>)) {
        self.direct.set(false);
        self.for_each_seat(w, |cpu, owner| {
            self.charge_heir(w, cpu);
            tell(cpu, owner);
        });
    }

    /// Visits its seats, with their owners, none if they are free, in the order of
    /// [`Cluster::seat`].
    pub(super) fn for_each_seat<W: World<Id = Id>>(
        &self,
        w: &W,
        mut visit: impl FnMut(usize, Option<Id>),
    ) {
        let mut keys = self.keys.each_ref().map(Cell::get);
        keys.sort_unstable();
        for key in keys.into_iter().filter(|key| *key != Q::Key::NONE) {
            let cpu = Self::cpu_of(key);
            visit(cpu, (!key.is_free()).then(|| w.heir(w.seat(cpu))));
        }
    }

    /// It has the processor `cpu`, too, which idles for no instance: the first of those that wait
    /// gets its seat.
    pub(super) fn gain<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.seat(w, cpu, None);
        if let Some((next, urgency)) = self.waiting.pop(w) {
            let key = self.draw(urgency.number(), Place::Last);
            self.sit(w, next, key, (w.seat(cpu), cpu), w.idle(cpu));
        }
    }

    /// Removes the processor `cpu`, which idles from now on. Returns the owner of its seat, which
    /// is in no ring.
    pub(super) fn lose<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        let (seat, idle) = (w.seat(cpu), w.idle(cpu));
        let owner = w.heir(seat);
        self.put_key(cpu, Q::Key::NONE);
        if owner == idle {
            self.charge(w, cpu, idle);
            return None;
        }
        self.assign_seat(w, seat, cpu, owner, idle);
        // Its registers are not where it may sit.
        let others = self.keys.iter();
        let other = others.map(Cell::get).position(|key| key != Q::Key::NONE);
        Q::set_cpu(w, owner, other.unwrap_or(0));
        Some(owner)
    }

    /// Takes over the seat of `cpu` from a decider that had no other. `heir`, which is in no ring,
    /// runs there, or is to; `None` means the idle thread. `runs` is the thread at home here that
    /// has its registers there, if any.
    pub(super) fn widen<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        heir: Option<Id>,
        runs: Option<Id>,
    ) {
        self.start();
        self.seat(w, cpu, heir);
        if heir.is_some() {
            self.left.push(cpu);
        }
        if let Some(runs) = runs {
            Q::set_cpu(w, runs, index::<N>(cpu));
        }
    }

    /// Returns its READY threads without a seat.
    pub(super) fn waiting(&self) -> &Q {
        &self.waiting
    }
}
