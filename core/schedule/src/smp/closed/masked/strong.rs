//! Owns: the rule of the policy `StrongAffinity`: others are shifted to make room, as the searches of [`matching`] say.
//! Must never know: where registers are.
//!
//! The law, while closed: no ready thread without a seat could have one in place of somebody behind it, by any shifts.

use super::{FREE, Masked, Rule, index, key_of, mask, note};
use crate::smp::closed::{Place, World};
use crate::smp::policy::matching::{self, Glance, Route, Seats};
use crate::{Cpu, CpuSet};

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
        owner.map_or(CpuSet::EMPTY, |owner| mask(self.w, owner))
    }

    #[inline(always)]
    fn key(&self, cpu: Cpu) -> Option<u64> {
        let key = self.masked.keys[index(cpu.index())].get();
        (key != FREE).then_some(key)
    }
}

impl Rule for Strong {
    #[inline(always)]
    fn first_told<Id: Copy + Eq>(_: &Masked<Id>, cpus: u8) -> usize {
        cpus.trailing_zeros() as usize
    }

    #[inline(always)]
    fn enter<W: World>(masked: &Masked<W::Id>, w: &W, id: W::Id, key: u64, place: Place) {
        let owners = Owners { masked, w };
        match matching::glance(&owners, masked.owned(), mask(w, id), key) {
            Glance::Waits => masked.stand(w, id, key, place),
            Glance::Takes(cpu) => {
                masked.leave(w, cpu.index());
                masked.appoint(w, cpu.index(), key, Some(id));
            }
            Glance::Unclear => enter_by_shifts(masked, w, id, key, place),
        }
    }

    #[inline(always)]
    fn best<W: World>(masked: &Masked<W::Id>, w: &W, cpu: usize) -> Option<(W::Id, u64, Route)> {
        let freed = Cpu::masked(cpu as u8);
        let key = |id, priority| key_of(priority, note(w, id).turn());
        let (top, priority) = masked.rings.find(w, |_| true)?;
        if mask(w, top).contains(freed) {
            return Some((top, key(top, priority), Route::to(freed)));
        }
        let reach = matching::departure(&Owners { masked, w }, masked.owned(), freed);
        let profits = |id| !mask(w, id).and(reach.cpus()).is_empty();
        let (best, priority) = masked.rings.find(w, profits)?;
        Some((best, key(best, priority), reach.route(mask(w, best))?))
    }

    #[inline(always)]
    fn moved<Id: Copy + Eq>(_: &Masked<Id>, key: u64, _: Place) -> u64 {
        key
    }

    #[inline(always)]
    fn free<Id: Copy + Eq>(_: &Masked<Id>) -> u64 {
        FREE
    }

    #[inline(always)]
    fn settle<W: World>(_: &Masked<W::Id>, _: &W) {}
}

/// [`Rule::enter`] where others may have to shift.
#[inline(never)]
fn enter_by_shifts<W: World>(masked: &Masked<W::Id>, w: &W, id: W::Id, key: u64, place: Place) {
    let owners = Owners { masked, w };
    let Some(route) = matching::arrival(&owners, masked.owned(), mask(w, id), key) else {
        return masked.stand(w, id, key, place);
    };
    masked.leave(w, route.last().index());
    masked.sit(w, id, key, &route);
}
