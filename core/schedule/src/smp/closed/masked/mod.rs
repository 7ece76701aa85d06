//! Owns: the ready threads of an instance in which each thread has an affinity mask, while it is closed: who has which
//! processor, and when those who move have come.
//! Must never know: helping, what another instance does, why a thread has the mask that it has.
//!
//! Each processor has a seat, as in a [`Cluster`](super::Cluster). Who runs beside whom is decided by a [`Rule`], as a policy
//! of the tables decides it. All ready threads without a seat stand in the rings by their turns, and each has its turn beside
//! it.
//!
//! The laws, while closed:
//! - no ready thread without a seat could have one by the rule, where that asks for each;
//! - those of one ring stand in the order of their turns;
//! - the registers of a thread that is at home here are nowhere, or on the processor of its [`Note`];
//! - the heir of a processor is the owner of its seat, the idle thread where it is free; but who owns a seat while another
//!   processor still has its registers *waits*: an idle thread is the heir until then. The heir of the processor that has
//!   the registers is unknown, so that it asks with [`Masked::dispatch`] before it lets them go, and the one that waits hears
//!   of it.

mod strong;
mod weak;

pub use strong::Strong;
pub use weak::Weak;

use super::{Place, SEATS, World};
use crate::smp::policy::matching::Route;
use crate::{Cpu, CpuSet, Priority, ReadyQueue};
use core::cell::Cell;
use core::marker::PhantomData;

/// A key is a level above a turn.
const LEVEL: u32 = 56;
/// The turn 0 in a key: those of the prepended are less.
const MIDDLE: i64 = 1 << (LEVEL - 1);
/// The key of a seat without an owner.
const FREE: u64 = u64::MAX;

/// What a [`Masked`] keeps beside a thread, in one word of the world's: its turn while it is in a ring, above its mask, above the
/// processor that it had last.
#[derive(Clone, Copy)]
struct Note(u64);

impl Note {
    const PLACE: u64 = SEATS as u64 - 1;
    const MASK: u32 = Self::PLACE.count_ones();
    const TURN: u32 = Self::MASK + SEATS as u32;

    const fn place(self) -> usize {
        (self.0 & Self::PLACE) as usize
    }

    const fn mask(self) -> CpuSet {
        CpuSet::from_bits(self.0 >> Self::MASK & ((1 << SEATS) - 1))
    }

    const fn turn(self) -> i64 {
        self.0.cast_signed() >> Self::TURN
    }

    const fn with_place(self, cpu: usize) -> Self {
        Self(self.0 & !Self::PLACE | cpu as u64 & Self::PLACE)
    }

    const fn with_mask(self, mask: CpuSet) -> Self {
        let all = ((1 << SEATS) - 1) << Self::MASK;
        Self(self.0 & !all | mask.bits() << Self::MASK & all)
    }

    const fn with_turn(self, turn: i64) -> Self {
        let low = (1 << Self::TURN) - 1;
        Self(self.0 & low | turn.cast_unsigned() << Self::TURN)
    }
}

const fn index(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (SEATS - 1)
}

const fn bit(cpu: usize) -> u8 {
    1 << index(cpu)
}

const fn key_of(priority: Priority, turn: i64) -> u64 {
    (priority.level() as u64) << LEVEL | (turn + MIDDLE).cast_unsigned()
}

const fn turn_of(key: u64) -> i64 {
    (key & ((1 << LEVEL) - 1)).cast_signed() - MIDDLE
}

const fn priority_of(key: u64) -> Priority {
    Priority::from_stored((key >> LEVEL) as u8)
}

/// By which rule ready threads have seats.
pub trait Rule: Sized {
    /// The processor of `cpus`, which are some, that is told first of when the instance is opened.
    fn first_told<Id: Copy + Eq>(masked: &Masked<Id, Self>, cpus: u8) -> usize;

    /// `id`, a ring of its own, gets a seat, or stands in the rings: at `key`, behind its equals or in front of them.
    fn enter<W: World>(masked: &Masked<W::Id, Self>, w: &W, id: W::Id, key: u64, place: Place);

    /// The ready thread that shall have the seat of `cpu`, where the owner is leaving, with its key and the way.
    fn best<W: World>(
        masked: &Masked<W::Id, Self>,
        w: &W,
        cpu: usize,
    ) -> Option<(W::Id, u64, Route)>;

    /// The key of one that had `key` and gets a seat, or loses it, which is said by `place`.
    fn moved<Id: Copy + Eq>(masked: &Masked<Id, Self>, key: u64, place: Place) -> u64;

    /// The key of a seat that becomes free.
    fn free<Id: Copy + Eq>(masked: &Masked<Id, Self>) -> u64;

    /// After an arrival and after a change of priority: who stands in the rings is tried again.
    fn settle<W: World>(masked: &Masked<W::Id, Self>, w: &W);
}

/// The seats and the rings of an instance. See the module's head for its laws.
#[repr(C)]
pub struct Masked<Id, R = Strong> {
    closed: Cell<bool>,
    /// The processors of those who wait for their registers.
    waits: Cell<u8>,
    cpus: Cell<u8>,
    /// The turns that are drawn next, for one appended and for one prepended.
    next: [Cell<i64>; 2],
    keys: [Cell<u64>; SEATS],
    owners: [Cell<Option<Id>>; SEATS],
    /// The counter when the owner became the owner.
    since: [Cell<u64>; SEATS],
    rings: ReadyQueue<Id>,
    rule: PhantomData<R>,
}

fn note<W: World>(w: &W, id: W::Id) -> Note {
    Note(w.note(id))
}

fn mask<W: World>(w: &W, id: W::Id) -> CpuSet {
    note(w, id).mask()
}

/// Whether `id`, which is at home where threads have affinities, may run on `cpu`.
pub(super) fn allows<W: World>(w: &W, id: W::Id, cpu: usize) -> bool {
    Cpu::new(cpu).is_some_and(|cpu| mask(w, id).contains(cpu))
}

/// `id` may run on `cpus` alone from now on. What it has or waits for is the caller's business.
pub(super) fn bind<W: World>(w: &W, id: W::Id, cpus: CpuSet) {
    w.set_note(id, note(w, id).with_mask(cpus).0);
}

/// The turn of `id`, which stands in a ring.
pub(super) fn turn<W: World>(w: &W, id: W::Id) -> i64 {
    note(w, id).turn()
}

/// The processor that has the registers of `id`, unless none has.
fn lives_on<W: World>(w: &W, id: W::Id) -> Option<usize> {
    let cpu = note(w, id).place();
    (w.current(w.seat(cpu)) == id).then_some(cpu)
}

impl<Id: Copy + Eq, R: Rule> Masked<Id, R> {
    /// One that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = {
        const fn nobody<Id>() -> Cell<Option<Id>> {
            Cell::new(None)
        }
        Self {
            closed: Cell::new(false),
            waits: Cell::new(0),
            cpus: Cell::new(0),
            next: [const { Cell::new(0) }; 2],
            keys: [const { Cell::new(FREE) }; SEATS],
            owners: [const { nobody() }; SEATS],
            since: [const { Cell::new(0) }; SEATS],
            rings: ReadyQueue::EMPTY,
            rule: PhantomData,
        }
    };

    /// Whether it decides.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Whether its instance, which is closed, has the processor `cpu`.
    pub fn has(&self, cpu: usize) -> bool {
        cpu < SEATS && self.cpus.get() & bit(cpu) != 0
    }

    /// Who owns the seat of `cpu`; none where it is free.
    pub fn owner(&self, cpu: usize) -> Option<Id> {
        self.owners[index(cpu)].get()
    }

    /// The processor whose seat `id`, which is at home here, owns.
    pub fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = note(w, id).place();
        if self.owner(cpu) == Some(id) {
            return Some(cpu);
        }
        let mut waiting = Self::processors(self.waits.get());
        waiting.find(|cpu| self.owner(*cpu) == Some(id))
    }

    fn processors(bits: u8) -> impl Iterator<Item = usize> {
        let cpus = CpuSet::from_bits(bits.into());
        cpus.into_iter().map(Cpu::index)
    }

    fn owned(&self) -> CpuSet {
        CpuSet::from_bits(self.cpus.get().into())
    }

    fn draw(&self, place: Place) -> i64 {
        let (next, step) = match place {
            Place::Last => (&self.next[0], 1),
            Place::First => (&self.next[1], -1),
        };
        next.replace(next.get() + step)
    }

    // --- Seats.

    /// Charges the owner of the seat of `cpu` until now.
    pub fn charge_owner<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        let now = w.ticks();
        let since = self.since[index(cpu)].replace(now);
        let user = self.owner(cpu).unwrap_or(w.idle(cpu));
        w.charge(user, now.wrapping_sub(since));
    }

    /// `cpu` is to look at its heir, which is unknown from now on.
    fn forget_heir<W: World<Id = Id>>(w: &W, cpu: usize) {
        let seat = w.seat(cpu);
        let was_due = w.is_due(seat);
        w.forget_heir(seat);
        if !was_due {
            w.call(seat, cpu);
        }
    }

    fn set_heir<W: World<Id = Id>>(w: &W, cpu: usize, heir: Id) {
        let seat = w.seat(cpu);
        let was_due = w.is_due(seat);
        w.set_heir(seat, heir);
        if !was_due && heir != w.current(seat) {
            w.call(seat, cpu);
        }
    }

    /// The owner of the seat of `cpu` has another one's place, whose registers are still here; or it is free, and `owner` none.
    fn appoint<W: World<Id = Id>>(&self, w: &W, cpu: usize, key: u64, owner: Option<Id>) {
        self.charge_owner(w, cpu);
        self.keys[index(cpu)].set(key);
        self.owners[index(cpu)].set(owner);
        let heir = self.user(w, cpu);
        self.tell_heir(w, cpu, heir);
    }

    /// Who can run on `cpu` now: the owner of its seat, unless it is free, or waits.
    fn user<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Id {
        self.waits.set(self.waits.get() & !bit(cpu));
        let Some(owner) = self.owner(cpu) else {
            return w.idle(cpu);
        };
        match lives_on(w, owner) {
            Some(lives_on) if lives_on != cpu => {
                self.waits.set(self.waits.get() | bit(cpu));
                Self::forget_heir(w, lives_on);
                w.idle(cpu)
            }
            _ => {
                w.set_note(owner, note(w, owner).with_place(cpu).0);
                owner
            }
        }
    }

    /// `heir` runs on `cpu` next; but that is not said before it has let go of registers that another waits for.
    fn tell_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Id) {
        let current = w.current(w.seat(cpu));
        if self.who_waits_for(current).is_some() {
            Self::forget_heir(w, cpu);
        } else {
            Self::set_heir(w, cpu, heir);
        }
    }

    /// The processor that waits for the registers of `id`.
    fn who_waits_for(&self, id: Id) -> Option<usize> {
        Self::processors(self.waits.get()).find(|cpu| self.owner(*cpu) == Some(id))
    }

    /// Who runs next on `here`, which is about to let go of the registers that it has, unless they are the heir's.
    pub fn dispatch<W: World<Id = Id>>(&self, w: &W, here: usize) -> Id {
        let current = w.current(w.seat(here));
        if let Some(cpu) = self.who_waits_for(current) {
            self.waits.set(self.waits.get() & !bit(cpu));
            w.set_note(current, note(w, current).with_place(cpu).0);
            self.tell_heir(w, cpu, current);
        }
        let heir = self.user(w, here);
        w.set_heir(w.seat(here), heir);
        heir
    }

    /// `id`, a ring of its own, gets the first seat of `route`, whose last one its owner is leaving, or left.
    fn sit<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, route: &Route) {
        for (from, to) in route.shifts() {
            let from = index(from.index());
            self.appoint(w, to.index(), self.keys[from].get(), self.owner(from));
        }
        self.appoint(w, route.first().index(), key, Some(id));
    }

    // --- Rings.

    /// `id`, a ring of its own, stands in the rings, at `key`.
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, place: Place) {
        self.put(w, id, priority_of(key), turn_of(key), place);
    }

    /// `id`, a ring of its own, stands in the rings: behind its equals; or in front, behind those of an earlier turn than `turn`.
    pub(super) fn put<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        priority: Priority,
        turn: i64,
        place: Place,
    ) {
        w.set_note(id, note(w, id).with_turn(turn).0);
        match place {
            Place::First => {
                let is_behind = |other| note(w, other).turn() > turn;
                self.rings.insert(w, id, priority, is_behind);
            }
            Place::Last => {
                self.rings.append(w, id, priority);
            }
        }
    }

    // --- Operations.

    fn enter<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority, place: Place) {
        R::enter(self, w, id, key_of(priority, self.draw(place)), place);
    }

    /// The owner of the seat of `cpu`, if it is not free, stands in the rings; the seat is the caller's business.
    fn leave<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if let Some(victim) = self.owner(cpu) {
            let key = R::moved(self, self.keys[index(cpu)].get(), Place::First);
            self.stand(w, victim, key, Place::First);
        }
    }

    /// The seat of `cpu` goes to whom it belongs now, or it is free.
    fn fill<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        match R::best(self, w, cpu) {
            Some((next, key, route)) => self.promote(w, next, key, &route),
            None => self.appoint(w, cpu, R::free(self), None),
        }
    }

    /// `id`, which stands in the rings at `key`, gets the first seat of `route`; see [`Masked::sit`].
    #[inline(always)]
    fn promote<W: World<Id = Id>>(&self, w: &W, id: Id, key: u64, route: &Route) {
        self.rings.remove(w, id, priority_of(key));
        self.sit(w, id, R::moved(self, key, Place::Last), route);
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
        let key = key_of(priority, self.draw(place));
        match R::best(self, w, cpu) {
            Some((next, before, route)) if before < key => {
                self.rings.remove(w, next, priority_of(before));
                self.stand(w, id, key, place);
                let key = R::moved(self, before, Place::Last);
                self.sit(w, next, key, &route);
            }
            _ => self.keys[index(cpu)].set(key),
        }
    }

    /// Makes `id`, a ring of its own, ready, behind its equals or in front of them.
    pub fn ready<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        self.enter(w, id, w.priority(id), place);
        R::settle(self, w);
    }

    /// Takes out `id`, which is ready; it is then a ring of its own.
    pub fn remove<W: World<Id = Id>>(&self, w: &W, id: Id) {
        match self.seat_of(w, id) {
            Some(cpu) => self.fill(w, cpu),
            None => self.rings.remove(w, id, w.priority(id)),
        }
    }

    /// Puts `id`, which is ready, behind its equals or in front of them.
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        let priority = w.priority(id);
        self.place_at(w, id, priority, priority, place);
    }

    /// `id`, which is ready, gets the priority that it has in `w` once `set` was called: behind or in front of its new
    /// equals; where it is the same, nothing changes.
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        let old = w.priority(id);
        set();
        let new = w.priority(id);
        if new != old {
            self.place_at(w, id, old, new, place);
            R::settle(self, w);
        }
    }

    /// One that waits, and is in no ring, gets another priority when `set` is called.
    pub fn change_of_waiting<W: World<Id = Id>>(&self, w: &W, set: impl FnOnce()) {
        set();
        R::settle(self, w);
    }

    /// `id`, which is ready at `old`, has the priority `new` from now on.
    fn place_at<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        old: Priority,
        new: Priority,
        place: Place,
    ) {
        match self.seat_of(w, id) {
            Some(cpu) => self.place_anew(w, cpu, id, new, place),
            None => {
                self.rings.remove(w, id, old);
                self.enter(w, id, new, place);
            }
        }
    }

    // --- Closing and opening.

    /// From now on it decides about the processors that are told of with [`Masked::seat`]; `next` are the turns that are drawn
    /// next.
    pub(super) fn close(&self, next: [i64; 2]) {
        self.closed.set(true);
        self.waits.set(0);
        self.cpus.set(0);
        for (cell, next) in self.next.iter().zip(next) {
            cell.set(next);
        }
        for (key, owner) in self.keys.iter().zip(&self.owners) {
            key.set(FREE);
            owner.set(None);
        }
    }

    /// On `cpu` runs `heir`, with its turn, which is in no ring; none stands for the idle thread. To be said of each processor.
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<(Id, i64)>) {
        let cpu = index(cpu);
        self.cpus.set(self.cpus.get() | bit(cpu));
        self.since[cpu].set(w.ticks());
        if let Some((id, turn)) = heir {
            self.keys[cpu].set(key_of(w.priority(id), turn));
            self.owners[cpu].set(Some(id));
            w.set_note(id, note(w, id).with_place(cpu).0);
        } else {
            self.keys[cpu].set(R::free(self));
        }
        let heir = heir.map_or(w.idle(cpu), |(id, _)| id);
        w.set_heir(w.seat(cpu), heir);
    }

    /// It decides no longer. `tell` hears of each processor and its owner with its turn, none where it is idle; what is answered are
    /// the processors that have an owner, eight bits each, where idle threads may execute still, and the turns that are drawn next.
    pub(super) fn open<W: World<Id = Id>>(
        &self,
        w: &W,
        mut tell: impl FnMut(usize, Option<(Id, Option<i64>)>),
    ) -> (u64, [i64; 2]) {
        self.closed.set(false);
        let mut owned = 0;
        let mut rest = self.cpus.get();
        while rest != 0 {
            let cpu = index(R::first_told(self, rest));
            rest &= !bit(cpu);
            self.charge_owner(w, cpu);
            let turn = turn_of(self.keys[cpu].get());
            let owner = self.owner(cpu);
            if owner.is_some() {
                owned = owned << u8::BITS | cpu as u64;
            }
            tell(cpu, owner.map(|owner| (owner, Some(turn))));
        }
        (owned, self.next.each_ref().map(Cell::get))
    }

    /// The rings of its READY threads.
    pub(super) fn rings(&self) -> &ReadyQueue<Id> {
        &self.rings
    }
}
