//! Owns: the rule of the policy `PriorityAffinity`: nobody is shifted. Must never know: where registers are.
//!
//! A thread takes the last seat that it may have, if that is free or its owner is less urgent, or waits. Among those that are
//! equals a turn says who is last: it is drawn when a seat is got, and when it is lost. The turn of a seat that is free says
//! since when it is, so the one that became free last is taken first.

use super::{LEVEL, MIDDLE, Masked, Rule, index, key_of, mask, note, priority_of};
use crate::smp::closed::{Place, World};
use crate::smp::policy::matching::Route;
use crate::{Cpu, CpuSet};

/// The rule of the policy `PriorityAffinity`.
pub struct Weak;

/// The level of a seat without an owner, in place of a priority's.
const LEAST: u64 = u64::MAX >> LEVEL;

/// The processor of `cpus` whose seat `id` takes, if it goes before its owner.
#[inline(always)]
fn last_of<W: World>(masked: &Masked<W::Id, Weak>, w: &W, id: W::Id) -> Option<usize> {
    let cpus = mask(w, id).and(masked.owned());
    let all = cpus.into_iter().map(Cpu::index);
    all.max_by_key(|cpu| masked.keys[index(*cpu)].get())
}

impl Rule for Weak {
    fn first_told<Id: Copy + Eq>(masked: &Masked<Id, Self>, cpus: u8) -> usize {
        let cpus = CpuSet::from_bits(cpus.into());
        let all = cpus.into_iter().map(Cpu::index);
        all.min_by_key(|cpu| masked.keys[index(*cpu)].get())
            .unwrap_or(0)
    }

    #[inline(always)]
    fn enter<W: World>(masked: &Masked<W::Id, Self>, w: &W, id: W::Id, key: u64, place: Place) {
        let last = last_of(masked, w, id);
        match last.filter(|cpu| key < masked.keys[index(*cpu)].get()) {
            None => masked.stand(w, id, key, place),
            Some(cpu) => {
                masked.leave(w, cpu);
                masked.appoint(w, cpu, key, Some(id));
            }
        }
    }

    #[inline(always)]
    fn best<W: World>(
        masked: &Masked<W::Id, Self>,
        w: &W,
        cpu: usize,
    ) -> Option<(W::Id, u64, Route)> {
        let freed = Cpu::masked(cpu as u8);
        let (best, priority) = masked.rings.find(w, |id| mask(w, id).contains(freed))?;
        let key = key_of(priority, note(w, best).turn());
        Some((best, key, Route::to(freed)))
    }

    #[inline(always)]
    fn moved<Id: Copy + Eq>(masked: &Masked<Id, Self>, key: u64, place: Place) -> u64 {
        key_of(priority_of(key), masked.draw(place))
    }

    #[inline(always)]
    fn free<Id: Copy + Eq>(masked: &Masked<Id, Self>) -> u64 {
        LEAST << LEVEL | (masked.draw(Place::Last) + MIDDLE).cast_unsigned()
    }

    #[inline(always)]
    fn settle<W: World>(masked: &Masked<W::Id, Self>, w: &W) {
        while let Some((top, priority)) = masked.rings.find(w, |_| true)
            && let Some(cpu) = last_of(masked, w, top)
            && masked.keys[index(cpu)].get() >> LEVEL > priority.level().into()
        {
            let key = key_of(priority, note(w, top).turn());
            masked.rings.remove(w, top, priority);
            masked.leave(w, cpu);
            let key = Self::moved(masked, key, Place::Last);
            masked.appoint(w, cpu, key, Some(top));
        }
    }
}
