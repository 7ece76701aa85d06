//! Owns: the ready threads without a seat of an instance under deadlines: those with a job by its
//! deadline, in front of all others, by priority. Must never know: the owners of seats, the purpose
//! of a job.
//!
//! The job of a thread with a server is the server's: its [`budgets`](super::budgets) are checked
//! when the thread gets a seat.
//!
//! Threads are ordered by their [`Level`]. Those with a job are in a tree, in which equals keep
//! the order in which they came. So neither these threads nor those in the rings need a turn.

use super::super::World;
use super::SEATS;
use super::waiting::Waiting;
use crate::smp::Level;
use crate::{Priority, ReadyQueue, Side, Tree, TreeLinks};
use core::cell::Cell;
use core::marker::PhantomData;
use taktos_time::Duration;

/// The ready threads without a seat, where deadlines count.
pub struct Deadlines<Id> {
    pub(super) jobs: Tree<Id>,
    pub(super) others: ReadyQueue<Id>,
}

/// The world's memory of a thread in an instance where deadlines count: its links while it is ready
/// without a seat, and where it is bound.
pub struct Branches<Id> {
    left: Cell<Option<Id>>,
    right: Cell<Option<Id>>,
    above: Cell<Option<Id>>,
    rank: Cell<u8>,
    /// 0 where the thread may run everywhere, p + 1 where it is bound to processor p.
    pub(super) bound: Cell<u8>,
    /// The processor of which it was the heir last, where its note has no room for that.
    last: Cell<u8>,
    /// Whether it waits for its budget: it is in no queue then, whatever else it waits for.
    throttled: Cell<bool>,
}

impl<Id> Branches<Id> {
    /// Those of a thread that is in no tree.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const NONE: Self = Self {
        left: Cell::new(None),
        right: Cell::new(None),
        above: Cell::new(None),
        rank: Cell::new(0),
        bound: Cell::new(0),
        last: Cell::new(0),
        throttled: Cell::new(false),
    };

    /// Returns the processor of which the thread was the heir last, for a world without space for
    /// it in its notes.
    #[inline(always)]
    pub fn last(&self) -> usize {
        self.last.get().into()
    }

    /// Sets [`Branches::last`].
    #[inline(always)]
    pub fn set_last(&self, cpu: usize) {
        self.last.set(cpu as u8);
    }
}

/// The note next to a thread: the deadline of its job, above whether it has a server, above the
/// processor of which it was the heir last. A thread that has a server has a job.
#[derive(Clone, Copy)]
pub(super) struct Note(u64);

impl Note {
    const CPU: u64 = SEATS as u64 - 1;
    const SERVED: u64 = SEATS as u64;
    /// All that is below the job.
    pub const LAST: u64 = Self::CPU | Self::SERVED;
    const JOB: u32 = Self::LAST.count_ones();
    const NO_JOB: u64 = u64::MAX >> Self::JOB;
    /// That of a new thread.
    const NEW: Self = Self(Self::NO_JOB << Self::JOB);

    pub(crate) fn of<W: World>(w: &W, id: W::Id) -> Self {
        Self(w.note(id))
    }

    pub(crate) const fn cpu(self) -> usize {
        (self.0 & Self::CPU) as usize
    }

    pub(crate) const fn is_served(self) -> bool {
        self.0 & Self::SERVED != 0
    }

    const fn served(self, served: bool) -> Self {
        let bit = if served { Self::SERVED } else { 0 };
        Self(self.0 & !Self::SERVED | bit)
    }

    const fn with_cpu(self, cpu: usize) -> Self {
        Self(self.0 & !Self::CPU | cpu as u64)
    }

    pub(crate) const fn job(self) -> u64 {
        self.0 >> Self::JOB
    }

    pub(crate) const fn has_job(self) -> bool {
        self.job() != Self::NO_JOB
    }

    const fn with_job(self, job: u64) -> Self {
        Self(job << Self::JOB | self.0 & Self::LAST)
    }
}

/// The latest deadline that is distinguished from later ones: 2⁶⁰ − 2 ns, 36 years.
pub(in super::super::super) const LATEST: u64 = Note::NO_JOB - 1;

/// `id` is new here: it has no job, and no server.
pub(in super::super) fn begin<W: World>(w: &W, id: W::Id) {
    w.set_note(id, Note::NEW.0);
    throttle(w, id, false);
}

/// Whether `id`, which is at home where deadlines count, waits for its budget.
#[inline(always)]
pub(in super::super) fn is_throttled<W: World>(w: &W, id: W::Id) -> bool {
    W::THROTTLES && w.branches(id).throttled.get()
}

/// `id`, which is at home where deadlines count, waits for its budget from now on, or does no more.
#[inline(always)]
pub(in super::super) fn throttle<W: World>(w: &W, id: W::Id, on: bool) {
    if W::THROTTLES {
        w.branches(id).throttled.set(on);
    }
}

/// Whether `id`, which is at home where deadlines count, has a server.
#[inline(always)]
pub(in super::super) fn is_served<W: World>(w: &W, id: W::Id) -> bool {
    Note::of(w, id).is_served()
}

/// Gives `id` a job with the deadline `job`, which is at most [`LATEST`], or none. The caller puts
/// `id` into the right place.
pub(in super::super) fn set_job<W: World>(w: &W, id: W::Id, job: Option<u64>) {
    let job = job.unwrap_or(Note::NO_JOB);
    w.set_note(id, Note::of(w, id).with_job(job).0);
}

/// `id`, which waits, has a server from now on, or none; and no job of its own.
pub(in super::super) fn set_served<W: World>(w: &W, id: W::Id, served: bool) {
    let job = if served { LATEST } else { Note::NO_JOB };
    w.set_note(id, Note::of(w, id).served(served).with_job(job).0);
    throttle(w, id, false);
}

/// Sets the deadline of the server of `id`, at most [`LATEST`]; its budget is used up when `id`
/// was charged for `limit`. The caller puts `id` into the right place.
pub(in super::super) fn set_budget<W: World>(w: &W, id: W::Id, deadline: u64, limit: Duration) {
    set_job(w, id, Some(deadline));
    w.set_limit(id, limit);
}

/// The ring of those that have no job and this level.
pub(super) const fn priority_of(level: Level) -> Priority {
    Priority::from_stored(level.0 as u8)
}

/// Whether one that is so urgent, where deadlines count, has a job.
pub(in super::super) const fn has_job(level: Level) -> bool {
    level.0 < Level::BACKGROUND
}

/// The key by which threads are ordered in a tree.
pub(super) trait ByKey {
    /// That of `id`.
    fn key<W: World>(w: &W, id: W::Id) -> u64;
}

/// By the deadlines of their jobs.
pub(super) struct ByJob;

impl ByKey for ByJob {
    #[inline(always)]
    fn key<W: World>(w: &W, id: W::Id) -> u64 {
        Note::of(w, id).job()
    }
}

/// The links of the world's threads in a tree in which they are ordered by the key `K`.
pub(super) struct Nodes<'w, W, K>(pub &'w W, pub PhantomData<K>);

/// The links of those with a job.
#[inline(always)]
pub(super) fn jobs<W>(w: &W) -> Nodes<'_, W, ByJob> {
    Nodes(w, PhantomData)
}

impl<'w, W: World, K: ByKey> TreeLinks for Nodes<'w, W, K> {
    type Id = W::Id;
    type Key = u64;
    type Node = &'w Branches<W::Id>;
    type Link = &'w Cell<Option<W::Id>>;

    #[inline(always)]
    fn key(&self, id: W::Id) -> u64 {
        K::key(self.0, id)
    }

    #[inline(always)]
    fn node(&self, id: W::Id) -> Self::Node {
        self.0.branches(id)
    }

    #[inline(always)]
    fn link(&self, node: Self::Node, side: Side) -> Self::Link {
        match side {
            Side::Left => &node.left,
            Side::Right => &node.right,
        }
    }

    #[inline(always)]
    fn follow(&self, link: Self::Link) -> Option<W::Id> {
        link.get()
    }

    #[inline(always)]
    fn set(&self, link: Self::Link, to: Option<W::Id>) {
        link.set(to);
    }

    #[inline(always)]
    fn above(&self, node: Self::Node) -> Option<W::Id> {
        node.above.get()
    }

    #[inline(always)]
    fn set_above(&self, node: Self::Node, above: Option<W::Id>) {
        node.above.set(above);
    }

    #[inline(always)]
    fn rank(&self, node: Self::Node) -> u8 {
        node.rank.get()
    }

    #[inline(always)]
    fn set_rank(&self, node: Self::Node, rank: u8) {
        node.rank.set(rank);
    }
}

impl<Id: Copy + Eq> Deadlines<Id> {
    /// Returns how urgent `id` is, which has no job; none if it has. That it has none is then
    /// evident to the compiler.
    #[inline(always)]
    pub fn urgency_without_job<W: World<Id = Id>>(w: &W, id: Id) -> Option<Level> {
        let level = Level(Level::BACKGROUND | u64::from(w.priority(id).level()));
        (!Note::of(w, id).has_job()).then_some(level)
    }

    /// How urgent `id` is, which has a job. That it has one is then evident to the compiler.
    #[inline(always)]
    pub fn urgency_of_job<W: World<Id = Id>>(w: &W, id: Id) -> Level {
        Level(Note::of(w, id).job())
    }
}

impl<Id: Copy + Eq> Waiting<Id> for Deadlines<Id> {
    type Urgency = Level;
    type Key = u128;
    type Left = Cell<u64>;
    type Tops = ();
    const KEEPS_TURN: bool = true;
    const EMPTY: Self = Self {
        jobs: Tree::EMPTY,
        others: ReadyQueue::EMPTY,
    };

    #[inline(always)]
    fn urgency<W: World<Id = Id>>(w: &W, id: Id) -> Level {
        match Self::urgency_without_job(w, id) {
            Some(level) => level,
            None => Self::urgency_of_job(w, id),
        }
    }

    #[inline(always)]
    fn cpu<W: World<Id = Id>>(w: &W, id: Id) -> usize {
        Note::of(w, id).cpu()
    }

    #[inline(always)]
    fn set_cpu<W: World<Id = Id>>(w: &W, id: Id, cpu: usize) {
        w.set_note(id, Note::of(w, id).with_cpu(cpu).0);
    }

    #[inline(always)]
    fn append<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        if has_job(level) {
            self.jobs.append(&jobs(w), id);
        } else {
            self.others.append(w, id, priority_of(level));
        }
    }

    #[inline(always)]
    fn prepend<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        if has_job(level) {
            self.jobs.prepend(&jobs(w), id);
        } else {
            self.others.prepend(w, id, priority_of(level));
        }
    }

    #[inline(always)]
    fn push_front<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        if has_job(level) {
            self.jobs.push_front(&jobs(w), id);
        } else {
            self.others.prepend(w, id, priority_of(level));
        }
    }

    #[inline(always)]
    fn remove<W: World<Id = Id>>(&self, w: &W, id: Id, level: Level) {
        if has_job(level) {
            self.jobs.remove(&jobs(w), id);
        } else {
            self.others.remove(w, id, priority_of(level));
        }
    }

    #[inline(always)]
    fn first<W: World<Id = Id>>(&self, w: &W) -> Option<(Id, Level)> {
        if let Some(first) = self.jobs.first() {
            return Some((first, Level(Note::of(w, first).job())));
        }
        let priority = self.others.urgent()?;
        let level = Level::BACKGROUND | u64::from(priority.level());
        Some((self.others.head(priority)?, Level(level)))
    }

    #[inline(always)]
    fn first_equal<W: World<Id = Id>>(&self, w: &W, level: Level) -> Option<Id> {
        if has_job(level) {
            let first = self.jobs.first()?;
            return (Note::of(w, first).job() == level.0).then_some(first);
        }
        self.others.head(priority_of(level))
    }

    #[inline(always)]
    fn exchange<W: World<Id = Id>>(&self, w: &W, first: Id, id: Id, level: Level) {
        if has_job(level) {
            self.jobs.exchange(&jobs(w), first, id);
        } else {
            self.others.exchange(w, first, id, priority_of(level));
        }
    }

    fn for_each<W: World<Id = Id>>(&self, w: &W, mut visit: impl FnMut(Id)) {
        self.jobs.for_each(&jobs(w), &mut visit);
        self.others.for_each(w, visit);
    }
}
