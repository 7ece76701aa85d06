//! Owns: the rows of loans, where seats decide: which thread may run in place of which, and to
//! which one the place belongs.
//! Must never know: the decider of an instance, and the holder of a seat.
//!
//! A thread that owns a lock for which others wait, and waits for no such lock itself, is the
//! *end* of their chains. In each instance in which a thread waits for it, directly or not, the
//! first of the waiters that are at home there is its *lender*. While the end is ready without a
//! seat, the lender is queued among the ready threads of its home. The end uses the seat that the
//! lender gets. The instances are tried in one order: the end's home, then the others in the order
//! in which the first thread began to wait there.

use super::Table;
use crate::Cpu;
use crate::smp::node::NodeRecord;
use crate::smp::seats::Place;
use crate::smp::steps::step;
use crate::smp::{Instance, Level, Lock, System, Thread};

/// The part of a loan that is kept with each thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoanRecord {
    /// The end that the waiting thread represents among the ready ones of its home: a blocked
    /// waiter is queued there for that alone, a spinning one in any case.
    pub(crate) stands_for: Option<Thread>,
    /// Whether the thread, an end that is ready, is no longer queued among those of its home: it
    /// runs in place of another.
    pub(crate) is_away: bool,
    /// The processor of the seat by which the thread, an end, runs or is to run.
    pub(crate) uses: Option<Cpu>,
    /// The processor, of another instance than its own, to which the thread pinned itself while it
    /// was helped there.
    pub(crate) pinned: Option<Cpu>,
    /// The level to which waiters for its locks at home raise the thread there.
    pub(crate) inherits: Option<Level>,
    /// The place among its equals at home that the last change of that gives the thread.
    pub(crate) place: Place,
}

impl LoanRecord {
    /// The record of a thread that is no end, and represents none.
    pub const NONE: Self = Self {
        stands_for: None,
        is_away: false,
        uses: None,
        pinned: None,
        inherits: None,
        place: Place::Last,
    };

    /// Whether nothing is lent by or to the thread.
    fn is_none(self) -> bool {
        let Self { place, .. } = self;
        self == Self {
            place,
            ..Self::NONE
        }
    }

    /// Returns whether the thread, which `is_ready`, has a seat at home or is in the rings there.
    pub(crate) fn moves(self, is_ready: bool) -> bool {
        match is_ready {
            true => !self.is_away,
            false => self.stands_for.is_some(),
        }
    }
}

impl System<'_> {
    /// Whether threads that are at home in `instance`, about which seats decide, wait for locks
    /// that count, or own such.
    #[inline(always)]
    pub(crate) fn lends(&self, instance: Instance) -> bool {
        let record = self.instances.get(instance.index());
        record.is_some_and(|record| record.involved > 0)
    }

    /// Returns the level that `thread` inherits from the threads that wait for its locks at its
    /// home; none if no thread does. As many steps as there are locks.
    pub(crate) fn inherited(&self, thread: Thread) -> Option<Level> {
        let home = self.home(thread);
        let highest = |lock| self.locks.queues.highest(lock, home);
        let inherits = |lock: &Lock| self.locks.inherits(*lock) && !self.locks.is_apart(*lock);
        let owned = self.owned_of(thread).filter(inherits);
        owned.filter_map(highest).min()
    }

    /// Returns the deadline of the job of `thread`, if that counts at its home; no other thread's
    /// deadline.
    pub(crate) fn own_deadline(&self, thread: Thread) -> Option<Level> {
        let deadline = self.node(self.home(thread).0, thread.0).deadline;
        (deadline != Level::NONE).then_some(deadline)
    }

    /// The thread after `before` that waits for a lock that counts or owns one, or to or by which
    /// something is lent; after none the one that became so last. As many steps as threads have
    /// ceased to be such since the list was walked.
    pub(crate) fn next_listed(&mut self, before: Option<Thread>) -> Option<Thread> {
        loop {
            step();
            let next = *self.locks.link_after(before);
            let row = next?;
            if self.locks.stays_listed(row) {
                return next;
            }
            let wait = self.locks.wait_mut(row);
            wait.is_listed = false;
            *self.locks.link_after(before) = wait.next_listed.take();
        }
    }

    /// [`System::next_listed`] of those that own locks that count, or to or by which something is
    /// lent.
    pub(crate) fn next_concerned(&mut self, before: Option<Thread>) -> Option<Thread> {
        let mut next = self.next_listed(before);
        while let Some(row) = next.filter(|row| !self.locks.is_concerned(*row)) {
            next = self.next_listed(Some(row));
        }
        next
    }

    /// Whether `thread` is involved in locks, or has a loan.
    pub(crate) fn stays_listed(&self, thread: Thread) -> bool {
        self.locks.has_room() && self.locks.stays_listed(thread)
    }

    /// The record of `thread`; nothing where there are no locks.
    pub(crate) fn loan(&self, thread: Thread) -> LoanRecord {
        let wait = self.locks.waits.get(thread.index());
        wait.map_or(LoanRecord::NONE, |wait| wait.loan)
    }

    /// Changes the record of `thread`.
    pub(crate) fn set_loan(&mut self, thread: Thread, change: impl FnOnce(&mut LoanRecord)) {
        if let Some(wait) = self.locks.waits.get_mut(thread.index()) {
            change(&mut wait.loan);
            if !wait.is_listed && !wait.loan.is_none() {
                self.locks.list(thread);
            }
        }
    }

    /// Whether `thread` owns locks that count, and waits for none.
    pub(crate) fn is_end(&self, thread: Thread) -> bool {
        self.locks.counts_for(thread) && self.next_in_chain(thread).is_none()
    }

    /// Returns the end of the chain from `thread`, which waits for a lock that counts; none if it
    /// does not. As many steps as the chain has owners.
    pub(crate) fn end_for(&self, thread: Thread) -> Option<Thread> {
        self.chain_from(thread).last()
    }

    /// The owners along the chain from `thread`, which waits for a lock that counts, or none.
    pub(crate) fn chain_from(&self, thread: Thread) -> impl Iterator<Item = Thread> + '_ {
        let next = |owner: &Thread| self.next_in_chain(*owner);
        core::iter::successors(self.next_in_chain(thread), next).inspect(|_| step())
    }

    /// The owner of the lock that `thread` waits for, if that counts.
    fn next_in_chain(&self, thread: Thread) -> Option<Thread> {
        let lock = self.locks.waits_for(thread)?;
        self.locks
            .owner(lock)
            .filter(|_| !self.locks.is_apart(lock))
    }

    /// Returns whether a thread with the same home spins for a lock of `thread` that counts.
    pub(crate) fn leads_at_home(&self, thread: Thread) -> bool {
        let home = self.home(thread);
        let waited = |lock| self.locks.queues.first(lock, home).is_some();
        let counts = |lock: &Lock| self.locks.sticks(*lock) && !self.locks.is_apart(*lock);
        self.owned_of(thread).filter(counts).any(waited)
    }

    /// Whether `end` keeps its place at home while it runs elsewhere: it owns a lock of MrsP.
    pub(crate) fn sticks_at_home(&self, end: Thread) -> bool {
        self.owned_of(end).any(|lock| self.locks.sticks(lock))
    }

    /// Returns the lender of `end` in `instance`; none if no thread that is at home there waits for
    /// `end`. Along the chain from it, as many steps as there are locks.
    pub(crate) fn lender(&self, end: Thread, instance: Instance) -> Option<Thread> {
        let mut owner = end;
        loop {
            let first = |lock| self.locks.queues.first(lock, instance);
            let waiting = self.owned_of(owner).filter(|lock| {
                step();
                self.locks.inherits(*lock) && !self.locks.is_apart(*lock)
            });
            owner = waiting
                .filter_map(first)
                .min_by_key(|thread| self.effective(*thread, instance))?;
            if self.home(owner) == instance {
                return Some(owner);
            }
        }
    }

    /// Returns the instance to try after `before` for a seat for `end`, or the first one if there
    /// is none. A thread that is pinned runs at home alone, or where it pinned itself.
    pub(crate) fn asked_after(&self, end: Thread, before: Option<Instance>) -> Option<Instance> {
        if let Some(cpu) = self.loan(end).pinned {
            return self.instance_of_cpu(cpu).ok().filter(|_| before.is_none());
        }
        let home = self.home(end);
        let next = match before {
            None => return Some(home),
            Some(_) if self.thread(end.0).pins > 0 => NodeRecord::NO_HELPER,
            Some(before) if before == home => self.thread(end.0).helper,
            Some(before) => self.node(before.0, end.0).next_helper,
        };
        (next != NodeRecord::NO_HELPER).then_some(Instance(next))
    }

    /// Returns whether `end` may run by a seat of `instance`, be it its home or one in which a
    /// thread waits for it.
    pub(crate) fn may_ask(&self, end: Thread, instance: Instance) -> bool {
        match self.loan(end).pinned {
            Some(cpu) => self.instance_of_cpu(cpu) == Ok(instance),
            None => self.thread(end.0).pins == 0 || self.home(end) == instance,
        }
    }

    /// The locks of `thread`, if any of them counts: otherwise none. As many steps as there are
    /// locks up to the last one.
    fn owned_of(&self, thread: Thread) -> impl Iterator<Item = Lock> + '_ {
        let wait = self.locks.waits.get(thread.index());
        let wait = wait.filter(|wait| wait.counting > 0);
        let owned = wait.map_or(0, |wait| usize::from(wait.owned));
        let owns = move |lock: &Lock| self.locks.owner(*lock) == Some(thread);
        self.locks.all().filter(owns).take(owned)
    }
}

impl Table<'_> {
    /// Whether locks of `thread` [count](Table::counts).
    fn counts_for(&self, thread: Thread) -> bool {
        let wait = self.waits.get(thread.index());
        wait.is_some_and(|wait| wait.counting > 0)
    }

    /// Whether `thread` owns locks that count, or something is lent to or by it.
    fn is_concerned(&self, thread: Thread) -> bool {
        let wait = self.wait(thread);
        wait.counting > 0 || !wait.loan.is_none()
    }

    /// Whether `thread` keeps its place in [`Table::listed`].
    pub(super) fn stays_listed(&self, thread: Thread) -> bool {
        self.is_involved(thread) || !self.wait(thread).loan.is_none()
    }

    /// Puts `thread` into [`Table::listed`], in front of the others.
    #[inline(never)]
    pub(super) fn list(&mut self, thread: Thread) {
        if self.wait(thread).is_listed {
            return;
        }
        let next = self.listed.replace(thread);
        let wait = self.wait_mut(thread);
        wait.is_listed = true;
        wait.next_listed = next;
    }

    /// The link to the thread that follows `before` in [`Table::listed`]; to the first after none.
    fn link_after(&mut self, before: Option<Thread>) -> &mut Option<Thread> {
        match before {
            Some(before) => &mut self.wait_mut(before).next_listed,
            None => &mut self.listed,
        }
    }
}
