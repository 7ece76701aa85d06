//! Owns: the ready threads of an instance of several processors, while it is closed: who has which processor, with heirs
//! that are known at all times.
//! Must never know: helping, pins, partial affinity, what another instance does; by what threads are ordered, which is
//! its [`Waiting`]'s business.
//!
//! Each processor has a *seat*, whose owner is the heir of the processor; who has none and is ready waits for one. A seat's
//! key is its owner's urgency and turn, so that one comparison says who is served before whom; no thread needs a key.
//!
//! The laws, while closed:
//! - the heir of each processor is the owner of its seat, or the idle thread where the seat is free;
//! - no ready thread without a seat is before the owner of one;
//! - an owner has its registers nowhere or on the processor of its seat: so nobody waits for a processor to let go;
//! - of the free seats the one that became free last is taken first.
//!
//! Heirs are the [`System`](crate::smp::System)'s for the same calls, processor for processor, where a processor that idles and
//! shall go on idling counts as having looked, and so does one that comes or leaves.

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
    begin, forget_own_job, has_job, is_served, is_throttled, set_budget, set_job, set_served,
    throttle,
};
pub use key::{Key, Urgency};
pub use left::{Left, Stack, Told};
pub use tops::{Tops, Tournament};
pub use waiting::{Ready, Waiting};

use super::duty::Duty;
use super::{Place, World};
use crate::ReadyQueue;
use core::cell::Cell;
use core::marker::PhantomData;

/// The most processors of an instance that a kernel's [`Cluster`] decides about, and above all their numbers.
pub const SEATS: usize = 8;
/// How wide a turn is.
const LEVEL: u32 = 56;
/// The first turn of those appended, behind the last of those prepended.
const MIDDLE: u64 = 1 << (LEVEL - 1);

/// The place of the processor `cpu` among `N`, a power of two.
#[inline(always)]
const fn index<const N: usize>(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (N - 1)
}

/// The seats and the rings of an instance. See the module's head for its laws.
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
    /// The processors that stopped idling and have not idled since, the last one lowest: such a one may not have looked yet.
    left: Q::Left,
    /// The counter when the heir became the heir.
    since: [Cell<u64>; N],
    pub(in crate::smp::closed) duty: Duty,
    /// Whether a seat in the upper half is in use.
    large: Cell<bool>,
    waiting: Q,
    budgets: B,
    tops: Q::Tops,
    id: PhantomData<Id>,
}

impl<Id: Copy + Eq, Q: Waiting<Id>, B: Budgets<Id>, const N: usize> Cluster<Id, Q, B, N> {
    /// One that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        keys: [const { Cell::new(Q::Key::NONE) }; N],
        last: Cell::new(MIDDLE),
        first: Cell::new(MIDDLE),
        left: Q::Left::NONE,
        since: [const { Cell::new(0) }; N],
        duty: Duty::new(),
        large: Cell::new(false),
        waiting: Q::EMPTY,
        budgets: B::NONE,
        tops: Q::Tops::NONE,
        id: PhantomData,
    };

    /// Whether it decides.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.duty.is_on()
    }

    /// Whether its instance, which is closed, has the processor `cpu`.
    #[inline(always)]
    pub fn has(&self, cpu: usize) -> bool {
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

    /// The key of one that goes behind or in front of its equals.
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
    pub fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
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
    pub fn charge_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
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

    /// `cpu`, whose seat is `seat`, has another heir than `former`, who is charged; the processor is called, unless it was before.
    #[inline(always)]
    fn appoint<W: World<Id = Id>>(&self, w: &W, seat: W::Seat, cpu: usize, former: Id, heir: Id) {
        self.charge(w, cpu, former);
        w.set_heir(seat, heir);
        if former == w.current(seat) {
            w.call(seat, cpu);
        }
    }

    /// `id`, a ring of its own that knows of it, gets the seat of `cpu`, where `former` is the heir still.
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
        self.appoint(w, seat, cpu, former, id);
    }

    /// `id`, a ring of its own, gets the seat of `cpu`, where `former` is the heir still; or that of the processor that has its
    /// registers, and who has that one gets this.
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

    /// The same where it has a server.
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

    /// Who has the seat of `from` gets that of `to`: it has its registers nowhere, as another has its own on `from`.
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
            self.appoint(w, seat, to, former, moved);
        }
        if !key.is_free() && B::are_of(B::last::<Q, W>(w, moved)) {
            self.charge(w, from, moved);
            self.budgets.has_sat(w, moved, from, to);
        }
    }

    /// `id`, a ring of its own, takes the last seat, whose key is `lowest`: it is before its owner, who is the first of those
    /// that wait then.
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
        // One appended is behind all its equals, one prepended before them.
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

    /// The most urgent ready thread gets the seat of `cpu`, where the heir is leaving; or it is free.
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

    /// The seat of `cpu`, where the heir is leaving, is free. But the processor that stopped idling last idles on, unless it has
    /// looked: its heir gets this one.
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
        self.appoint(w, seat, cpu, w.heir(seat), w.idle(cpu));
    }

    /// The owner of the seat of `cpu`, which has `urgency`, goes behind its equals or in front of them; who is before it then
    /// gets the seat.
    fn place_anew<W: World<Id = Id>>(
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

    /// The same where it has a server.
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

    /// Takes out `id`, which is ready at `urgency` and runs on the calling processor, whose seat is `here`; who is the heir there
    /// then.
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

    /// `id`, which is ready at `urgency` and runs on the calling processor, whose seat is `here`, goes behind its equals; who is
    /// the heir there then.
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

    /// `id`, which is ready without a seat, goes behind its equals.
    #[cold]
    #[inline(never)]
    fn go_behind<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Q::Urgency) {
        if B::hold_back(w, id) {
            return;
        }
        self.waiting.remove(w, id, urgency);
        self.waiting.append(w, id, urgency);
    }

    /// `receiver`, a ring of its own, becomes ready, and `sender`, which is ready and runs on the calling processor, whose seat
    /// is `here`, lets it go first: both have `urgency`. Where a seat is free, or less urgent, both have one then; else the
    /// receiver has the sender's. Who is the heir here then.
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

    /// Whether a receiver that takes the turn of the owner of the seat of `here` gets that very seat, when `lowest` is as urgent:
    /// where the last seat is another, its owner gives way and comes back, as long as it runs there.
    #[inline(always)]
    fn turn_is_here<W: World<Id = Id>>(w: &W, here: usize, lowest: Q::Key) -> bool {
        Self::cpu_of(lowest) == here || {
            let seat = w.seat(Self::cpu_of(lowest));
            w.heir(seat) == w.current(seat)
        }
    }

    /// [`Cluster::take_turn`] for two who need not be equals.
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

    /// Puts `id`, which is ready, behind its equals or in front of them.
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        let urgency = Q::urgency(w, id);
        match self.seat_of(w, id) {
            Some(cpu) => self.place_anew(w, cpu, id, urgency, place),
            None if B::hold_back(w, id) => {}
            None => {
                self.waiting.remove(w, id, urgency);
                self.enter(w, id, urgency, place);
            }
        }
    }

    /// `id`, which is ready, gets the urgency that it has in `w` once `set` was called: behind or in front of its new equals.
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        let old = Q::urgency(w, id);
        set();
        let new = Q::urgency(w, id);
        if Q::KEEPS_TURN && new == old {
            return;
        }
        match self.seat_of(w, id) {
            Some(cpu) => self.place_anew(w, cpu, id, new, place),
            None => {
                self.waiting.remove(w, id, old);
                self.enter(w, id, new, place);
            }
        }
    }

    /// `id`, the heir of a processor, is more urgent once `set` was called, behind its new equals
    /// or in front of them: it goes on. As none that waits is before it.
    #[inline(always)]
    pub fn raise<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        set();
        let cpu = Q::cpu(w, id);
        let key = self.draw(Q::urgency(w, id).number(), place);
        self.set_key(cpu, key);
    }

    /// `id`, the heir of a processor, is less urgent once `set` was called, in front of its new
    /// equals; who is before it then gets the seat.
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
            return self.place_anew(w, cpu, id, urgency, Place::First);
        }
        let key = self.draw(own, Place::First);
        self.set_key(cpu, key);
    }

    /// From now on it decides about the processors that are told of with [`Cluster::seat`].
    pub(super) fn close(&self) {
        for key in &self.keys {
            key.set(Q::Key::NONE);
        }
        self.last.set(MIDDLE);
        self.first.set(MIDDLE);
        self.left.clear();
        self.tops.clear();
        self.large.set(false);
        self.duty.set(true);
    }

    /// On `cpu` runs `heir`, which is in no ring; none stands for the idle thread. To be said of each processor, the owners by
    /// urgency, then the free ones, the one that is to be taken first last.
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

    /// It decides no longer. `tell` hears of each processor and its owner, none where it is idle, in the order of
    /// [`Cluster::seat`]; what is answered are the processors that stopped idling.
    pub(super) fn open<W: World<Id = Id>>(
        &self,
        w: &W,
        mut tell: impl FnMut(usize, Option<Id>),
    ) -> <Q::Left as Left>::Told {
        self.duty.set(false);
        self.for_each_seat(w, |cpu, owner| {
            self.charge_heir(w, cpu);
            tell(cpu, owner);
        });
        self.left.told()
    }

    /// Visits its seats, with their owners, none where they are free, in the order of
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

    /// It has the processor `cpu`, too, which idles for no instance: the first of those that wait gets
    /// its seat.
    pub(super) fn gain<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.seat(w, cpu, None);
        if let Some((next, urgency)) = self.waiting.pop(w) {
            let key = self.draw(urgency.number(), Place::Last);
            self.sit(w, next, key, (w.seat(cpu), cpu), w.idle(cpu));
        }
    }

    /// It has the processor `cpu` no longer, which idles from now on: who had its seat, and is in no
    /// ring.
    pub(super) fn lose<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        let (seat, idle) = (w.seat(cpu), w.idle(cpu));
        let owner = w.heir(seat);
        self.put_key(cpu, Q::Key::NONE);
        if owner == idle {
            self.charge(w, cpu, idle);
            return None;
        }
        self.appoint(w, seat, cpu, owner, idle);
        // Its registers are not where it may sit.
        let others = self.keys.iter();
        let other = others.map(Cell::get).position(|key| key != Q::Key::NONE);
        Q::set_cpu(w, owner, other.unwrap_or(0));
        Some(owner)
    }

    /// It takes over the seat of `cpu` from one that had no other: there runs `heir`, or is to, which is
    /// in no ring; none stands for the idle thread. `runs` has its registers there, if anybody does who
    /// is at home here.
    pub(super) fn widen<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        heir: Option<Id>,
        runs: Option<Id>,
    ) {
        self.close();
        self.seat(w, cpu, heir);
        if heir.is_some() {
            self.left.push(cpu);
        }
        if let Some(runs) = runs {
            Q::set_cpu(w, runs, index::<N>(cpu));
        }
    }

    /// Where its READY threads without a seat stand.
    pub(super) fn waiting(&self) -> &Q {
        &self.waiting
    }
}
