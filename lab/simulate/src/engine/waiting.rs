//! Owns: the ready threads without a seat, for any number of priorities and 64 processors.
//! Must never know: the threads that have a seat.

use core::cell::RefCell;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

use taktos_schedule::smp::Level;
use taktos_schedule::smp::seats::{
    Deadlines, Place, Ready, Rings, Stack, Tournament, Waiting, World,
};

use super::turned::Turned;

/// The ready threads without a seat in one heap, in which equals stand by turns: where `JOBS` count
/// those with one by its deadline, in front of all others, by priority.
///
/// A thread in the middle is taken out in as many steps as there are, all else in a
/// logarithm of them.
pub(crate) struct Ranked<const JOBS: bool = false>(RefCell<Line>);

struct Line {
    heap: BinaryHeap<Reverse<u128>>,
    /// The turn that is appended next, and the one that was prepended last.
    last: u64,
    first: u64,
}

/// How many bits of a key name the thread, below its turn.
const ID: u32 = u16::BITS;
/// The first turn of those appended, after the last of those prepended.
const MIDDLE: u64 = 1 << (u64::BITS - ID - 1);

impl Line {
    #[inline(always)]
    fn append(&mut self, id: u16, level: Level) {
        self.last += 1;
        self.heap.push(Reverse(key(level, self.last, id)));
    }

    #[inline(always)]
    fn prepend(&mut self, id: u16, level: Level) {
        self.first -= 1;
        self.heap.push(Reverse(key(level, self.first, id)));
    }

    #[inline(always)]
    fn first(&self) -> Option<(u16, Level)> {
        self.heap.peek().map(named)
    }
}

/// Level, turn and thread: what is less is served first.
#[inline(always)]
fn key(level: Level, turn: u64, id: u16) -> u128 {
    u128::from(level.0) << u64::BITS | u128::from(turn << ID | u64::from(id))
}

/// The thread and the level of a key.
#[inline(always)]
fn named(Reverse(key): &Reverse<u128>) -> (u16, Level) {
    (*key as u16, Level((key >> u64::BITS) as u64))
}

impl<const JOBS: bool> Waiting<u16> for Ranked<JOBS> {
    type Urgency = Level;
    type Key = u128;
    type Left = Stack;
    type Tops = Tournament<u128>;
    const KEEPS_TURN: bool = JOBS;
    const EMPTY: Self = Self(RefCell::new(Line {
        heap: BinaryHeap::new(),
        last: MIDDLE,
        first: MIDDLE,
    }));

    #[inline(always)]
    fn urgency<W: World<Id = u16>>(w: &W, id: u16) -> Level {
        let number = u64::from(w.number(id).0);
        if !JOBS {
            return Level(number);
        }
        match Deadlines::urgency_without_job(w, id) {
            Some(_) => Level(Level::BACKGROUND | number),
            None => Deadlines::urgency_of_job(w, id),
        }
    }

    #[inline(always)]
    fn cpu<W: World<Id = u16>>(w: &W, id: u16) -> usize {
        w.branches(id).last()
    }

    #[inline(always)]
    fn set_cpu<W: World<Id = u16>>(w: &W, id: u16, cpu: usize) {
        w.branches(id).set_last(cpu);
    }

    #[inline(always)]
    fn append<W: World<Id = u16>>(&self, _: &W, id: u16, level: Level) {
        self.0.borrow_mut().append(id, level);
    }

    #[inline(always)]
    fn prepend<W: World<Id = u16>>(&self, _: &W, id: u16, level: Level) {
        self.0.borrow_mut().prepend(id, level);
    }

    #[inline(always)]
    fn push_front<W: World<Id = u16>>(&self, _: &W, id: u16, level: Level) {
        self.0.borrow_mut().prepend(id, level);
    }

    fn remove<W: World<Id = u16>>(&self, _: &W, id: u16, _: Level) {
        self.0.borrow_mut().heap.retain(|key| named(key).0 != id);
    }

    #[inline(always)]
    fn first<W: World<Id = u16>>(&self, _: &W) -> Option<(u16, Level)> {
        self.0.borrow().first()
    }

    #[inline(always)]
    fn first_equal<W: World<Id = u16>>(&self, _: &W, level: Level) -> Option<u16> {
        let (first, urgent) = self.0.borrow().first()?;
        (urgent == level).then_some(first)
    }

    fn exchange<W: World<Id = u16>>(&self, _: &W, _: u16, id: u16, level: Level) {
        let line = &mut *self.0.borrow_mut();
        line.heap.pop();
        line.append(id, level);
    }

    #[inline(always)]
    fn pop<W: World<Id = u16>>(&self, _: &W) -> Option<(u16, Level)> {
        self.0.borrow_mut().heap.pop().as_ref().map(named)
    }

    fn for_each<W: World<Id = u16>>(&self, _: &W, visit: impl FnMut(u16)) {
        let all = self.0.borrow().heap.clone().into_sorted_vec();
        // The greatest of what is reversed is the first.
        all.iter().rev().map(|key| named(key).0).for_each(visit);
    }
}

impl Ready<u16> for Ranked {
    type Deadlines = Ranked<true>;
    type Affine = Turned;
    type Bound = Turned<true>;

    fn part<W: World<Id = u16>>(
        w: &W,
        all: &Ranked<true>,
        bound: &Turned<true>,
        mut turn: impl FnMut(u16) -> Option<i64>,
    ) {
        while let Some((id, level)) = all.pop(w) {
            let turn = turn(id).map_or(0, |turn| Turned::<true>::FIRST + turn);
            bound.stand(w, id, level, turn, Place::Last);
        }
    }
}
