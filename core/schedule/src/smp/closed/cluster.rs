//! Owns: the ready threads of an instance of several processors under fixed priorities, while it is closed: who has which
//! processor, with heirs that are known at all times.
//! Must never know: helping, pins, partial affinity, what another instance does.
//!
//! Each processor has a *seat*, whose owner is the heir of the processor; who has none and is ready stands in a ring. A seat's
//! key is its owner's level and turn, so that one comparison of words says who is served before whom; no thread needs a key.
//!
//! The laws, while closed:
//! - the heir of each processor is the owner of its seat, or the idle thread where the seat is free;
//! - no ready thread without a seat is before the owner of one;
//! - an owner has its registers nowhere or on the processor of its seat: so nobody waits for a processor to let go;
//! - of the free seats the one that became free last is taken first.
//!
//! Heirs are the [`System`](crate::smp::System)'s for the same calls, processor for processor, where a processor that idles and
//! shall go on idling counts as having looked.

use super::World;
use crate::{Priority, ReadyQueue};
use core::cell::Cell;

/// The most processors of an instance that a [`Cluster`] decides about, and above all their numbers.
pub const SEATS: usize = 8;
/// A key is a level, above a turn, above the processor of the seat.
const LEVEL: u32 = 56;
const TURN: u64 = SEATS as u64;
/// The first turn of those appended, behind the last of those prepended.
const MIDDLE: u64 = 1 << (LEVEL - 1);
/// That of a processor that the instance does not have: before all.
const NONE: u64 = 0;
/// The first of the keys of free seats.
const FREE: u64 = (Priority::COUNT as u64) << LEVEL;
/// How wide a processor is in [`Cluster::left`].
const LEFT: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Last,
    First,
}

#[inline(always)]
const fn index(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (SEATS - 1)
}

/// The level of the owner of the seat with this key.
#[inline(always)]
const fn level(key: u64) -> u64 {
    key >> LEVEL
}

/// The processor of the seat with this key.
#[inline(always)]
const fn cpu_of(key: u64) -> usize {
    index(key as usize)
}

#[inline(always)]
const fn is_free(key: u64) -> bool {
    key >= FREE
}

/// The seats and the rings of an instance. See the module's head for its laws.
#[repr(C)]
pub struct Cluster<Id> {
    keys: [Cell<u64>; SEATS],
    /// The turn that is appended next, and the one that was prepended last.
    last: Cell<u64>,
    first: Cell<u64>,
    /// The processors that stopped idling and have not idled since, the last one lowest: such a one may not have looked yet.
    left: Cell<u64>,
    /// The counter when the heir became the heir.
    since: [Cell<u64>; SEATS],
    closed: Cell<bool>,
    /// Whether a seat in the upper half is in use.
    large: Cell<bool>,
    ready: ReadyQueue<Id>,
}

impl<Id: Copy + Eq> Cluster<Id> {
    /// One that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        keys: [const { Cell::new(NONE) }; SEATS],
        last: Cell::new(MIDDLE),
        first: Cell::new(MIDDLE),
        left: Cell::new(0),
        since: [const { Cell::new(0) }; SEATS],
        closed: Cell::new(false),
        large: Cell::new(false),
        ready: ReadyQueue::EMPTY,
    };

    /// Whether it decides.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Whether its instance, which is closed, has the processor `cpu`.
    #[inline(always)]
    pub fn has(&self, cpu: usize) -> bool {
        cpu < SEATS && self.key(cpu).get() != NONE
    }

    #[inline(always)]
    fn key(&self, cpu: usize) -> &Cell<u64> {
        &self.keys[index(cpu)]
    }

    /// The turn and the level of one that goes behind or in front of its equals.
    #[inline(always)]
    fn draw(&self, priority: Priority, place: Place) -> u64 {
        let turn = match place {
            Place::Last => {
                let turn = self.last.get();
                self.last.set(turn + TURN);
                turn
            }
            Place::First => {
                let turn = self.first.get() - TURN;
                self.first.set(turn);
                turn
            }
        };
        u64::from(priority.level()) << LEVEL | turn
    }

    /// The key of the last seat: the one that became free last, or the least urgent owner's.
    #[inline(always)]
    fn lowest(&self) -> u64 {
        let of = |cpu: usize| self.keys[cpu].get();
        let lowest = of(0).max(of(1)).max(of(2).max(of(3)));
        if self.large.get() {
            let upper = of(4).max(of(5)).max(of(6).max(of(7)));
            return lowest.max(upper);
        }
        lowest
    }

    /// The processor on which `id`, which is at home here, has a seat.
    #[inline(always)]
    pub fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = index(w.cpu(id));
        (self.key(cpu).get() != NONE && w.heir(w.seat(cpu)) == id).then_some(cpu)
    }

    /// Charges the heir of `cpu` until now.
    #[inline(always)]
    pub fn charge_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.charge(w, cpu, w.heir(w.seat(cpu)));
    }

    #[inline(always)]
    fn charge<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Id) {
        let now = w.ticks();
        let since = self.since[index(cpu)].replace(now);
        w.charge(heir, now.wrapping_sub(since));
    }

    /// `cpu` has another heir than `former`, who is charged; the processor is called, unless it was before.
    #[inline(always)]
    fn appoint<W: World<Id = Id>>(&self, w: &W, cpu: usize, former: Id, heir: Id) {
        let seat = w.seat(cpu);
        self.charge(w, cpu, former);
        w.set_heir(seat, heir);
        if former == w.current(seat) {
            w.call(seat, cpu);
        }
    }

    /// `id`, a ring of its own, gets the seat of `cpu`, where `former` is the heir still.
    #[inline(always)]
    fn own<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, cpu: usize, former: Id) {
        self.key(cpu).set(key | cpu as u64);
        w.set_cpu(id, cpu);
        self.appoint(w, cpu, former, id);
    }

    /// `id`, a ring of its own, gets the seat of `cpu`, where `former` is the heir still; or that of the processor that has its
    /// registers, and who has that one gets this.
    #[inline(always)]
    fn sit<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, cpu: usize, former: Id) {
        let last = index(w.cpu(id));
        if last != cpu && w.current(w.seat(last)) == id {
            return self.sit_where_it_runs(w, id, key, cpu, last);
        }
        self.own(w, id, key, cpu, former);
    }

    #[cold]
    #[inline(never)]
    fn sit_where_it_runs<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        key: u64,
        cpu: usize,
        runs: usize,
    ) {
        let owner = w.heir(w.seat(runs));
        self.give_way(w, runs, cpu);
        self.own(w, id, key, runs, owner);
    }

    /// Who has the seat of `from` gets that of `to`: it has its registers nowhere, as another has its own on `from`.
    #[cold]
    fn give_way<W: World<Id = Id>>(&self, w: &W, from: usize, to: usize) {
        let key = self.key(from).get();
        self.key(to).set(key ^ from as u64 ^ to as u64);
        let moved = if is_free(key) {
            w.idle(to)
        } else {
            let moved = w.heir(w.seat(from));
            w.set_cpu(moved, to);
            moved
        };
        let former = w.heir(w.seat(to));
        if former != moved {
            self.appoint(w, to, former, moved);
        }
    }

    /// `id`, a ring of its own, takes the last seat, whose key is `lowest`; its owner is the first of its equals then.
    #[inline(always)]
    fn displace<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, lowest: u64) {
        let cpu = cpu_of(lowest);
        let former = w.heir(w.seat(cpu));
        if is_free(lowest) {
            self.left.set(self.left.get() << LEFT | cpu as u64);
        } else {
            let priority = Priority::from_stored(level(lowest) as u8);
            self.ready.prepend(w, former, priority);
        }
        self.sit(w, id, key, cpu, former);
    }

    /// `id`, a ring of its own, is ready. Whether it has a seat.
    #[inline(always)]
    fn enter<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority, place: Place) -> bool {
        let lowest = self.lowest();
        let (own, last) = (u64::from(priority.level()), level(lowest));
        // One appended is behind all its equals, one prepended before them.
        match place {
            Place::Last if own >= last => {
                self.ready.append(w, id, priority);
                return false;
            }
            Place::First if own > last => {
                self.ready.prepend(w, id, priority);
                return false;
            }
            _ => {}
        }
        self.displace(w, id, self.draw(priority, place), lowest);
        true
    }

    /// The most urgent ready thread gets the seat of `cpu`, where the heir is leaving; or it is free.
    #[inline(always)]
    fn fill<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        match self.ready.pop(w) {
            Some((next, priority)) => {
                let former = w.heir(w.seat(cpu));
                self.sit(w, next, self.draw(priority, Place::Last), cpu, former);
            }
            None => self.vacate(w, cpu),
        }
    }

    /// The seat of `cpu`, where the heir is leaving, is free. But the processor that stopped idling last idles on, unless it has
    /// looked: its heir gets this one.
    #[inline(always)]
    fn vacate<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        let left = self.left.get();
        self.left.set(left >> LEFT);
        let idled = index(left as usize);
        let mut cpu = cpu;
        let owned = self.key(idled).get().wrapping_sub(1) < FREE - 1;
        if idled != cpu && owned && w.current(w.seat(idled)) == w.idle(idled) {
            self.give_way(w, idled, cpu);
            cpu = idled;
        }
        let key = self.draw(Priority::IDLE, Place::Last);
        self.key(cpu).set(key | cpu as u64);
        self.appoint(w, cpu, w.heir(w.seat(cpu)), w.idle(cpu));
    }

    /// The owner of the seat of `cpu`, which has `priority`, goes behind its equals or in front of them; who is before it then
    /// gets the seat.
    fn place_anew<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        id: Id,
        priority: Priority,
        place: Place,
    ) {
        let is_before =
            |urgent: Priority| urgent.beats(priority) || urgent == priority && place == Place::Last;
        if !self.ready.urgent().is_some_and(is_before) {
            let key = self.draw(priority, place);
            return self.key(cpu).set(key | cpu as u64);
        }
        let next = self.ready.pop(w);
        self.stand(w, id, priority, place);
        if let Some((next, urgent)) = next {
            self.sit(w, next, self.draw(urgent, Place::Last), cpu, id);
        }
    }

    /// `id`, a ring of its own, stands in the rings.
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority, place: Place) {
        match place {
            Place::Last => {
                self.ready.append(w, id, priority);
            }
            Place::First => self.ready.prepend(w, id, priority),
        }
    }

    /// Makes `id`, a ring of its own, ready behind its equals. Whether it is the heir of a processor.
    #[inline(always)]
    pub fn append<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) -> bool {
        self.enter(w, id, priority, Place::Last)
    }

    /// Makes `id`, a ring of its own, ready in front of its equals.
    pub fn prepend<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        self.enter(w, id, priority, Place::First);
    }

    /// Takes out `id`, which is ready at `priority`; it is then a ring of its own.
    pub fn remove<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        match self.seat_of(w, id) {
            Some(cpu) => self.fill(w, cpu),
            None => self.ready.remove(w, id, priority),
        }
    }

    /// Takes out `id`, which is ready at `priority` and runs on `here`, the calling processor; who is the heir there then.
    #[inline(always)]
    pub fn retire<W: World<Id = Id>>(&self, w: &W, here: usize, id: Id, priority: Priority) -> Id {
        let seat = w.seat(here);
        if w.heir(seat) == id {
            self.fill(w, index(here));
        } else {
            // Another was decided for already, and the call of it did not come yet.
            self.ready.remove(w, id, priority);
        }
        w.heir(seat)
    }

    /// `id`, which is ready at `priority` and runs on `here`, the calling processor, goes behind its equals; who is the heir there
    /// then.
    #[inline(always)]
    pub fn advance<W: World<Id = Id>>(&self, w: &W, here: usize, id: Id, priority: Priority) -> Id {
        let (seat, here) = (w.seat(here), index(here));
        if w.heir(seat) != id {
            self.go_behind(w, id, priority);
            return w.heir(seat);
        }
        let key = self.draw(priority, Place::Last);
        // None that is ready is more urgent than the owner of a seat.
        match self.ready.head(priority) {
            None => {
                self.key(here).set(key | here as u64);
                id
            }
            Some(next) => {
                self.ready.exchange(w, next, id, priority);
                self.sit(w, next, key, here, id);
                w.heir(seat)
            }
        }
    }

    /// `id`, which is ready without a seat, goes behind its equals.
    #[cold]
    #[inline(never)]
    fn go_behind<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        self.ready.remove(w, id, priority);
        self.ready.append(w, id, priority);
    }

    /// `receiver`, a ring of its own, becomes ready, and `sender`, which is ready and runs on `here`, the calling processor, lets
    /// it go first: both have `priority`. Where a seat is free, or less urgent, both have one then; else the receiver has the
    /// sender's. Who is the heir here then.
    #[inline(always)]
    pub fn take_turn<W: World<Id = Id>>(
        &self,
        w: &W,
        here: usize,
        receiver: Id,
        sender: Id,
        priority: Priority,
    ) -> Id {
        let (seat, here) = (w.seat(here), index(here));
        let lowest = self.lowest();
        let goes_on = u64::from(priority.level()) < level(lowest);
        if w.heir(seat) != sender || !goes_on && !Self::turn_is_here(w, here, lowest) {
            return self.take_turn_anywhere(w, here, receiver, sender, priority);
        }
        let key = self.draw(priority, Place::First);
        if goes_on {
            self.displace(w, receiver, key, lowest);
            let key = self.draw(priority, Place::Last);
            self.key(here).set(key | here as u64);
            return sender;
        }
        self.ready.append(w, sender, priority);
        self.sit(w, receiver, key, here, sender);
        w.heir(seat)
    }

    /// Whether a receiver that takes the turn of the owner of the seat of `here` gets that very seat, when `lowest` is as urgent:
    /// where the last seat is another, its owner gives way and comes back, as long as it runs there.
    #[inline(always)]
    fn turn_is_here<W: World<Id = Id>>(w: &W, here: usize, lowest: u64) -> bool {
        let seat = w.seat(cpu_of(lowest));
        cpu_of(lowest) == here || w.heir(seat) == w.current(seat)
    }

    /// [`Cluster::take_turn`] one after the other.
    #[cold]
    #[inline(never)]
    fn take_turn_anywhere<W: World<Id = Id>>(
        &self,
        w: &W,
        here: usize,
        receiver: Id,
        sender: Id,
        priority: Priority,
    ) -> Id {
        self.enter(w, receiver, priority, Place::First);
        self.rotate(w, sender, priority);
        w.heir(w.seat(here))
    }

    /// Puts `id`, which is ready at `priority`, behind its equals.
    pub fn rotate<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        self.put_anew(w, id, priority, Place::Last);
    }

    /// Puts `id`, which is ready at `priority`, in front of its equals.
    pub fn bring_to_front<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        self.put_anew(w, id, priority, Place::First);
    }

    fn put_anew<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority, place: Place) {
        match self.seat_of(w, id) {
            Some(cpu) => self.place_anew(w, cpu, id, priority, place),
            None => {
                self.ready.remove(w, id, priority);
                self.enter(w, id, priority, place);
            }
        }
    }

    /// `id`, which is ready at `old`, gets the priority that it has in `w` once `set` was called: behind or in front of its new
    /// equals.
    pub fn change<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        old: Priority,
        set: impl FnOnce(),
        first: bool,
    ) {
        let place = if first { Place::First } else { Place::Last };
        let seat = self.seat_of(w, id);
        if seat.is_none() {
            self.ready.remove(w, id, old);
        }
        set();
        let priority = w.priority(id);
        match seat {
            Some(cpu) => self.place_anew(w, cpu, id, priority, place),
            None => {
                self.enter(w, id, priority, place);
            }
        }
    }

    /// From now on it decides about the processors that are told of with [`Cluster::seat`].
    pub(super) fn close(&self) {
        for key in &self.keys {
            key.set(NONE);
        }
        self.last.set(MIDDLE);
        self.first.set(MIDDLE);
        self.left.set(0);
        self.large.set(false);
        self.closed.set(true);
    }

    /// On `cpu` runs `heir`, which is in no ring; none stands for the idle thread. To be said of each processor, the owners by
    /// urgency, then the free ones, the one that is to be taken first last.
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<Id>) {
        let cpu = index(cpu);
        let priority = heir.map_or(Priority::IDLE, |id| w.priority(id));
        let key = self.draw(priority, Place::Last);
        self.key(cpu).set(key | cpu as u64);
        self.since[cpu].set(w.ticks());
        self.large.set(self.large.get() || cpu >= SEATS / 2);
        if let Some(id) = heir {
            w.set_cpu(id, cpu);
        }
        w.set_heir(w.seat(cpu), heir.unwrap_or(w.idle(cpu)));
    }

    /// It decides no longer. `tell` hears of each processor and its owner, none where it is idle, in the order of
    /// [`Cluster::seat`]; what is answered are the processors that stopped idling, the last one in the lowest eight bits.
    pub(super) fn open<W: World<Id = Id>>(
        &self,
        w: &W,
        mut tell: impl FnMut(usize, Option<Id>),
    ) -> u64 {
        self.closed.set(false);
        let mut keys = self.keys.each_ref().map(Cell::get);
        keys.sort_unstable();
        for key in keys.into_iter().filter(|key| *key != NONE) {
            let cpu = cpu_of(key);
            self.charge_heir(w, cpu);
            tell(cpu, (!is_free(key)).then(|| w.heir(w.seat(cpu))));
        }
        self.left.get()
    }

    /// The rings of its READY threads.
    pub(super) fn ready(&self) -> &ReadyQueue<Id> {
        &self.ready
    }
}
