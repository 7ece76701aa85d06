//! Owns: the rule of the policy `PriorityAffinity`: nobody is shifted. Must never know: where registers are.
//!
//! A thread takes the last seat that it may have, if that is free or its owner is less urgent, or waits. Among those that are
//! equals a turn says who is last: it is drawn when a seat is got, and when it is lost. The turn of a seat that is free says
//! since when it is, so the one that became free last is taken first.

use super::{Masked, Rings, Rule, index};
use crate::smp::closed::{Place, World};
use crate::{Cpu, ReadyQueue};

/// The rule of the policy `PriorityAffinity`.
pub struct Weak;

impl<Id: Copy + Eq> Rule<Id> for Weak {
    type Rings = ReadyQueue<Id>;
    type Way = usize;

    fn first_told(masked: &Masked<Id, Self>, cpus: u8) -> usize {
        masked.first_of(cpus)
    }

    #[inline(always)]
    fn enter<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        id: Id,
        key: u64,
        place: Place,
        leaves: impl FnOnce(usize),
    ) {
        let last = masked.last_of(Self::Rings::mask(w, id));
        match last.filter(|cpu| key < masked.keys[index(*cpu)].get()) {
            None => masked.stand(w, id, key, place),
            Some(cpu) => {
                leaves(cpu);
                masked.appoint(w, cpu, key, Some(id));
            }
        }
    }

    #[inline(always)]
    fn fits<W: World<Id = Id>>(_: &Masked<Id, Self>, w: &W, id: Id, cpu: usize) -> bool {
        Self::Rings::mask(w, id).contains(Cpu::masked(cpu as u8))
    }

    #[inline(always)]
    fn best<W: World<Id = Id>>(
        masked: &Masked<Id, Self>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, u64, usize)> {
        let freed = Cpu::masked(cpu as u8);
        let may = |id| Self::Rings::mask(w, id).contains(freed);
        let (best, priority) = masked.rings.search(w, may)?;
        let key = Self::Rings::key(priority, Self::Rings::turn(w, best));
        Some((best, key, cpu))
    }

    #[inline(always)]
    fn sit<W: World<Id = Id>>(masked: &Masked<Id, Self>, w: &W, id: Id, key: u64, cpu: &usize) {
        masked.appoint(w, *cpu, key, Some(id));
    }

    #[inline(always)]
    fn moved(masked: &Masked<Id, Self>, key: u64, place: Place) -> u64 {
        Self::Rings::key(Self::Rings::urgency_of(key), masked.draw(place))
    }

    fn could_sit<W: World<Id = Id>>(_: &Masked<Id, Self>, _: &W, _id: Id, _key: u64) -> bool {
        false
    }

    #[inline(always)]
    fn free(masked: &Masked<Id, Self>) -> u64 {
        Self::Rings::free(masked.draw(Place::Last))
    }

    #[inline(always)]
    fn settle<W: World<Id = Id>>(masked: &Masked<Id, Self>, w: &W) {
        while let Some((top, priority)) = masked.rings.search(w, |_| true)
            && let Some(cpu) = masked.last_of(Self::Rings::mask(w, top))
            && let owner = masked.keys[index(cpu)].get()
            // The greatest turn: none but those that are less urgent give way.
            && Self::Rings::key(priority, i64::MAX >> u8::BITS) < owner
        {
            masked.rings.take_out(w, top, priority);
            masked.leave(w, cpu);
            let key = Self::Rings::key(priority, masked.draw(Place::Last));
            masked.appoint(w, cpu, key, Some(top));
        }
    }
}
