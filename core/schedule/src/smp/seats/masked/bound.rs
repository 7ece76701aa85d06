//! Owns: the rule of the policy `Edf` where threads are bound to processors: a thread that may run
//! anywhere makes way for one that is bound. Must never know: where registers are, except that a
//! thread that may run anywhere stays where its own are.
//!
//! A processor is *taken* while one that is bound to it has its seat. As each bound thread has one
//! place, and all others fit anywhere, moving one of these is always enough.

use super::{Masked, Rings, Rule, index, lives_on};
use crate::CpuSet;
use crate::smp::seats::{Deadlines, Place, World};

/// The rule of the policy `Edf` where threads are bound to processors.
pub struct Bound;

type Seats<Id, G, const N: usize> = Masked<Id, G, Bound, N>;

/// Whether the owner of the seat of `cpu` is bound to it.
#[inline(always)]
fn is_taken<W: World, G: Rings<W::Id>, const N: usize>(
    seats: &Seats<W::Id, G, N>,
    w: &W,
    cpu: usize,
) -> bool {
    let owner = seats.owner(cpu);
    owner.is_some_and(|owner| Deadlines::bound_to(w, owner).is_some())
}

/// The processor for one, and the one that is free, to which the owner of that one's seat shifts
/// where they are two.
type Way = (usize, usize);

/// The way of `id`, a ring of its own, when the seat of `freed` becomes free.
#[inline(always)]
fn way<W: World, G: Rings<W::Id>, const N: usize>(
    seats: &Seats<W::Id, G, N>,
    w: &W,
    id: W::Id,
    freed: usize,
) -> Way {
    let own = Deadlines::bound_to(w, id).or_else(|| {
        let stays = |cpu: &usize| seats.has(*cpu) && !is_taken(seats, w, *cpu);
        lives_on::<G, W>(w, id).filter(stays)
    });
    (own.unwrap_or(freed), freed)
}

/// Returns the processor that is free, or that its owner leaves if `id` comes in at `key`, if any.
#[inline(always)]
fn last<W: World, G: Rings<W::Id>, const N: usize>(
    seats: &Seats<W::Id, G, N>,
    w: &W,
    id: W::Id,
    key: G::Key,
) -> Option<usize> {
    let taken = Deadlines::bound_to(w, id).filter(|cpu| is_taken(seats, w, *cpu));
    let last = taken.or_else(|| seats.last_of(CpuSet::ALL));
    last.filter(|cpu| key < seats.keys[index::<N>(*cpu)].get())
}

impl<Id: Copy + Eq, G: Rings<Id>, const N: usize> Rule<Id, G, N> for Bound {
    type Way = Way;

    #[inline(always)]
    fn enter<W: World<Id = Id>>(
        seats: &Seats<Id, G, N>,
        w: &W,
        id: Id,
        key: G::Key,
        place: Place,
        leaves: impl FnOnce(usize),
    ) {
        match last(seats, w, id, key) {
            None => seats.stand(w, id, key, place),
            Some(cpu) => {
                leaves(cpu);
                let way = way(seats, w, id, cpu);
                Self::sit(seats, w, id, key, &way);
            }
        }
    }

    #[inline(always)]
    fn fits<W: World<Id = Id>>(seats: &Seats<Id, G, N>, w: &W, id: Id, cpu: usize) -> bool {
        way(seats, w, id, cpu).0 == cpu
    }

    #[inline(always)]
    fn best<W: World<Id = Id>>(
        seats: &Seats<Id, G, N>,
        w: &W,
        cpu: usize,
    ) -> Option<(Id, G::Key, Way)> {
        let may = |id| {
            let bound = Deadlines::bound_to(w, id);
            bound.is_none_or(|own| own == cpu || !is_taken(seats, w, own))
        };
        let (best, level) = seats.rings.search(w, may)?;
        let key = G::key(level, G::turn(w, best));
        Some((best, key, way(seats, w, best, cpu)))
    }

    #[inline(always)]
    fn sit<W: World<Id = Id>>(
        seats: &Seats<Id, G, N>,
        w: &W,
        id: Id,
        key: G::Key,
        &(own, freed): &Way,
    ) {
        if own != freed {
            seats.assign_seat(
                w,
                freed,
                seats.keys[index::<N>(own)].get(),
                seats.owner(own),
            );
        }
        seats.assign_seat(w, own, key, Some(id));
    }

    fn could_sit<W: World<Id = Id>>(seats: &Seats<Id, G, N>, w: &W, id: Id, key: G::Key) -> bool {
        last(seats, w, id, key).is_some()
    }

    #[inline(always)]
    fn free(seats: &Seats<Id, G, N>) -> G::Key {
        G::free(seats.draw(Place::Last))
    }
}
