//! Owns: the rule of the policy `PriorityAffinity`: no thread is shifted. Must never know: where
//! registers are.
//!
//! A thread takes the last seat that it may have, if that is free or its owner is less urgent, or
//! waits. Among equals the turn determines which one is last: it is drawn when a seat is got, and
//! when it is lost. The turn of a free seat shows since when it is free, so the one that became
//! free last is taken first.

use super::{Masked, Rings, Rule, index};
use crate::Cpu;
use crate::smp::seats::{Place, World};

/// The rule of the policy `PriorityAffinity`.
pub struct Weak;

impl<Id: Copy + Eq, G: Rings<Id>, const N: usize> Rule<Id, G, N> for Weak {
    type Way = usize;

    #[inline(always)]
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        place: Place,
        leaves: impl FnOnce(usize),
    ) {
        let last = masked.last_of(G::mask(w, id));
        match last.filter(|cpu| key < masked.keys[index::<N>(*cpu)].get()) {
            None => masked.stand(w, id, key, place),
            Some(cpu) => {
                leaves(cpu);
                masked.assign_seat(w, cpu, key, Some(id));
            }
        }
    }

    #[inline(always)]
    fn fits<W: World<Id = Id>>(_: &Masked<Id, G, Self, N>, w: &W, id: Id, cpu: usize) -> bool {
        G::mask(w, id).contains(Cpu::masked(cpu as u8))
    }

    #[inline(always)]
    fn best<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, G::Key, usize)> {
        let freed = Cpu::masked(cpu as u8);
        let may = |id| G::mask(w, id).contains(freed);
        let (best, priority) = masked.rings.search(w, may)?;
        let key = G::key(priority, G::turn(w, best));
        Some((best, key, cpu))
    }

    #[inline(always)]
    fn sit<W: World<Id = Id>>(
        masked: &Masked<Id, G, Self, N>,
        w: &W,
        id: Id,
        key: G::Key,
        cpu: &usize,
    ) {
        masked.assign_seat(w, *cpu, key, Some(id));
    }

    #[inline(always)]
    fn moved(masked: &Masked<Id, G, Self, N>, key: G::Key, place: Place) -> G::Key {
        G::key(G::urgency_of(key), masked.draw(place))
    }

    fn could_sit<W: World<Id = Id>>(
        _: &Masked<Id, G, Self, N>,
        _: &W,
        _id: Id,
        _key: G::Key,
    ) -> bool {
        false
    }

    #[inline(always)]
    fn free(masked: &Masked<Id, G, Self, N>) -> G::Key {
        G::free(masked.draw(Place::Last))
    }

    #[inline(always)]
    fn settle<W: World<Id = Id>>(masked: &Masked<Id, G, Self, N>, w: &W) {
        while let Some((top, priority)) = masked.rings.search(w, |_| true)
            && let Some(cpu) = masked.last_of(G::mask(w, top))
            && let owner = masked.keys[index::<N>(cpu)].get()
            // The greatest turn: none but those that are less urgent are displaced.
            && G::key(priority, G::LAST) < owner
        {
            masked.rings.take_out(w, top, priority);
            masked.leave(w, cpu);
            let key = G::key(priority, masked.draw(Place::Last));
            masked.assign_seat(w, cpu, key, Some(top));
        }
    }
}
