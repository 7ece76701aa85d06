//! Owns: locks with an owner that inherits, and has a seat: no thread helps it, so the wait is one
//! in the lock's rows alone.
//! Must never know: the decider of the owner's home.
//!
//! The owner of a lock under inheritance, OMIP or MrsP runs in place of its waiters only while it
//! is ready and its home has no processor for it. Until then, and while all waiters are at home
//! elsewhere, with levels that are not compared with the owner's, the lock is *seated*: it is
//! [apart](super::Table::is_apart) and does not count. The world ensures that it is counted, by
//! [`System::count_waits`], before the owner loses its seat, or becomes ready without getting one.
//!
//! A waiter under MrsP spins: the world raises it to its [ceiling](System::spun_at) as it does an
//! owner. It is counted at home like the owners: if it is to be ready no more, the lock counts.

use crate::smp::order::{Level, Order};
use crate::smp::steps::step;
use crate::smp::{Instance, Lock, System, Thread};

impl System<'_> {
    /// Whether `thread`, which runs, may wait for `lock`, which another owns, as one that is
    /// seated, if the owner has a seat whenever it is ready.
    pub(crate) fn may_wait_seated(&self, lock: Lock, thread: Thread) -> bool {
        let Some(record) = self.locks.locks.get(lock.index()) else {
            return false;
        };
        let is_calm = record.waiters == 0 || record.seated;
        self.locks.inherits(lock)
            && is_calm
            && record.owner.is_some_and(|owner| {
                self.locks.waits_for(owner).is_none()
                    && !self.locks.is_involved(owner)
                    && self.home(owner) != self.home(thread)
            })
            && !self.locks.is_involved(thread)
            && !self.owns_seated(thread)
    }

    /// Whether `lock` is seated.
    pub(crate) fn is_seated(&self, lock: Lock) -> bool {
        let record = self.locks.locks.get(lock.index());
        record.is_some_and(|record| record.seated)
    }

    /// Whether `thread` owns a lock that is seated.
    #[inline]
    pub(crate) fn owns_seated(&self, thread: Thread) -> bool {
        let wait = self.locks.waits.get(thread.index());
        wait.is_some_and(|wait| wait.seated > 0)
    }

    /// Whether `thread` spins for a lock that is seated.
    pub(crate) fn spins_seated(&self, thread: Thread) -> bool {
        let waits_seated = || {
            let lock = self.locks.waits_for(thread);
            lock.is_some_and(|lock| self.is_seated(lock))
        };
        self.locks.spins(thread) && waits_seated()
    }

    /// Whether `thread` spins for a lock. A fixed number of steps.
    pub fn spins(&self, thread: Thread) -> bool {
        self.locks.spins(thread)
    }

    /// Returns the ceiling to which the world raises `thread`, which spins for a lock, from when
    /// its wait began until that is over; none if it does not spin. A fixed number of steps.
    pub fn spun_at(&self, thread: Thread) -> Option<crate::smp::Priority> {
        self.locks
            .spins(thread)
            .then(|| self.unmapped(self.home(thread).0, self.locks.wait(thread).raised))
    }

    /// Whether a thread that is at home in `instance` owns a lock that is seated, or spins for one.
    pub(crate) fn seats_owners(&self, instance: Instance) -> bool {
        let record = self.instances.get(instance.index());
        record.is_some_and(|record| record.seated > 0)
    }

    /// Returns the instances, a bit each, for which the result of [`System::seats_owners`] may
    /// have changed since the last call.
    #[inline(always)]
    pub(crate) fn seats_owners_anew(&mut self) -> u64 {
        core::mem::take(&mut self.locks.seats_owners_anew)
    }

    /// Whether the answer of [`System::seats_owners_anew`] would be another one than none.
    #[inline(always)]
    pub(crate) fn has_seats_owners_anew(&self) -> bool {
        self.locks.seats_owners_anew != 0
    }

    /// The owner of `lock` has a seat, or is not ready, and the first one waits for it.
    #[inline(never)]
    pub(super) fn begin_seated(&mut self, lock: Lock) {
        self.locks.lock_mut(lock).seated = true;
        self.count_seated(lock, 1);
    }

    /// Changes the counts of seated locks: no thread waits for `lock` any more, or its owner is
    /// about to be another one.
    pub(super) fn count_seated(&mut self, lock: Lock, change: i32) {
        if let Some(owner) = self.locks.owner(lock) {
            let wait = self.locks.wait_mut(owner);
            wait.seated = wait.seated.wrapping_add_signed(change as i16);
            self.count_at_home(owner, change);
        }
    }

    /// `thread` owns a seated lock, or spins for one, or does so no more.
    fn count_at_home(&mut self, thread: Thread, change: i32) {
        let home = self.home(thread);
        let seated = &mut self.instances[home.index()].seated;
        *seated = seated.wrapping_add_signed(change);
        self.locks.seats_owners_anew |= 1 << home.index();
    }

    /// `thread` begins to spin for a seated lock, raised to `raised` at home, or to wait for it
    /// blocked.
    pub(super) fn begin_spin_seated(&mut self, thread: Thread, raised: Level) {
        if raised != Level::NONE {
            let home = self.home(thread);
            self.node_mut(home.0, thread.0).real = raised;
            self.count_at_home(thread, 1);
        }
    }

    /// `thread` is about to wait for its lock no more, which is seated, or to count: where it spins
    /// it is no longer counted at home.
    pub(super) fn end_spin_seated(&mut self, thread: Thread) {
        if self.spins_seated(thread) {
            self.count_at_home(thread, -1);
        }
    }

    /// A wait for `lock` is over: where it was the last one, the lock is not seated any more.
    pub(super) fn end_seated_if_free(&mut self, lock: Lock) {
        let record = self.locks.lock(lock);
        if record.seated && record.waiters == 0 {
            self.count_seated(lock, -1);
            self.locks.lock_mut(lock).seated = false;
        }
    }

    /// Returns an owner of a seated lock that is at home in `instance`, or for which a thread spins
    /// there. As many steps as there are locks.
    pub(crate) fn seated_owner_of(&self, instance: Instance) -> Option<Thread> {
        let owner = |lock: Lock| {
            step();
            let spins = self.locks.sticks(lock) && self.is_waited_for_in(lock, instance);
            let owner = self.locks.owner(lock).filter(|_| self.is_seated(lock));
            owner.filter(|owner| spins || self.home(*owner) == instance)
        };
        let mut all = (0..self.locks.locks.len()).filter_map(Lock::new);
        all.find_map(owner)
    }

    /// Returns whether a thread that waits for `lock` is at home in `instance`, except threads that
    /// were never there.
    pub(crate) fn is_waited_for_in(&self, lock: Lock, instance: Instance) -> bool {
        self.locks.queues.first(lock, instance).is_some()
    }

    /// The first thread from the row `from` on that waits for a seated lock of `owner`. As many
    /// steps as there are threads.
    pub(crate) fn seated_waiter(&self, owner: Thread, from: usize) -> Option<Thread> {
        let waits = |thread: &Thread| {
            step();
            let lock = self.locks.waits_for(*thread);
            lock.is_some_and(|lock| self.is_seated(lock) && self.locks.owner(lock) == Some(owner))
        };
        let mut all = (from..self.locks.waits.len()).filter_map(Thread::new);
        all.find(waits)
    }

    /// Notes that the owner of `lock` would begin now to run in place of its waiters in
    /// `instance`. If it is to run in several instances, they are tried in this order.
    pub(super) fn note_beginning(&mut self, lock: Lock, instance: Instance) {
        let turn = self.locks.draw(Order::Append);
        self.locks.side_mut(lock, instance).since = turn;
    }

    /// Passes `lock`, which is seated, to another owner, which would begin again wherever a thread
    /// waits. If none does, the lock is not seated any more.
    #[inline(never)]
    pub(super) fn pass_seat(&mut self, lock: Lock) {
        if self.locks.lock(lock).waiters == 0 {
            self.locks.lock_mut(lock).seated = false;
            return;
        }
        self.count_seated(lock, 1);
        for instance in self.locks.instances() {
            if self.is_waited_for_in(lock, instance) {
                self.note_beginning(lock, instance);
            }
        }
    }

    /// Makes the seated locks of `owner` count: it is about to lose its seat, or to be ready
    /// without one. The rows of the owner and of all threads that wait for these locks are up to
    /// date. Bound: as many steps as there are threads, as there are sides of locks for each
    /// instance in which a thread waits, and those of a chain, see the module `smp::lock`.
    pub(crate) fn count_waits(&mut self, owner: Thread) {
        let before = self.involved([Some(owner)]);
        let mut from = 0;
        while let Some(waiter) = self.seated_waiter(owner, from) {
            from = waiter.index() + 1;
            let home = self.home(waiter);
            self.instances[home.index()].involved += 1;
            self.locks.list(waiter);
            self.locks.seats_owners_anew |= 1 << home.index();
            if self.spins_seated(waiter) {
                self.count_spin(waiter);
            }
        }
        self.unseat_all(owner);
        let mut last = 0;
        while let Some((since, lock, instance)) = self.next_beginning(owner, last) {
            last = since;
            if self.pass_on(lock, instance) {
                self.follow(owner, instance);
            }
        }
        self.count_involved([Some(owner)], before);
        self.update_priority(owner, Order::Append);
    }

    /// `thread` spins for a lock that counts from now on. Its own priority includes the ceiling, so
    /// nothing moves.
    fn count_spin(&mut self, thread: Thread) {
        let Some(lock) = self.locks.waits_for(thread) else {
            return;
        };
        let (home, raised) = (self.home(thread), self.locks.wait(thread).raised);
        self.end_spin_seated(thread);
        self.share(thread, home, lock, raised);
    }

    /// No lock of `owner` is seated from now on: they count. As many steps as there are locks.
    fn unseat_all(&mut self, owner: Thread) {
        for lock in (0..self.locks.locks.len()).filter_map(Lock::new) {
            step();
            if self.is_seated(lock) && self.locks.owner(lock) == Some(owner) {
                self.count_seated(lock, -1);
                // A light one may have been weighed with another one already.
                let before = u16::from(self.locks.counts(lock));
                self.locks.lock_mut(lock).seated = false;
                self.locks.wait_mut(owner).counting += 1 - before;
                self.weigh(lock);
            }
        }
    }

    /// Returns the next side of a lock of `owner` that a thread waits for, by when that began.
    fn next_beginning(&self, owner: Thread, last: u64) -> Option<(u64, Lock, Instance)> {
        let owned = self.locks.all().filter(|lock| {
            step();
            self.locks.owner(*lock) == Some(owner) && self.locks.inherits(*lock)
        });
        let sides = owned.flat_map(|lock| {
            let waited = self.locks.instances();
            waited
                .filter(move |instance| self.is_waited_for_in(lock, *instance))
                .map(move |instance| (self.locks.side(lock, instance).since, lock, instance))
        });
        sides
            .filter(|(since, ..)| *since > last)
            .min_by_key(|(since, ..)| *since)
    }
}
