//! Owns: the ready threads without a seat if tasks have affinities. Each keeps its turn, as a
//! thread that came later may get a seat before it. Must never know: the threads that have a seat.

use core::cell::RefCell;
use std::collections::BTreeMap;

use taktos_schedule::CpuSet;
use taktos_schedule::smp::Level;
use taktos_schedule::smp::seats::{Deadlines, Place, Rings, Tournament, Waiting, World};

use super::waiting::Ranked;

/// The ready threads without a seat by their keys, any number of them and of priorities: where
/// `JOBS` count those with one by its deadline, in front of all others, by priority. There a
/// thread is bound to one processor or to none, elsewhere its note has its mask.
///
/// All is done in a logarithm of their number of steps, but what is said to take more.
pub(crate) struct Turned<const JOBS: bool = false>(RefCell<BTreeMap<u128, u16>>);

/// Keys are those of the library's rings under deadlines.
type Keys = Deadlines<u16>;

impl<const JOBS: bool> Rings<u16> for Turned<JOBS> {
    type Urgency = Level;
    type Key = u128;
    type Tops = Tournament<u128>;
    type Cpus = u64;
    const NOBODY: Self = Self(RefCell::new(BTreeMap::new()));
    const FREE: u128 = Keys::FREE;
    const LAST: i64 = Keys::LAST;
    const FIRST: i64 = <Keys as Rings<u16>>::FIRST;

    #[inline(always)]
    fn key(level: Level, turn: i64) -> u128 {
        Keys::key(level, turn)
    }

    #[inline(always)]
    fn free(turn: i64) -> u128 {
        Keys::free(turn)
    }

    #[inline(always)]
    fn urgency_of(key: u128) -> Level {
        Keys::urgency_of(key)
    }

    #[inline(always)]
    fn turn_of(key: u128) -> i64 {
        Keys::turn_of(key)
    }

    #[inline(always)]
    fn standing<W: World<Id = u16>>(w: &W, id: u16) -> Level {
        Ranked::<JOBS>::urgency(w, id)
    }

    #[inline(always)]
    fn mask<W: World<Id = u16>>(w: &W, id: u16) -> CpuSet {
        match JOBS {
            true => Keys::mask(w, id),
            false => CpuSet::from_bits(w.note(id)),
        }
    }

    fn bind<W: World<Id = u16>>(w: &W, id: u16, mask: CpuSet) {
        match JOBS {
            true => Keys::bind(w, id, mask),
            false => w.set_note(id, mask.bits()),
        }
    }

    #[inline(always)]
    fn place<W: World<Id = u16>>(w: &W, id: u16) -> usize {
        w.branches(id).last()
    }

    #[inline(always)]
    fn set_place<W: World<Id = u16>>(w: &W, id: u16, cpu: usize) {
        w.branches(id).set_last(cpu);
    }

    #[inline(always)]
    fn turn<W: World<Id = u16>>(w: &W, id: u16) -> i64 {
        w.turn(id)
    }

    // A thread in front of its equals has an earlier turn than they.
    fn stand<W: World<Id = u16>>(&self, w: &W, id: u16, level: Level, turn: i64, _: Place) {
        w.set_turn(id, turn);
        self.0.borrow_mut().insert(Self::key(level, turn), id);
    }

    fn take_out<W: World<Id = u16>>(&self, w: &W, id: u16, level: Level) {
        self.0.borrow_mut().remove(&Self::key(level, w.turn(id)));
    }

    fn search<W: World<Id = u16>>(
        &self,
        _: &W,
        mut will_do: impl FnMut(u16) -> bool,
    ) -> Option<(u16, Level)> {
        let all = self.0.borrow();
        let (key, id) = all.iter().find(|(_, id)| will_do(**id))?;
        Some((*id, Self::urgency_of(*key)))
    }

    fn visit_all<W: World<Id = u16>>(&self, _: &W, visit: impl FnMut(u16)) {
        self.0.borrow().values().copied().for_each(visit);
    }
}
