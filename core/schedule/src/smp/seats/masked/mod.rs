//! Owns: the ready threads of an instance in which each thread has an affinity mask: which thread
//! has which processor, and when migrating threads have arrived.
//! Must never know: helping, the acts of another instance, why a thread has its mask.
//!
//! Each processor has a seat, as in a [`Cluster`](super::Cluster). A [`Rule`] decides which
//! threads run next to each other, as a policy of the tables decides it. All ready threads without
//! a seat are in the rings by their turns, and each has its turn next to it.
//!
//! The invariants:
//! - no ready thread without a seat could have one by the rule, if the rule tries each;
//! - those of one ring are in the order of their turns;
//! - the registers of a thread that is at home here are nowhere, or on the processor that its note
//!   says;
//! - the heir of a processor is the owner of its seat, or the idle thread if it is free. But an
//!   owner of a seat *waits* while another processor still has its registers: an idle thread is
//!   the heir until then. The heir of the processor that has the registers is unknown. So that
//!   processor calls [`Masked::dispatch`] before it releases them, and the one that waits is
//!   notified.

mod bits;
mod bound;
mod laws;
mod rings;
mod strong;
mod weak;

pub use bits::Bits;
pub use bound::Bound;
pub(super) use rings::{note_place, noted_place};
pub use strong::Strong;
pub use weak::Weak;

use super::{Key, Place, SEATS, Tops, Urgency, World};
use crate::{Cpu, CpuSet, ReadyQueue};
use core::cell::Cell;
use core::marker::PhantomData;

/// The place of the processor `cpu` among `N`, a power of two.
const fn index<const N: usize>(cpu: usize) -> usize {
    // Spares the check of the index.
    cpu & (N - 1)
}

/// The ready threads without a seat, in the order of their urgencies and turns; and the word that
/// is kept with each thread.
pub trait Rings<Id: Copy + Eq>: Sized {
    /// By what threads are ordered.
    type Urgency: Urgency;
    /// The key by which seats are compared: an urgency above a turn.
    type Key: Key;
    /// The summary of the seats' keys that is kept with them.
    type Tops: Tops<Self::Key>;
    /// Some of the processors of an instance.
    type Cpus: Bits;
    /// The rings without any thread.
    const NOBODY: Self;
    /// A key after all others.
    const FREE: Self::Key;
    /// The greatest turn of a key.
    const LAST: i64;

    /// The key of one with this turn.
    fn key(urgency: Self::Urgency, turn: i64) -> Self::Key;
    /// The key of a seat that became free with this turn: after those of all that have owners.
    fn free(turn: i64) -> Self::Key;
    /// The urgency in the key of a thread.
    fn urgency_of(key: Self::Key) -> Self::Urgency;
    /// The turn in a key.
    fn turn_of(key: Self::Key) -> i64;
    /// The turn of the first one that is appended; those prepended have lower ones.
    const FIRST: i64;

    /// How urgent `id` is.
    fn standing<W: World<Id = Id>>(w: &W, id: Id) -> Self::Urgency;
    /// The processors on which `id` may run.
    fn mask<W: World<Id = Id>>(w: &W, id: Id) -> CpuSet;
    /// Sets [`Rings::mask`]. The processor that `id` has or waits for is the caller's business.
    fn bind<W: World<Id = Id>>(w: &W, id: Id, mask: CpuSet);
    /// The processor that `id` had last.
    fn place<W: World<Id = Id>>(w: &W, id: Id) -> usize;
    /// `id` has the processor `cpu`, or had it last.
    fn set_place<W: World<Id = Id>>(w: &W, id: Id, cpu: usize);
    /// The turn of `id`, which is in the rings.
    fn turn<W: World<Id = Id>>(w: &W, id: Id) -> i64;

    /// Puts `id`, a ring of its own, into the rings: after its equals; or in front, after those of
    /// an earlier turn than `turn`.
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
    /// Returns whether a thread in the rings is more urgent than that.
    #[inline(always)]
    fn has_before<W: World<Id = Id>>(&self, w: &W, urgency: Self::Urgency) -> bool {
        let first = self.search(w, |_| true);
        first.is_some_and(|(_, first)| first.number() < urgency.number())
    }
    /// Visits all, in their order. As many steps as there are.
    fn visit_all<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id));
}

/// The rule by which ready threads have seats, of which there are `N`; those without one are in
/// `G`.
pub trait Rule<Id: Copy + Eq, G: Rings<Id>, const N: usize>: Sized {
    /// How others make room for one that gets a seat.
    type Way;

    /// Gives `id`, a ring of its own, a seat, or puts it into the rings: at `key`, after its
    /// equals or in front of them. `leaves` is called with the seat that it gets, before its
    /// owner, if it has one, has left it; for a seat that becomes free by shifts, `Masked::leave`
    /// is.
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        place: Place,
        leaves: impl FnOnce(usize),
    );

    /// Returns whether `id`, which is in the rings, may have the seat of `cpu` without any thread
    /// that shifts for it.
    fn fits<W: World<Id = Id>>(masked: &Masked<Id, G, Self, N>, w: &W, id: Id, cpu: usize) -> bool;

    /// The ready thread that shall have the seat of `cpu`, where the owner is leaving, with its key
    /// and the way.
    fn best<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, G::Key, Self::Way)>;

    /// Gives `id`, a ring of its own, a seat by `way`. The owner of the last one is leaving it, or
    /// left.
    fn sit<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        way: &Self::Way,
    );

    /// The key of one that had `key` and gets a seat, or loses it, which is said by `place`.
    #[inline(always)]
    fn moved(_: &Masked<Id, G, Self, N>, key: G::Key, _place: Place) -> G::Key {
        key
    }

    /// Returns whether `id`, which is in the rings at `key`, could have a seat: never, if the rule
    /// does not try each thread there.
    fn could_sit<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
    ) -> bool;

    /// The key of a seat that becomes free.
    fn free(masked: &Masked<Id, G, Self, N>) -> G::Key;

    /// Tries the threads in the rings again, after an arrival and after a change of priority.
    #[inline(always)]
    fn settle<W: World<Id = Id>>(_: &Masked<Id, G, Self, N>, _: &W) {}
}

/// The seats and the rings of an instance. See the module's head for its invariants.
#[repr(C)]
pub struct Masked<
    Id: Copy + Eq,
    G: Rings<Id> = ReadyQueue<Id>,
    R: Rule<Id, G, N> = Strong,
    const N: usize = SEATS,
> {
    /// Whether acts may go to it directly.
    pub(in crate::smp::seats) direct: Cell<bool>,
    /// The processors of the owners that wait for their registers.
    waits: Cell<G::Cpus>,
    cpus: Cell<G::Cpus>,
    /// The turns that are drawn next, for one appended and for one prepended.
    next: [Cell<i64>; 2],
    keys: [Cell<G::Key>; N],
    owners: [Cell<Option<Id>>; N],
    /// The counter when the owner became the owner.
    since: [Cell<u64>; N],
    rings: G,
    tops: G::Tops,
    rule: PhantomData<R>,
}

/// The processor that has the registers of `id`, unless none has.
fn lives_on<G: Rings<W::Id>, W: World>(w: &W, id: W::Id) -> Option<usize> {
    let cpu = G::place(w, id);
    (w.current(w.seat(cpu)) == id).then_some(cpu)
}

impl<Id: Copy + Eq, G: Rings<Id>, R: Rule<Id, G, N>, const N: usize> Masked<Id, G, R, N> {
    /// One that does not decide yet, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = {
        const fn nobody<Id>() -> Cell<Option<Id>> {
            Cell::new(None)
        }
        Self {
            direct: Cell::new(false),
            waits: Cell::new(G::Cpus::NONE),
            cpus: Cell::new(G::Cpus::NONE),
            next: [const { Cell::new(0) }; 2],
            keys: [const { Cell::new(G::Key::NONE) }; N],
            owners: [const { nobody() }; N],
            since: [const { Cell::new(0) }; N],
            rings: G::NOBODY,
            tops: G::Tops::NONE,
            rule: PhantomData,
        }
    };

    /// Whether its instance has the processor `cpu`.
    pub(crate) fn has(&self, cpu: usize) -> bool {
        cpu < N && self.cpus.get().has(cpu)
    }

    /// Returns the owner of the seat of `cpu`; none if it is free.
    pub fn owner(&self, cpu: usize) -> Option<Id> {
        self.owners[index::<N>(cpu)].get()
    }

    /// Returns the processor of the seat that `id`, which is at home here, owns.
    pub(crate) fn seat_of<W: World<Id = Id>>(&self, w: &W, id: Id) -> Option<usize> {
        let cpu = G::place(w, id);
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

    fn processors(bits: G::Cpus) -> impl Iterator<Item = usize> + use<Id, G, R, N> {
        bits.set().into_iter().map(Cpu::index)
    }

    fn owned(&self) -> CpuSet {
        self.cpus.get().set()
    }

    /// The seat of `cpu` has this key.
    #[inline(always)]
    fn set_key(&self, cpu: usize, key: G::Key) {
        self.keys[index::<N>(cpu)].set(key);
        self.tops.renew(cpu);
    }

    /// Returns the processor of `cpus`, of this instance, that has the last seat by its key. No two
    /// seats have the same key.
    #[inline(always)]
    fn last_of(&self, cpus: CpuSet) -> Option<usize> {
        if N > SEATS && cpus.covers(self.owned()) {
            let is_some = self.tops.last(&self.keys) != G::Key::NONE;
            return is_some.then(|| self.tops.place(&self.keys));
        }
        let all = cpus.and(self.owned()).into_iter().map(Cpu::index);
        all.max_by_key(|cpu| self.keys[index::<N>(*cpu)].get())
    }

    /// Returns the one of `cpus`, which are some, that has the first seat by its key.
    fn first_of(&self, cpus: CpuSet) -> usize {
        let cpus = cpus.into_iter().map(Cpu::index);
        let first = cpus.min_by_key(|cpu| self.keys[index::<N>(*cpu)].get());
        first.unwrap_or(0)
    }

    /// Whether `id`, which is at home here, may run on `cpu`.
    pub fn allows<W: World<Id = Id>>(&self, w: &W, id: Id, cpu: usize) -> bool {
        Cpu::new(cpu).is_some_and(|cpu| G::mask(w, id).contains(cpu))
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
    pub(crate) fn charge_owner<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        let now = w.ticks();
        let since = self.since[index::<N>(cpu)].replace(now);
        let user = self.owner(cpu).unwrap_or(w.idle(cpu));
        w.charge(user, now.wrapping_sub(since));
    }

    /// Makes the heir of `cpu` unknown; `cpu` is to dispatch.
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

    /// Makes `owner` the owner of the seat of `cpu`, in place of another thread that still has its
    /// registers there. If `owner` is none, the seat is free.
    #[inline(always)]
    fn assign_seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, key: G::Key, owner: Option<Id>) {
        self.charge_owner(w, cpu);
        self.set_key(cpu, key);
        self.owners[index::<N>(cpu)].set(owner);
        let heir = self.user(w, cpu);
        self.publish_heir(w, cpu, heir);
        w.appointed(cpu);
    }

    /// The thread that can run on `cpu` now: the owner of its seat, unless it is free, or waits.
    #[inline(never)]
    fn user<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Id {
        self.waits.set(self.waits.get().without(cpu));
        let Some(owner) = self.owner(cpu) else {
            return w.idle(cpu);
        };
        match lives_on::<G, W>(w, owner) {
            Some(lives_on) if lives_on != cpu => {
                self.waits.set(self.waits.get().with(cpu));
                Self::forget_heir(w, lives_on);
                w.idle(cpu)
            }
            _ => {
                G::set_place(w, owner, cpu);
                owner
            }
        }
    }

    /// `heir` runs on `cpu` next; but that is not said before it has let go of registers that
    /// another waits for.
    #[inline(never)]
    fn publish_heir<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Id) {
        let current = w.current(w.seat(cpu));
        if self.waiting_cpu(current).is_some() {
            Self::forget_heir(w, cpu);
        } else {
            Self::set_heir(w, cpu, heir);
        }
    }

    /// The processor that waits for the registers of `id`.
    fn waiting_cpu(&self, id: Id) -> Option<usize> {
        Self::processors(self.waits.get()).find(|cpu| self.owner(*cpu) == Some(id))
    }

    /// Ends the waits for registers: the caller ensures that these have arrived.
    pub(super) fn arrive<W: World<Id = Id>>(&self, w: &W) {
        for cpu in Self::processors(self.waits.replace(G::Cpus::NONE)) {
            if let Some(owner) = self.owner(cpu) {
                G::set_place(w, owner, cpu);
            }
        }
    }

    /// The thread that runs next on `here`, which is about to let go of the registers that it has,
    /// unless they are the heir's.
    pub fn dispatch<W: World<Id = Id>>(&self, w: &W, here: usize) -> Id {
        let current = w.current(w.seat(here));
        if let Some(cpu) = self.waiting_cpu(current) {
            self.waits.set(self.waits.get().without(cpu));
            G::set_place(w, current, cpu);
            self.publish_heir(w, cpu, current);
        }
        let heir = self.user(w, here);
        w.set_heir(w.seat(here), heir);
        heir
    }

    // --- Rings.

    /// Puts `id`, a ring of its own, into the rings, at `key`.
    #[inline(always)]
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, key: G::Key, place: Place) {
        let (urgency, turn) = (G::urgency_of(key), G::turn_of(key));
        self.rings.stand(w, id, urgency, turn, place);
    }

    // --- Operations.

    #[inline(always)]
    fn enter<W: World<Id = Id>>(&self, w: &W, id: Id, urgency: G::Urgency, place: Place) {
        let key = G::key(urgency, self.draw(place));
        R::enter(self, w, id, key, place, |cpu| self.leave(w, cpu));
    }

    /// Puts the owner of the seat of `cpu`, if it is not free, into the rings; the caller changes
    /// the seat.
    #[inline(always)]
    fn leave<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if let Some(victim) = self.owner(cpu) {
            let key = R::moved(self, self.keys[index::<N>(cpu)].get(), Place::First);
            self.stand(w, victim, key, Place::First);
        }
    }

    /// Gives the seat of `cpu` to the thread that it belongs to now, or makes it free.
    #[inline(always)]
    fn fill<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        if !self.succeed(w, cpu, G::FREE, || {}) {
            self.assign_seat(w, cpu, R::free(self), None);
        }
    }

    /// Gives the seat of `cpu` to the thread that it belongs to once its owner `leaves` it, if that
    /// thread is before `limit`. Returns whether it is.
    #[inline(always)]
    fn succeed<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        limit: G::Key,
        leaves: impl FnOnce(),
    ) -> bool {
        let Some((top, urgency)) = self.rings.search(w, |_| true) else {
            return false;
        };
        let key = G::key(urgency, G::turn(w, top));
        if key >= limit {
            return false;
        }
        if !R::fits(self, w, top, cpu) {
            return self.succeed_by_ways(w, cpu, limit, leaves);
        }
        self.rings.take_out(w, top, urgency);
        leaves();
        self.assign_seat(w, cpu, R::moved(self, key, Place::Last), Some(top));
        true
    }

    /// Does [`Masked::succeed`] if the first of the threads in the rings cannot have just this
    /// seat.
    #[inline(never)]
    fn succeed_by_ways<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        limit: G::Key,
        leaves: impl FnOnce(),
    ) -> bool {
        let Some((next, key, way)) = R::best(self, w, cpu).filter(|(_, key, _)| *key < limit)
        else {
            return false;
        };
        self.rings.take_out(w, next, G::urgency_of(key));
        leaves();
        R::sit(self, w, next, R::moved(self, key, Place::Last), &way);
        true
    }

    /// Puts the owner of the seat of `cpu`, which has `urgency`, after its equals or in front of
    /// them. If another thread is before it then, that thread gets the seat.
    #[inline(always)]
    fn reposition<W: World<Id = Id>>(
        &self,
        w: &W,
        cpu: usize,
        id: Id,
        urgency: G::Urgency,
        place: Place,
    ) {
        let key = G::key(urgency, self.draw(place));
        if !self.succeed(w, cpu, key, || self.stand(w, id, key, place)) {
            self.set_key(cpu, key);
        }
    }

    /// Makes `id`, a ring of its own, ready, after its equals or in front of them.
    pub fn ready<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        self.enter(w, id, G::standing(w, id), place);
        R::settle(self, w);
    }

    /// Makes `receiver`, a ring of its own, ready in front of its equals, and puts `sender`, which
    /// is ready and as urgent, after them. Not for a rule by which a sender that made way may have
    /// another seat.
    pub(super) fn direct_switch<W: World<Id = Id>>(&self, w: &W, receiver: Id, sender: Id) {
        let mut gave_way = false;
        let key = G::key(G::standing(w, receiver), self.draw(Place::First));
        R::enter(self, w, receiver, key, Place::First, |cpu| {
            gave_way = self.owner(cpu) == Some(sender);
            if gave_way {
                // It made way as the last of those that it could displace, so it goes into the
                // rings.
                let key = G::key(G::standing(w, sender), self.draw(Place::Last));
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
            None => self.rings.take_out(w, id, G::standing(w, id)),
        }
    }

    /// Puts `id`, which is ready, after its equals or in front of them.
    #[inline(always)]
    pub fn requeue<W: World<Id = Id>>(&self, w: &W, id: Id, place: Place) {
        let urgency = G::standing(w, id);
        self.place_at(w, id, urgency, urgency, place);
    }

    /// Gives `id`, which is ready, the urgency that it has in `w` once `set` was called: after its
    /// new equals or in front of them; if it is the same, nothing changes.
    pub fn change<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        let old = G::standing(w, id);
        set();
        let new = G::standing(w, id);
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
        old: G::Urgency,
        new: G::Urgency,
        place: Place,
    ) {
        match self.seat_of(w, id) {
            Some(cpu) => self.reposition(w, cpu, id, new, place),
            None => self.stand_anew(w, id, old, new, place),
        }
    }

    /// [`Masked::place_at`] for one without a seat.
    #[inline(never)]
    fn stand_anew<W: World<Id = Id>>(
        &self,
        w: &W,
        id: Id,
        old: G::Urgency,
        new: G::Urgency,
        place: Place,
    ) {
        self.rings.take_out(w, id, old);
        self.enter(w, id, new, place);
    }

    // --- Beginning; processors come and go.

    /// Begins to decide about the processors that are reported by [`Masked::seat`]; turns below
    /// `drawn` are taken.
    pub(super) fn start(&self, drawn: i64) {
        self.direct.set(true);
        self.waits.set(G::Cpus::NONE);
        self.cpus.set(G::Cpus::NONE);
        self.next[0].set(G::FIRST + drawn);
        self.next[1].set(G::FIRST - 1);
        for (key, owner) in self.keys.iter().zip(&self.owners) {
            key.set(G::Key::NONE);
            owner.set(None);
        }
        self.tops.clear();
    }

    /// Reports that `heir`, with its turn, which is in no ring, runs on `cpu`; `None` means the
    /// idle thread. To be called for each processor.
    pub(super) fn seat<W: World<Id = Id>>(&self, w: &W, cpu: usize, heir: Option<(Id, i64)>) {
        let cpu = index::<N>(cpu);
        self.cpus.set(self.cpus.get().with(cpu));
        self.since[cpu].set(w.ticks());
        if let Some((id, turn)) = heir {
            self.set_key(cpu, G::key(G::standing(w, id), G::FIRST + turn));
            self.owners[cpu].set(Some(id));
            G::set_place(w, id, cpu);
        } else {
            self.set_key(cpu, R::free(self));
        }
        let heir = heir.map_or(w.idle(cpu), |(id, _)| id);
        w.set_heir(w.seat(cpu), heir);
    }

    /// Adds the processor `cpu`, which idles for no instance: its seat goes to the thread that it
    /// belongs to.
    pub(super) fn gain<W: World<Id = Id>>(&self, w: &W, cpu: usize) {
        self.cpus.set(self.cpus.get().with(cpu));
        self.since[index::<N>(cpu)].set(w.ticks());
        self.fill(w, cpu);
    }

    /// Removes the processor `cpu`, which idles from now on. Returns the owner of its seat, which
    /// is in no ring.
    pub(super) fn lose<W: World<Id = Id>>(&self, w: &W, cpu: usize) -> Option<Id> {
        self.charge_owner(w, cpu);
        self.cpus.set(self.cpus.get().without(cpu));
        self.waits.set(self.waits.get().without(cpu));
        self.set_key(cpu, G::Key::NONE);
        Self::set_heir(w, cpu, w.idle(cpu));
        let owner = self.owners[index::<N>(cpu)].take()?;
        if G::place(w, owner) == cpu {
            // Its registers are not where it may sit.
            G::set_place(w, owner, self.cpus.get().lowest());
        }
        Some(owner)
    }

    /// Makes `id`, which lost its seat with the processor, ready again, after its equals: no thread
    /// is tried again for that.
    #[inline(never)]
    pub(super) fn come_back<W: World<Id = Id>>(&self, w: &W, id: Id) {
        self.enter(w, id, G::standing(w, id), Place::Last);
    }

    /// The rings of its READY threads.
    pub(super) fn rings(&self) -> &G {
        &self.rings
    }
}
