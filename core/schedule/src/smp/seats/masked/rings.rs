//! Owns: the places of ready threads without a seat under fixed priorities, and the data that is
//! kept next to each thread there. Must never know: the owners of seats.

use super::super::{Place, SEATS, World};
use super::Rings;
use crate::{CpuSet, Priority, ReadyQueue};

/// A key is a level above a turn.
const LEVEL: u32 = 56;
/// The turn 0 in a key: those of the prepended are less.
const MIDDLE: i64 = 1 << (LEVEL - 1);

/// The bits of a thread's note that name the processor that it had last.
const PLACE: u64 = SEATS as u64 - 1;

/// The processor that a thread's note names, as a thread in [`Deadlines`](super::super::Deadlines)
/// has it, too.
#[inline(always)]
pub(in super::super) fn noted_place<W: World>(w: &W, id: W::Id) -> usize {
    (w.note(id) & PLACE) as usize
}

/// Sets [`noted_place`].
#[inline(always)]
pub(in super::super) fn note_place<W: World>(w: &W, id: W::Id, cpu: usize) {
    w.set_note(id, w.note(id) & !PLACE | cpu as u64 & PLACE);
}

/// A word that the world keeps with a thread: its turn while it is in a ring, above its mask,
/// above the processor that it had last.
#[derive(Clone, Copy)]
struct Note(u64);

impl Note {
    const MASK: u32 = PLACE.count_ones();
    const TURN: u32 = Self::MASK + SEATS as u32;

    fn of<W: World>(w: &W, id: W::Id) -> Self {
        Self(w.note(id))
    }

    const fn mask(self) -> CpuSet {
        CpuSet::from_bits(self.0 >> Self::MASK & ((1 << SEATS) - 1))
    }

    const fn turn(self) -> i64 {
        self.0.cast_signed() >> Self::TURN
    }

    const fn with_mask(self, mask: CpuSet) -> Self {
        let all = ((1 << SEATS) - 1) << Self::MASK;
        Self(self.0 & !all | mask.bits() << Self::MASK & all)
    }

    const fn with_turn(self, turn: i64) -> Self {
        let low = (1 << Self::TURN) - 1;
        Self(self.0 & low | turn.cast_unsigned() << Self::TURN)
    }
}

impl<Id: Copy + Eq> Rings<Id> for ReadyQueue<Id> {
    type Urgency = Priority;
    type Key = u64;
    type Tops = ();
    type Cpus = u8;
    const NOBODY: Self = Self::EMPTY;
    const FREE: u64 = u64::MAX;
    const LAST: i64 = i64::MAX >> u8::BITS;
    const FIRST: i64 = 0;

    #[inline(always)]
    fn key(priority: Priority, turn: i64) -> u64 {
        (priority.level() as u64) << LEVEL | (turn + MIDDLE).cast_unsigned()
    }

    #[inline(always)]
    fn free(turn: i64) -> u64 {
        (u64::MAX >> LEVEL) << LEVEL | (turn + MIDDLE).cast_unsigned()
    }

    #[inline(always)]
    fn urgency_of(key: u64) -> Priority {
        Priority::from_stored((key >> LEVEL) as u8)
    }

    #[inline(always)]
    fn turn_of(key: u64) -> i64 {
        (key & ((1 << LEVEL) - 1)).cast_signed() - MIDDLE
    }

    #[inline(always)]
    fn standing<W: World<Id = Id>>(w: &W, id: Id) -> Priority {
        w.priority(id)
    }

    #[inline(always)]
    fn mask<W: World<Id = Id>>(w: &W, id: Id) -> CpuSet {
        Note::of(w, id).mask()
    }

    #[inline(always)]
    fn bind<W: World<Id = Id>>(w: &W, id: Id, mask: CpuSet) {
        w.set_note(id, Note::of(w, id).with_mask(mask).0);
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
        Note::of(w, id).turn()
    }

    #[inline(always)]
    fn stand<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority, turn: i64, place: Place) {
        w.set_note(id, Note::of(w, id).with_turn(turn).0);
        match place {
            Place::First => {
                let is_behind = |other| Note::of(w, other).turn() > turn;
                self.insert(w, id, priority, is_behind);
            }
            Place::Last => {
                self.append(w, id, priority);
            }
        }
    }

    #[inline(always)]
    fn take_out<W: World<Id = Id>>(&self, w: &W, id: Id, priority: Priority) {
        Self::remove(self, w, id, priority);
    }

    #[inline(always)]
    fn search<W: World<Id = Id>>(
        &self,
        w: &W,
        will_do: impl FnMut(Id) -> bool,
    ) -> Option<(Id, Priority)> {
        Self::find(self, w, will_do)
    }

    #[inline(always)]
    fn has_before<W: World<Id = Id>>(&self, _: &W, priority: Priority) -> bool {
        self.urgent().is_some_and(|top| top.beats(priority))
    }

    fn visit_all<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        Self::for_each(self, w, visit);
    }
}
