//! Owns: the rule of the policy `StrongAffinity`: others are shifted to make space, by the searches
//! of [`matching`]. Must never know: where registers are.
//!
//! The invariant: no ready thread without a seat could have one in place of a thread that is after
//! it, by any shifts.

use super::{Masked, Rings, Rule, index};
use crate::smp::policy::matching::{self, ArrivalKind, Route, Seats};
use crate::smp::seats::{Place, World};
use crate::{Cpu, CpuSet};

/// The rule of the policy `StrongAffinity`.
pub struct Strong;

/// The seats as the searches see them.
struct Owners<'a, W: World, G: Rings<W::Id>, const N: usize> {
    masked: &'a Masked<W::Id, G, Strong, N>,
    w: &'a W,
}

impl<W: World, G: Rings<W::Id>, const N: usize> Seats for Owners<'_, W, G, N> {
    type Key = G::Key;

    #[inline(always)]
    fn allowed(&self, cpu: Cpu) -> CpuSet {
        let owner = self.masked.owner(cpu.index());
        owner.map_or(CpuSet::EMPTY, |owner| G::mask(self.w, owner))
    }

    #[inline(always)]
    fn key(&self, cpu: Cpu) -> Option<G::Key> {
        let key = self.masked.keys[index::<N>(cpu.index())].get();
        (key != G::FREE).then_some(key)
    }
}

impl<Id: Copy + Eq, G: Rings<Id>, const N: usize> Rule<Id, G, N> for Strong {
    type Way = Route;

    #[inline(always)]
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        place: Place,
        leaves: impl FnOnce(usize),
    ) {
        let owners = Owners { masked, w };
        match matching::classify_arrival(&owners, masked.owned(), G::mask(w, id), key) {
            ArrivalKind::Waits => masked.stand(w, id, key, place),
            ArrivalKind::Takes(cpu) => {
                leaves(cpu.index());
                masked.assign_seat(w, cpu.index(), key, Some(id));
            }
            ArrivalKind::Unclear => enter_by_shifts(masked, w, id, key, place),
        }
    }

    #[inline(always)]
    fn fits<W: World<Id = Id>>(_: &Masked<Id, G, Self, N>, w: &W, id: Id, cpu: usize) -> bool {
        G::mask(w, id).contains(Cpu::masked(cpu as u8))
    }

    fn best<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, G::Key, Route)> {
        let mask = |id| G::mask(w, id);
        let freed = Cpu::masked(cpu as u8);
        let reach = matching::departure(&Owners { masked, w }, masked.owned(), freed);
        let profits = |id| !mask(id).and(reach.cpus()).is_empty();
        let (best, priority) = masked.rings.search(w, profits)?;
        let key = G::key(priority, G::turn(w, best));
        Some((best, key, reach.route(mask(best))?))
    }

    fn sit<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        route: &Route,
    ) {
        for (from, to) in route.shifts() {
            let from = index::<N>(from.index());
            masked.assign_seat(w, to.index(), masked.keys[from].get(), masked.owner(from));
        }
        masked.assign_seat(w, route.first().index(), key, Some(id));
    }

    fn could_sit<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
    ) -> bool {
        let (owners, mask) = (Owners { masked, w }, G::mask(w, id));
        matching::arrival(&owners, masked.owned(), mask, key).is_some()
    }

    #[inline(always)]
    fn free(_: &Masked<Id, G, Self, N>) -> G::Key {
        G::FREE
    }
}

impl<Id: Copy + Eq, G: Rings<Id>, const N: usize> Masked<Id, G, Strong, N> {
    /// Makes `id` more urgent by a call of `set`, after its new equals or in front of them. `id`
    /// owns the seat of the processor that has its registers. It keeps its seat, as no thread that
    /// waits is before it.
    #[inline(always)]
    pub fn raise<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        set();
        let key = G::key(G::standing(w, id), self.draw(place));
        self.set_key(G::place(w, id), key);
    }

    /// Makes `id`, which owns the seat of the processor that has its registers, less urgent by a
    /// call of `set`, in front of its new equals. If another thread is before it then, that thread
    /// gets the seat.
    #[inline(always)]
    pub fn lower<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce()) {
        let old = G::standing(w, id);
        set();
        let new = G::standing(w, id);
        if self.rings.has_before(w, new) {
            return self.lower_among_others(w, id, old);
        }
        let key = G::key(new, self.draw(Place::First));
        self.set_key(G::place(w, id), key);
    }

    /// [`Masked::lower`] where a thread that waits is more urgent than `id` now: it was at `old`.
    #[cold]
    #[inline(never)]
    fn lower_among_others<W: World<Id = Id>>(&self, w: &W, id: Id, old: G::Urgency) {
        self.place_at(w, id, old, G::standing(w, id), Place::First);
    }
}

/// [`Rule::enter`] where others may have to shift.
#[inline(never)]
fn enter_by_shifts<W: World, G: Rings<W::Id>, const N: usize>(
    masked: &Masked<W::Id, G, Strong, N>,
    w: &W,
    id: W::Id,
    key: G::Key,
    place: Place,
) {
    let (owners, mask) = (Owners { masked, w }, G::mask(w, id));
    let Some(route) = matching::arrival(&owners, masked.owned(), mask, key) else {
        return masked.stand(w, id, key, place);
    };
    masked.leave(w, route.last().index());
    Strong::sit(masked, w, id, key, &route);
}
