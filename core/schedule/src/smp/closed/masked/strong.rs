//! Owns: the rule of the policy `StrongAffinity`: others are shifted to make room, as the searches of [`matching`] say.
//! Must never know: where registers are.
//!
//! The law, while closed: no ready thread without a seat could have one in place of somebody behind it, by any shifts.

use super::{Masked, Rings, Rule, index, place_of};
use crate::smp::closed::{Place, World};
use crate::smp::policy::matching::{self, Glance, Route, Seats};
use crate::{Cpu, CpuSet, Priority, ReadyQueue};

/// The rule of the policy `StrongAffinity`.
pub struct Strong;

/// The seats as the searches see them.
struct Owners<'a, W: World> {
    masked: &'a Masked<W::Id>,
    w: &'a W,
}

impl<W: World> Seats for Owners<'_, W> {
    type Key = u64;

    #[inline(always)]
    fn allowed(&self, cpu: Cpu) -> CpuSet {
        let owner = self.masked.owner(cpu.index());
        owner.map_or(CpuSet::EMPTY, |owner| ReadyQueue::mask(self.w, owner))
    }

    #[inline(always)]
    fn key(&self, cpu: Cpu) -> Option<u64> {
        let key = self.masked.keys[index(cpu.index())].get();
        (key != ReadyQueue::<W::Id>::FREE).then_some(key)
    }
}

impl<Id: Copy + Eq> Rule<Id> for Strong {
    type Rings = ReadyQueue<Id>;
    type Way = Route;

    #[inline(always)]
    fn first_told(_: &Masked<Id>, cpus: u8) -> usize {
        cpus.trailing_zeros() as usize
    }

    #[inline(always)]
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id>,
        w: &W,
        id: Id,
        key: u64,
        place: Place,
        leaves: impl FnOnce(usize),
    ) {
        let owners = Owners { masked, w };
        match matching::glance(&owners, masked.owned(), Self::Rings::mask(w, id), key) {
            Glance::Waits => masked.stand(w, id, key, place),
            Glance::Takes(cpu) => {
                leaves(cpu.index());
                masked.appoint(w, cpu.index(), key, Some(id));
            }
            Glance::Unclear => enter_by_shifts(masked, w, id, key, place),
        }
    }

    #[inline(always)]
    fn fits<W: World<Id = Id>>(_: &Masked<Id>, w: &W, id: Id, cpu: usize) -> bool {
        Self::Rings::mask(w, id).contains(Cpu::masked(cpu as u8))
    }

    fn best<W: World<Id = Id>>(masked: &Masked<Id>, w: &W, cpu: usize) -> Option<(Id, u64, Route)> {
        let mask = |id| Self::Rings::mask(w, id);
        let freed = Cpu::masked(cpu as u8);
        let reach = matching::departure(&Owners { masked, w }, masked.owned(), freed);
        let profits = |id| !mask(id).and(reach.cpus()).is_empty();
        let (best, priority) = masked.rings.search(w, profits)?;
        let key = Self::Rings::key(priority, Self::Rings::turn(w, best));
        Some((best, key, reach.route(mask(best))?))
    }

    fn sit<W: World<Id = Id>>(masked: &Masked<Id>, w: &W, id: Id, key: u64, route: &Route) {
        for (from, to) in route.shifts() {
            let from = index(from.index());
            masked.appoint(w, to.index(), masked.keys[from].get(), masked.owner(from));
        }
        masked.appoint(w, route.first().index(), key, Some(id));
    }

    fn could_sit<W: World<Id = Id>>(masked: &Masked<Id>, w: &W, id: Id, key: u64) -> bool {
        let (owners, mask) = (Owners { masked, w }, Self::Rings::mask(w, id));
        matching::arrival(&owners, masked.owned(), mask, key).is_some()
    }

    #[inline(always)]
    fn free(_: &Masked<Id>) -> u64 {
        Self::Rings::FREE
    }
}

impl<Id: Copy + Eq> Masked<Id> {
    /// `id`, which owns the seat of the processor that has its registers, is more urgent once `set`
    /// was called, behind its new equals or in front of them: it goes on, as none that waits is
    /// before it.
    #[inline(always)]
    pub fn raise<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce(), place: Place) {
        set();
        let key = ReadyQueue::<Id>::key(w.priority(id), self.draw(place));
        self.keys[place_of(w, id)].set(key);
    }

    /// `id`, which owns the seat of the processor that has its registers, is less urgent once `set`
    /// was called, in front of its new equals; who is before it then gets the seat.
    #[inline(always)]
    pub fn lower<W: World<Id = Id>>(&self, w: &W, id: Id, set: impl FnOnce()) {
        let old = w.priority(id);
        set();
        let new = w.priority(id);
        if self.rings.urgent().is_some_and(|top| top.beats(new)) {
            return self.lower_among_others(w, id, old);
        }
        let key = ReadyQueue::<Id>::key(new, self.draw(Place::First));
        self.keys[place_of(w, id)].set(key);
    }

    /// [`Masked::lower`] where a thread that waits is more urgent than `id` now: it was at `old`.
    #[cold]
    #[inline(never)]
    fn lower_among_others<W: World<Id = Id>>(&self, w: &W, id: Id, old: Priority) {
        self.place_at(w, id, old, w.priority(id), Place::First);
    }
}

/// [`Rule::enter`] where others may have to shift.
#[inline(never)]
fn enter_by_shifts<W: World>(masked: &Masked<W::Id>, w: &W, id: W::Id, key: u64, place: Place) {
    let (owners, mask) = (Owners { masked, w }, ReadyQueue::mask(w, id));
    let Some(route) = matching::arrival(&owners, masked.owned(), mask, key) else {
        return masked.stand(w, id, key, place);
    };
    masked.leave(w, route.last().index());
    Strong::sit(masked, w, id, key, &route);
}
