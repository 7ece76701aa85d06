//! Owns: the ready threads without a seat of an instance whose world has any number of priorities and 64 processors, as
//! the simulator's: in one tree. Must never know: who has a seat.

use super::deadlines::{ByKey, Nodes, Note};
use super::left::Stack;
use super::tops::Tournament;
use super::waiting::{Ready, Waiting};
use crate::Tree;
use crate::smp::Level;
use crate::smp::closed::World;
use core::marker::PhantomData;

/// The ready threads without a seat in one tree: where `JOBS` count those with one by its deadline, in front of all
/// others, by priority.
pub struct Ranked<Id, const JOBS: bool = false>(Tree<Id>);

/// The order of [`Ranked`].
struct Rank<const JOBS: bool>;

impl<const JOBS: bool> ByKey for Rank<JOBS> {
    #[inline(always)]
    fn key<W: World>(w: &W, id: W::Id) -> u64 {
        let number = u64::from(w.number(id).0);
        if !JOBS {
            return number;
        }
        let note = Note::of(w, id);
        if note.has_job() {
            note.job()
        } else {
            Level::BACKGROUND | number
        }
    }
}

#[inline(always)]
fn links<W: World, const JOBS: bool>(w: &W) -> Nodes<'_, W, Rank<JOBS>> {
    Nodes(w, PhantomData)
}

impl<Id: Copy + Eq, const JOBS: bool> Waiting<Id> for Ranked<Id, JOBS> {
    type Urgency = Level;
    type Key = u128;
    type Left = Stack;
    type Tops = Tournament<u128>;
    const KEEPS_TURN: bool = JOBS;
    const EMPTY: Self = Self(Tree::EMPTY);

    #[inline(always)]
    fn urgency<W: World<Id = Id>>(w: &W, id: Id) -> Level {
        Level(Rank::<JOBS>::key(w, id))
    }

    #[inline(always)]
    fn cpu<W: World<Id = Id>>(w: &W, id: Id) -> usize {
        w.branches(id).last.get().into()
    }

    #[inline(always)]
    fn set_cpu<W: World<Id = Id>>(w: &W, id: Id, cpu: usize) {
        w.branches(id).last.set(cpu as u8);
    }

    #[inline(always)]
    fn append<W: World<Id = Id>>(&self, w: &W, id: Id, _: Level) {
        self.0.append(&links::<W, JOBS>(w), id);
    }

    #[inline(always)]
    fn prepend<W: World<Id = Id>>(&self, w: &W, id: Id, _: Level) {
        self.0.prepend(&links::<W, JOBS>(w), id);
    }

    #[inline(always)]
    fn push_front<W: World<Id = Id>>(&self, w: &W, id: Id, _: Level) {
        self.0.push_front(&links::<W, JOBS>(w), id);
    }

    #[inline(always)]
    fn remove<W: World<Id = Id>>(&self, w: &W, id: Id, _: Level) {
        self.0.remove(&links::<W, JOBS>(w), id);
    }

    #[inline(always)]
    fn first<W: World<Id = Id>>(&self, w: &W) -> Option<(Id, Level)> {
        let first = self.0.first()?;
        Some((first, Self::urgency(w, first)))
    }

    #[inline(always)]
    fn first_equal<W: World<Id = Id>>(&self, w: &W, level: Level) -> Option<Id> {
        let first = self.0.first()?;
        (Self::urgency(w, first) == level).then_some(first)
    }

    #[inline(always)]
    fn exchange<W: World<Id = Id>>(&self, w: &W, first: Id, id: Id, _: Level) {
        self.0.exchange(&links::<W, JOBS>(w), first, id);
    }

    fn for_each<W: World<Id = Id>>(&self, w: &W, visit: impl FnMut(Id)) {
        self.0.for_each(&links::<W, JOBS>(w), visit);
    }
}

impl<Id: Copy + Eq> Ready<Id> for Ranked<Id> {
    type Deadlines = Ranked<Id, true>;
}
