//! Owns: the ready threads without a seat under deadlines, where some are bound to processors: so
//! each keeps its turn, as one that came later may have a seat before it. Must never know: the
//! owners of seats.

use super::deadlines::{Deadlines, Note, has_job, jobs, priority_of};
use super::waiting::Waiting;
use crate::smp::Level;
use crate::smp::seats::masked::{Rings, note_place, noted_place};
use crate::smp::seats::{Place, World};
use crate::{Cpu, CpuSet};

/// The turn of the first one that is appended: none is negative.
const FIRST: i64 = 1 << 62;

const fn key_of(level: Level, turn: i64) -> u128 {
    (level.0 as u128) << u64::BITS | turn.cast_unsigned() as u128
}

impl<Id: Copy + Eq> Deadlines<Id> {
    /// The processor to which `id` is bound.
    #[inline(always)]
    pub(in super::super) fn bound_to<W: World<Id = Id>>(w: &W, id: Id) -> Option<usize> {
        usize::from(w.branches(id).bound.get()).checked_sub(1)
    }

    /// Takes over those of `other`, which has none then. Each has the turn that is said, if one is:
    /// as many steps as there are.
    pub(in super::super) fn take_over<W: World<Id = Id>>(
        &self,
        w: &W,
        other: &Self,
        mut turn: impl FnMut(Id) -> Option<i64>,
    ) {
        Waiting::for_each(other, w, |id| {
            if let Some(turn) = turn(id) {
                w.set_turn(id, FIRST + turn);
            }
        });
        self.jobs.take_over(&other.jobs);
        self.others.take_over(&other.others);
    }
}

impl<Id: Copy + Eq> Rings<Id> for Deadlines<Id> {
    type Urgency = Level;
    type Key = u128;
    type Tops = ();
    type Cpus = u8;
    const NOBODY: Self = <Self as Waiting<Id>>::EMPTY;
    const FREE: u128 = u128::MAX;
    const LAST: i64 = i64::MAX;
    const FIRST: i64 = FIRST;

    #[inline(always)]
    fn key(level: Level, turn: i64) -> u128 {
        key_of(level, turn)
    }

    #[inline(always)]
    fn free(turn: i64) -> u128 {
        key_of(Level::NONE, turn)
    }

    #[inline(always)]
    fn urgency_of(key: u128) -> Level {
        Level((key >> u64::BITS) as u64)
    }

    #[inline(always)]
    fn turn_of(key: u128) -> i64 {
        (key as u64).cast_signed()
    }

    #[inline(always)]
    fn standing<W: World<Id = Id>>(w: &W, id: Id) -> Level {
        <Self as Waiting<Id>>::urgency(w, id)
    }

    #[inline(always)]
    fn mask<W: World<Id = Id>>(w: &W, id: Id) -> CpuSet {
        let bound = Self::bound_to(w, id).and_then(Cpu::new);
        bound.map_or(CpuSet::ALL, CpuSet::of)
    }

    #[inline(always)]
    fn bind<W: World<Id = Id>>(w: &W, id: Id, mask: CpuSet) {
        let only = mask.lowest().filter(|_| mask.count() == 1);
        let bound = only.map_or(0, |cpu| cpu.index() as u8 + 1);
        w.branches(id).bound.set(bound);
    }

    #[inline(always)]
    fn place<W: World<Id = Id>>(w: &W, id: Id) -> usize {
        noted_place(w, id)
    }

    #[inline(always)]
    fn set_place<W: World<Id = Id>>(w: &W, id: Id, cpu: usize) {
        note_place(w, id, cpu);
    }

    #[inline(always)]
    fn turn<W: World<Id = Id>>(w: &W, id: Id) -> i64 {
        w.turn(id)
    }

    #[inline(always)]
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level, turn: i64, place: Place) {
        w.set_turn(id, turn);
        match (place, has_job(level)) {
            (Place::Last, _) => self.append(w, id, level),
            (Place::First, true) => {
                let key = |id: Id| (Note::of(w, id).job(), w.turn(id));
                let own = key(id);
                self.jobs.insert(&jobs(w), id, |other| key(*other) < own);
            }
            (Place::First, false) => {
                let is_behind = |other| w.turn(other) > turn;
                self.others.insert(w, id, priority_of(level), is_behind);
            }
        }
    }

    #[inline(always)]
    fn take_out<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        Waiting::remove(self, w, id, level);
    }

    #[inline(always)]
    fn search<W: World<Id = Id>>(
        &self,
        w: &W,
        mut will_do: impl FnMut(Id) -> bool,
    ) -> Option<(Id, Level)> {
        if let Some(id) = self.jobs.find(&jobs(w), &mut will_do) {
            return Some((id, Self::urgency_of_job(w, id)));
        }
        let (id, priority) = self.others.find(w, will_do)?;
        let level = Level::BACKGROUND | u64::from(priority.level());
        Some((id, Level(level)))
    }

    fn visit_all<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        Waiting::for_each(self, w, visit);
    }
}
