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
//! - the registers of a thread that is at home here are nowhere, or on the processor that its note says;
//! - the heir of a processor is the owner of its seat, the idle thread where it is free; but who owns a seat while another
//!   processor still has its registers *waits*: an idle thread is the heir until then. The heir of the processor that has
//!   the registers is unknown, so that it asks with [`Masked::dispatch`] before it lets them go, and the one that waits hears
//!   of it.

mod bound;
mod laws;
mod rings;
mod strong;
mod weak;

pub use bound::Bound;
pub use strong::Strong;
pub use weak::Weak;

use super::duty::Duty;
use super::{Place, SEATS, World};
use crate::{Cpu, CpuSet};
use core::cell::Cell;
use core::marker::PhantomData;

/// The bits of a thread's note that name the processor that it had last.
const PLACE: u64 = SEATS as u64 - 1;

const fn index(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (SEATS - 1)
}

const fn bit(cpu: usize) -> u8 {
    1 << index(cpu)
}

/// Where ready threads without a seat stand, in the order of their urgencies and turns; and what is kept beside each thread.
pub trait Rings<Id: Copy + Eq>: Sized {
    /// By what threads are ordered.
    type Urgency: Copy + PartialEq;
    /// The key by which seats are compared: an urgency above a turn.
    type Key: Copy + Ord;
    /// Nobody stands here.
    const NOBODY: Self;
    /// A key behind all others.
    const FREE: Self::Key;

    /// The key of one with this turn.
    fn key(urgency: Self::Urgency, turn: i64) -> Self::Key;
    /// The key of a seat that became free with this turn: behind those of all that have owners.
    fn free(turn: i64) -> Self::Key;
    /// The urgency in the key of a thread.
    fn urgency_of(key: Self::Key) -> Self::Urgency;
    /// The turn in a key.
    fn turn_of(key: Self::Key) -> i64;
    /// A turn of the tables as it is kept here.
    fn narrow(turn: i64) -> i64;
    /// The inverse of [`Rings::narrow`].
    fn widen(narrow: i64) -> i64;

    /// How urgent `id` is.
    fn standing<W: World<Id = Id>>(w: &W, id: Id) -> Self::Urgency;
    /// The processors on which `id` may run.
    fn mask<W: World<Id = Id>>(w: &W, id: Id) -> CpuSet;
    /// Sets [`Rings::mask`]. What `id` has or waits for is the caller's business.
    fn bind<W: World<Id = Id>>(w: &W, id: Id, mask: CpuSet);
    /// The turn of `id`, which stands here.
    fn turn<W: World<Id = Id>>(w: &W, id: Id) -> i64;

    /// `id`, a ring of its own, stands here from now on: behind its equals; or in front, behind those of an earlier turn than
    /// `turn`.
    fn stand<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        urgency: Self::Urgency,
        turn: i64,
        place: Place,
    );
    /// Takes out `id`; it is then a ring of its own.
    fn take_out<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: Self::Urgency);
    /// The first that `will_do`, and its urgency. As many steps as there are before it.
    fn search<W: World<Id = Id>>(
        &self,
        w: &W,
        will_do: impl FnMut(Id) -> bool,
    ) -> Option<(Id, Self::Urgency)>;
    /// Visits all, in their order. As many steps as there are.
    fn visit_all<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id));
}

/// The urgency of a thread where seats are given by the rule `R`.
type UrgencyOf<Id, R> = <<R as Rule<Id>>::Rings as Rings<Id>>::Urgency;
/// The key of a seat there.
type KeyOf<Id, R> = <<R as Rule<Id>>::Rings as Rings<Id>>::Key;

/// By which rule ready threads have seats.
pub trait Rule<Id: Copy + Eq>: Sized {
    /// Where those without a seat stand.
    type Rings: Rings<Id>;
    /// How others make room for one that gets a seat.
    type Way;

    /// The processor of `cpus`, which are some, that is told first of when the instance is opened.
    fn first_told(masked: &Masked<Id, Self>, cpus: u8) -> usize;

    /// `id`, a ring of its own, gets a seat, or stands in the rings: at `key`, behind its equals or in front of them. `leaves` is
    /// told of the seat that it gets, before its owner, if it has one, has left it; where others shift, `Masked::leave` is.
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        id: Id,
        key: KeyOf<Id, Self>,
        place: Place,
        leaves: impl FnOnce(usize),
    );

    /// Whether `id`, which stands in the rings, may have the seat of `cpu`, and nobody shifts for it.
    fn fits<W: World<Id = Id>>(masked: &Masked<Id, Self>, w: &W, id: Id, cpu: usize) -> bool;

    /// The ready thread that shall have the seat of `cpu`, where the owner is leaving, with its key and the way.
    fn best<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, KeyOf<Id, Self>, Self::Way)>;

    /// `id`, a ring of its own, gets a seat by `way`, whose last one its owner is leaving, or left.
    fn sit<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        id: Id,
        key: KeyOf<Id, Self>,
        way: &Self::Way,
    );

    /// The key of one that had `key` and gets a seat, or loses it, which is said by `place`.
    #[inline(always)]
    fn moved(_: &Masked<Id, Self>, key: KeyOf<Id, Self>, _place: Place) -> KeyOf<Id, Self> {
        key
    }

    /// Whether `id`, which stands in the rings at `key`, could have a seat: never, where the rule
    /// does not ask for each that stands.
    fn could_sit<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        id: Id,
        key: KeyOf<Id, Self>,
    ) -> bool;

    /// The key of a seat that becomes free.
    fn free(masked: &Masked<Id, Self>) -> KeyOf<Id, Self>;

    /// After an arrival and after a change of priority: who stands in the rings is tried again.
    #[inline(always)]
    fn settle<W: World<Id = Id>>(_: &Masked<Id, Self>, _: &W) {}
}

/// The seats and the rings of an instance. See the module's head for its laws.
#[repr(C)]
pub struct Masked<Id: Copy + Eq, R: Rule<Id> = Strong> {
    pub(in crate::smp::closed) duty: Duty,
    /// The processors of those who wait for their registers.
    waits: Cell<u8>,
    cpus: Cell<u8>,
    /// The turns that are drawn next, for one appended and for one prepended.
    next: [Cell<i64>; 2],
    keys: [Cell<KeyOf<Id, R>>; SEATS],
    owners: [Cell<Option<Id>>; SEATS],
    /// The counter when the owner became the owner.
    since: [Cell<u64>; SEATS],
    rings: R::Rings,
    rule: PhantomData<R>,
}

/// The processor that `id` had last.
pub(super) fn place_of<W: World>(w: &W, id: W::Id) -> usize {
    (w.note(id) & PLACE) as usize
}

/// `id` has the processor `cpu`, or had it last.
pub(super) fn set_place<W: World>(w: &W, id: W::Id, cpu: usize) {
    w.set_note(id, w.note(id) & !PLACE | cpu as u64 & PLACE);
}

/// The processor that has the registers of `id`, unless none has.
fn lives_on<W: World>(w: &W, id: W::Id) -> Option<usize> {
    let cpu = place_of(w, id);
    (w.current(w.seat(cpu)) == id).then_some(cpu)
}

impl<Id: Copy + Eq, R: Rule<Id>> Masked<Id, R> {
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
            duty: Duty::new(),
            waits: Cell::new(0),
            cpus: Cell::new(0),
            next: [const { Cell::new(0) }; 2],
            keys: [const { Cell::new(R::Rings::FREE) }; SEATS],
            owners: [const { nobody() }; SEATS],
            since: [const { Cell::new(0) }; SEATS],
            rings: R::Rings::NOBODY,
            rule: PhantomData,
        }
    };

    /// Whether it decides.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.duty.is_on()
    }

    /// Whether its instance, which is closed, has the processor `cpu`.
    pub fn has(&self, cpu: usize) -> bool {
        cpu < SEATS && self.cpus.get() & bit(cpu) != 0
    }

    /// The owner of the seat of `cpu`; none where it is free.
    pub fn owner(&self, cpu: usize) -> Option<Id> {
        self.owners[index(cpu)].get()
    }

    /// The processor whose seat `id`, which is at home here, owns.
    pub fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = place_of(w, id);
        if self.owner(cpu) == Some(id) {
            return Some(cpu);
        }
        let mut waiting = Self::processors(self.waits.get());
        waiting.find(|cpu| self.owner(*cpu) == Some(id))
    }

    /// Whether `id`, which is ready, has a seat, or none that has none comes before it.
    #[inline(always)]
    pub(super) fn keeps_place<W: World<Id = Id>>(&self, w: &W, id: Id) -> bool {
        let is_first = |(first, _)| first == id;
        self.seat_of(w, id).is_some() || self.rings.search(w, |_| true).is_some_and(is_first)
    }

    fn processors(bits: u8) -> impl Iterator<Item = usize> {
        let cpus = CpuSet::from_bits(bits.into());
        cpus.into_iter().map(Cpu::index)
    }

    fn owned(&self) -> CpuSet {
        CpuSet::from_bits(self.cpus.get().into())
    }

    /// The processor of `cpus`, of this instance, whose seat is the last by its key.
    #[inline(always)]
    fn last_of(&self, cpus: CpuSet) -> Option<usize> {
        let all = cpus.and(self.owned()).into_iter().map(Cpu::index);
        all.max_by_key(|cpu| self.keys[index(*cpu)].get())
    }

    /// The one of `cpus`, which are some, whose seat is the first by its key.
    fn first_of(&self, cpus: u8) -> usize {
        let first = Self::processors(cpus).min_by_key(|cpu| self.keys[index(*cpu)].get());
        first.unwrap_or(0)
    }

    /// Whether `id`, which is at home here, may run on `cpu`.
    pub fn allows<W: World<Id = Id>>(&self, w: &W, id: Id, cpu: usize) -> bool {
        Cpu::new(cpu).is_some_and(|cpu| R::Rings::mask(w, id).contains(cpu))
    }

    #[inline(always)]
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
    #[inline(always)]
    fn appoint<W: World<Id = Id>>(&self, w: &W, cpu: usize, key: KeyOf<Id, R>, owner: Option<Id>) {
        self.charge_owner(w, cpu);
        self.keys[index(cpu)].set(key);
        self.owners[index(cpu)].set(owner);
        let heir = self.user(w, cpu);
        self.tell_heir(w, cpu, heir);
    }

    /// The thread that can run on `cpu` now: the owner of its seat, unless it is free, or waits.
    #[inline(never)]
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
                set_place(w, owner, cpu);
                owner
            }
        }
    }

    /// `heir` runs on `cpu` next; but that is not said before it has let go of registers that another waits for.
    #[inline(never)]
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

    /// Those who wait for registers do so no longer: the caller sees to that.
    pub(super) fn arrive<W: World<Id = Id>>(&self, w: &W) {
        for cpu in Self::processors(self.waits.replace(0)) {
            if let Some(owner) = self.owner(cpu) {
                set_place(w, owner, cpu);
            }
        }
    }

    /// The thread that runs next on `here`, which is about to let go of the registers that it has,
    /// unless they are the heir's.
    pub fn dispatch<W: World<Id = Id>>(&self, w: &W, here: usize) -> Id {
        let current = w.current(w.seat(here));
        if let Some(cpu) = self.who_waits_for(current) {
            self.waits.set(self.waits.get() & !bit(cpu));
            set_place(w, current, cpu);
            self.tell_heir(w, cpu, current);
        }
        let heir = self.user(w, here);
        w.set_heir(w.seat(here), heir);
        heir
    }

    // --- Rings.

    /// `id`, a ring of its own, stands in the rings, at `key`.
    #[inline(always)]
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, key: KeyOf<Id, R>, place: Place) {
        let (urgency, turn) = (R::Rings::urgency_of(key), R::Rings::turn_of(key));
        self.rings.stand(w, id, urgency, turn, place);
    }

    // --- Operations.

    #[inline(always)]
    fn enter<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: UrgencyOf<Id, R>, place: Place) {
        let key = R::Rings::key(urgency, self.draw(place));
        R::enter(self, w, id, key, place, |cpu| self.leave(w, cpu));
    }

    /// The owner of the seat of `cpu`, if it is not free, stands in the rings; the seat is the caller's business.
    #[inline(always)]
    fn leave<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if let Some(victim) = self.owner(cpu) {
            let key = R::moved(self, self.keys[index(cpu)].get(), Place::First);
            self.stand(w, victim, key, Place::First);
        }
    }

    /// The seat of `cpu` goes to whom it belongs now, or it is free.
    #[inline(always)]
    fn fill<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if !self.succeed(w, cpu, R::Rings::FREE, || {}) {
            self.appoint(w, cpu, R::free(self), None);
        }
    }

    /// The seat of `cpu` goes to whom it belongs once its owner `leaves` it, if that one is before `limit`; whether it does.
    #[inline(always)]
    fn succeed<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        limit: KeyOf<Id, R>,
        leaves: impl FnOnce(),
    ) -> bool {
        let Some((top, urgency)) = self.rings.search(w, |_| true) else {
            return false;
        };
        let key = R::Rings::key(urgency, R::Rings::turn(w, top));
        if key >= limit {
            return false;
        }
        if !R::fits(self, w, top, cpu) {
            return self.succeed_by_ways(w, cpu, limit, leaves);
        }
        self.rings.take_out(w, top, urgency);
        leaves();
        self.appoint(w, cpu, R::moved(self, key, Place::Last), Some(top));
        true
    }

    /// [`Masked::succeed`] where the first of those that stand cannot have just this seat.
    #[inline(never)]
    fn succeed_by_ways<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        limit: KeyOf<Id, R>,
        leaves: impl FnOnce(),
    ) -> bool {
        let Some((next, key, way)) = R::best(self, w, cpu).filter(|(_, key, _)| *key < limit)
        else {
            return false;
        };
        self.rings.take_out(w, next, R::Rings::urgency_of(key));
        leaves();
        R::sit(self, w, next, R::moved(self, key, Place::Last), &way);
        true
    }

    /// The owner of the seat of `cpu`, which has `urgency`, goes behind its equals or in front of them; who is before it then
    /// gets the seat.
    #[inline(always)]
    fn place_anew<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        id: Id,
        urgency: UrgencyOf<Id, R>,
        place: Place,
    ) {
        let key = R::Rings::key(urgency, self.draw(place));
        if !self.succeed(w, cpu, key, || self.stand(w, id, key, place)) {
            self.keys[index(cpu)].set(key);
        }
    }

    /// Makes `id`, a ring of its own, ready, behind its equals or in front of them.
    pub fn ready<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        self.enter(w, id, R::Rings::standing(w, id), place);
        R::settle(self, w);
    }

    /// `receiver`, a ring of its own, becomes ready in front of its equals, and `sender`, which is ready and as urgent, goes behind
    /// them. Not for a rule by which a sender that made way may have another seat.
    pub(super) fn hand_turn<W: World<Id = Id>>(&self, w: &W, receiver: Id, sender: Id) {
        let mut gave_way = false;
        let key = R::Rings::key(R::Rings::standing(w, receiver), self.draw(Place::First));
        R::enter(self, w, receiver, key, Place::First, |cpu| {
            gave_way = self.owner(cpu) == Some(sender);
            if gave_way {
                // It made way as the last of those that it could displace, so it stands.
                let key = R::Rings::key(R::Rings::standing(w, sender), self.draw(Place::Last));
                self.stand(w, sender, key, Place::Last);
            } else {
                self.leave(w, cpu);
            }
        });
        if !gave_way {
            self.requeue(w, sender, Place::Last);
        }
    }

    /// Takes out `id`, which is ready; it is then a ring of its own.
    pub fn remove<W: World<Id = Id>>(&self, w: &W, id: Id) {
        match self.seat_of(w, id) {
            Some(cpu) => self.fill(w, cpu),
            None => self.rings.take_out(w, id, R::Rings::standing(w, id)),
        }
    }

    /// Puts `id`, which is ready, behind its equals or in front of them.
    #[inline(always)]
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        let urgency = R::Rings::standing(w, id);
        self.place_at(w, id, urgency, urgency, place);
    }

    /// `id`, which is ready, gets the urgency that it has in `w` once `set` was called: behind or in front of its new
    /// equals; where it is the same, nothing changes.
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        let old = R::Rings::standing(w, id);
        set();
        let new = R::Rings::standing(w, id);
        if new != old {
            self.place_at(w, id, old, new, place);
            R::settle(self, w);
        }
    }

    /// One that waits, and is in no ring, has got another priority.
    pub fn waiting_has_changed<W: World<Id = Id>>(&self, w: &W) {
        R::settle(self, w);
    }

    /// `id`, which is ready at `old`, has the urgency `new` from now on.
    #[inline(never)]
    fn place_at<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        old: UrgencyOf<Id, R>,
        new: UrgencyOf<Id, R>,
        place: Place,
    ) {
        match self.seat_of(w, id) {
            Some(cpu) => self.place_anew(w, cpu, id, new, place),
            None => self.stand_anew(w, id, old, new, place),
        }
    }

    /// [`Masked::place_at`] for one without a seat.
    #[inline(never)]
    fn stand_anew<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        old: UrgencyOf<Id, R>,
        new: UrgencyOf<Id, R>,
        place: Place,
    ) {
        self.rings.take_out(w, id, old);
        self.enter(w, id, new, place);
    }

    // --- Closing and opening.

    /// From now on it decides about the processors that are told of with [`Masked::seat`]; `next` are the turns that are drawn
    /// next.
    pub(super) fn close(&self, next: [i64; 2]) {
        self.duty.set(true);
        self.waits.set(0);
        self.cpus.set(0);
        for (cell, next) in self.next.iter().zip(next) {
            cell.set(R::Rings::narrow(next));
        }
        for (key, owner) in self.keys.iter().zip(&self.owners) {
            key.set(R::Rings::FREE);
            owner.set(None);
        }
    }

    /// On `cpu` runs `heir`, with its turn, which is in no ring; none stands for the idle thread. To be said of each processor.
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<(Id, i64)>) {
        let cpu = index(cpu);
        self.cpus.set(self.cpus.get() | bit(cpu));
        self.since[cpu].set(w.ticks());
        if let Some((id, turn)) = heir {
            let turn = R::Rings::narrow(turn);
            self.keys[cpu].set(R::Rings::key(R::Rings::standing(w, id), turn));
            self.owners[cpu].set(Some(id));
            set_place(w, id, cpu);
        } else {
            self.keys[cpu].set(R::free(self));
        }
        let heir = heir.map_or(w.idle(cpu), |(id, _)| id);
        w.set_heir(w.seat(cpu), heir);
    }

    /// It has the processor `cpu`, too, which idles for no instance: its seat goes to whom it belongs.
    pub(super) fn gain<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.cpus.set(self.cpus.get() | bit(cpu));
        self.since[index(cpu)].set(w.ticks());
        self.fill(w, cpu);
    }

    /// It has the processor `cpu` no longer, which idles from now on: who had its seat, and is in no
    /// ring.
    pub(super) fn lose<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        self.charge_owner(w, cpu);
        self.cpus.set(self.cpus.get() & !bit(cpu));
        self.waits.set(self.waits.get() & !bit(cpu));
        self.keys[index(cpu)].set(R::Rings::FREE);
        Self::set_heir(w, cpu, w.idle(cpu));
        let owner = self.owners[index(cpu)].take()?;
        if place_of(w, owner) == cpu {
            // Its registers are not where it may sit.
            set_place(w, owner, self.cpus.get().trailing_zeros() as usize);
        }
        Some(owner)
    }

    /// `id`, which lost its seat with the processor, comes in again, behind its equals: nobody is tried
    /// again for that.
    #[inline(never)]
    pub(super) fn come_back<W: World<Id = Id>>(&self, w: &W, id: Id) {
        self.enter(w, id, R::Rings::standing(w, id), Place::Last);
    }

    /// It decides no longer. `tell` hears of each processor and its owner with its turn, none where it is idle; what is answered are
    /// the processors that have an owner, eight bits each, where idle threads may execute still, and the turns that are drawn next.
    pub(super) fn open<W: World<Id = Id>>(
        &self,
        w: &W,
        mut tell: impl FnMut(usize, Option<(Id, Option<i64>)>),
    ) -> (u64, [i64; 2]) {
        self.duty.set(false);
        let mut owned = 0;
        let mut rest = self.cpus.get();
        while rest != 0 {
            let cpu = index(R::first_told(self, rest));
            rest &= !bit(cpu);
            self.charge_owner(w, cpu);
            let turn = R::Rings::widen(R::Rings::turn_of(self.keys[cpu].get()));
            let owner = self.owner(cpu);
            if owner.is_some() {
                owned = owned << u8::BITS | cpu as u64;
            }
            tell(cpu, owner.map(|owner| (owner, Some(turn))));
        }
        (
            owned,
            self.next.each_ref().map(|next| R::Rings::widen(next.get())),
        )
    }

    /// `id`, a ring of its own, stands in the rings from now on; see [`Rings::stand`]. The turn is one of the tables.
    pub(super) fn put<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        urgency: UrgencyOf<Id, R>,
        turn: i64,
        place: Place,
    ) {
        let turn = R::Rings::narrow(turn);
        self.rings.stand(w, id, urgency, turn, place);
    }

    /// The turn of `id`, which stands in the rings, as the tables have it.
    pub(super) fn turn<W: World<Id = Id>>(&self, w: &W, id: Id) -> i64 {
        R::Rings::widen(R::Rings::turn(w, id))
    }

    /// The rings of its READY threads.
    pub(super) fn rings(&self) -> &R::Rings {
        &self.rings
    }
}
