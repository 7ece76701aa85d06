//! The kernel on several processors: the scheduling library decides which thread runs where.
//!
//! Owns: the kernel's data in addition to [`Kernel`] if there is more than one processor, and its
//! calls of the library. Must never know: a policy, an architecture.
//!
//! About each instance its [`Decider`](taktos_schedule::smp::seats::Decider) decides: the ready
//! queue of one processor, or the seats of several, which costs the lock and little else. If owners
//! of locks are watched, or seats are lent, the fast paths do not find it, and acts go by
//! [`Router::act`]. The book's page `docs/seats.md` explains it.
//!
//! The library's tables are rows: which thread is at home where, and bound to which locks, servers
//! and periods. The kernel's own objects need not know more: they make threads ready and take them
//! off, as on one processor. Before the tables are queried for a thread, its row is brought up to
//! date.
//!
//! All is done with the machine's one lock held. A thread enters the kernel only while it is not
//! decided that another one is to run in its place: [`hold`](crate::critical_section::hold)
//! ensures that. So the running thread is always ready, as on one processor.
#![expect(
    unsafe_code,
    reason = "the library's state is shared by all processors"
)]

#[cfg(feature = "budgets")]
mod account;
mod alarm;
mod api;
mod jobs;
mod lock;
mod memory;
mod place;
mod start;
mod turn;
mod view;

#[cfg(feature = "budgets")]
pub(crate) use account::Users;
pub use lock::{ClusterMutex, ClusterProtocol};
pub use memory::SmpMemory;
pub use start::run_smp;
pub(crate) use view::View;

use crate::System;
use crate::critical_section::{CriticalSection, Guarded};
use crate::object::mutex::MutexCore;
use crate::thread::tcb::{Home, ThreadRef};
use crate::wait::timeout_queue::TimeoutQueue;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU8;
use taktos_machine::{Machine, Processor};
use taktos_schedule::Cpu;
use taktos_schedule::smp;
use taktos_schedule::smp::seats::{Act, Branches, Router, Served};
use taktos_time::{Duration, Instant};

/// The tables with one entry for each row of threads: the thread, its links in a queue that is
/// ordered by deadlines, when its budget is used up, and its turn among those that stand there,
/// where threads are bound to processors.
type Rows = (
    &'static [Guarded<Option<ThreadRef>>],
    &'static [Guarded<Branches<ThreadRef>>],
    &'static [Guarded<Duration>],
    &'static [Guarded<i64>],
);

/// The lenders of ceilings, by the rows of locks, and the records of threads that spin, by theirs.
type Lenders = (
    &'static [Guarded<Option<&'static MutexCore>>],
    &'static [lock::Spinner],
);

/// Above the numbers of all processors, also of those that the library alone may have: so that a
/// number of its is an index without a check.
const MOST: usize = Cpu::COUNT;

/// The kernel's data for several processors. A board has one, in its [`SmpMemory`].
pub struct Smp<S> {
    system: Shared,
    /// The thread of each row of the library's table.
    threads: Guarded<&'static [Guarded<Option<ThreadRef>>]>,
    /// The links of each thread in a queue that is ordered by deadlines, by rows.
    branches: Guarded<&'static [Guarded<Branches<ThreadRef>>]>,
    /// When each thread's budget is used up, by rows.
    limits: Guarded<&'static [Guarded<Duration>]>,
    /// The turn of each thread, by rows.
    turns: Guarded<&'static [Guarded<i64>]>,
    idle: [Guarded<Option<ThreadRef>>; MOST],
    pub(crate) timeouts: [TimeoutQueue; MOST],
    /// The lender of the ceiling of the cluster mutex of each row of the library's table of
    /// locks.
    lenders: Guarded<&'static [Guarded<Option<&'static MutexCore>>]>,
    /// When the library wants to look at the budget of a processor's heir.
    budgets: [Guarded<Option<Instant>>; MOST],
    /// To which accounts the processors are charged.
    #[cfg(feature = "budgets")]
    payers: account::ChargedAccounts,
    /// The thread that was moved from each processor, and is ready elsewhere once that has let go
    /// of its registers.
    moving: [Guarded<Option<ThreadRef>>; MOST],
    /// The flags of [`alarm::Asked`] for which each processor was called.
    asked: [AtomicU8; MOST],
    /// The records of threads that spin, by rows.
    spinners: Guarded<&'static [lock::Spinner]>,
    owner: PhantomData<fn() -> S>,
}

/// The library's state, with the seats of all instances.
type Scheduler = Router<'static, ThreadRef, &'static Processor>;

struct Shared(UnsafeCell<Option<Scheduler>>);

// SAFETY: reached by `Smp::with` and `begin` alone, which demand a section: there is no concurrent
// access.
unsafe impl Sync for Shared {}

impl<S: System> Smp<S> {
    const fn new() -> Self {
        Self {
            system: Shared(UnsafeCell::new(None)),
            threads: Guarded::new(&[]),
            branches: Guarded::new(&[]),
            limits: Guarded::new(&[]),
            turns: Guarded::new(&[]),
            idle: [const { Guarded::new(None) }; MOST],
            timeouts: [const { TimeoutQueue::new() }; MOST],
            lenders: Guarded::new(&[]),
            budgets: [const { Guarded::new(None) }; MOST],
            #[cfg(feature = "budgets")]
            payers: account::ChargedAccounts::new(),
            moving: [const { Guarded::new(None) }; MOST],
            asked: [const { AtomicU8::new(0) }; MOST],
            spinners: Guarded::new(&[]),
            owner: PhantomData,
        }
    }

    /// The library's state; none before the start. `act` must not come back here: it has no way to,
    /// for all it gets is the library.
    #[inline(always)]
    fn with<R>(&self, _: CriticalSection<'_>, act: impl FnOnce(&mut Scheduler) -> R) -> Option<R> {
        // SAFETY: in a section, so no other code is here; and `act` does not nest, as said above.
        let scheduler = unsafe { &mut *self.system.0.get() };
        scheduler.as_mut().map(act)
    }

    /// [`Smp::with`] for a thread with a home: that is after the start.
    #[inline(always)]
    fn with_home<R>(
        &self,
        _: CriticalSection<'_>,
        _: &'static Home,
        act: impl FnOnce(&mut Scheduler) -> R,
    ) -> R {
        // SAFETY: as in `with`; and the start sets the state before `set_home` gives the first
        // thread a home, which it has from that state. Nothing takes it away.
        let scheduler = unsafe { (*self.system.0.get()).as_mut().unwrap_unchecked() };
        act(scheduler)
    }

    /// Queries or changes the library's rows; `None` before the start.
    #[inline(always)]
    fn ask<R>(
        &self,
        cs: CriticalSection<'_>,
        question: impl FnOnce(&mut smp::System<'static>) -> R,
    ) -> Option<R> {
        self.with(cs, |scheduler| scheduler.ask(&View::<S>::new(cs), question))
    }

    /// Calls the library's deciders about something that happens now; `None` before the start.
    fn doing<R>(
        &self,
        cs: CriticalSection<'_>,
        question: impl FnOnce(&mut Scheduler, Instant) -> R,
    ) -> Option<R> {
        let now = S::Machine::now();
        self.with(cs, |scheduler| question(scheduler, now))
    }

    /// Does `act` with `thread`, which has a watched home, by [`Router::act`]. Does nothing before
    /// the start.
    #[inline(never)]
    fn act(&self, cs: CriticalSection<'_>, thread: ThreadRef, act: Act, set: &dyn Fn()) {
        let Some(home) = thread.home(cs) else { return };
        let stay =
            |scheduler: &mut Scheduler| scheduler.owners_stay(&View::<S>::new(cs), thread, act);
        let acts_alone = !home.lends() && !home.knows_servers();
        if acts_alone && self.with_home(cs, home, stay) {
            return home.act(&View::<S>::new(cs), thread, (act, set));
        }
        self.doing(cs, |scheduler, now| {
            scheduler.act(&View::<S>::new(cs), (thread, home), (act, set), now)
        });
    }

    /// `thread`, which is ready and lost its processor, or left one, comes in again at its home,
    /// which is watched, by [`Router::come_back`].
    #[inline(never)]
    fn come_back(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if let Some(home) = thread.home(cs) {
            self.with(cs, |scheduler| {
                scheduler.come_back(&View::<S>::new(cs), (thread, home));
            });
        }
    }

    /// Settles once, after it, all that `acts` does: see [`Router::begin_together`].
    fn together<R>(&self, cs: CriticalSection<'_>, acts: impl FnOnce() -> R) -> R {
        let begins = self.with(cs, |scheduler| scheduler.begin_together());
        let done = acts();
        if begins == Some(true) {
            self.with(cs, |scheduler| {
                scheduler.end_together(&View::<S>::new(cs));
            });
        }
        done
    }

    /// [`Router::settle`].
    fn settle(&self, cs: CriticalSection<'_>) {
        if self.with(cs, |scheduler| scheduler.has_to_settle()) != Some(true) {
            return;
        }
        self.with(cs, |scheduler| {
            scheduler.settle(&View::<S>::new(cs));
        });
    }

    /// The time at which a budget on the processor `here` was to be looked at has come.
    fn expire(&self, cs: CriticalSection<'_>, here: usize) {
        let Some(cpu) = Cpu::new(here) else { return };
        self.doing(cs, |scheduler, now| {
            // It is this processor, which exists.
            let _ = scheduler.expire(&View::<S>::new(cs), cpu, now);
        });
    }

    /// `thread`, which has a server, is about to become ready.
    #[inline(always)]
    fn renew(&self, cs: CriticalSection<'_>, served: &Served<ThreadRef>, thread: ThreadRef) {
        let now = S::Machine::now();
        self.with(cs, |scheduler| {
            scheduler.renew(&View::<S>::new(cs), served, thread, now)
        });
    }

    /// Prepares a query about `thread`: its row says how urgent it is.
    #[inline(always)]
    fn look_up(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.with(cs, |scheduler| {
            scheduler.look_up(&View::<S>::new(cs), thread);
        });
    }

    /// Returns the possible deciders of the instance that has `cpu`.
    fn home_of(&self, cs: CriticalSection<'_>, cpu: Cpu) -> Option<&'static Home> {
        self.with(cs, |scheduler| scheduler.home_of(cpu))?
    }

    /// Notes that `thread`, which runs, is about to request `lock`, and `waits` if it is busy. The
    /// homes of the threads that this may concern lend from now on.
    fn reach_lock(&self, cs: CriticalSection<'_>, lock: smp::Lock, thread: ThreadRef, waits: bool) {
        self.with(cs, |scheduler| {
            scheduler.reach_lock(&View::<S>::new(cs), lock, thread, waits);
        });
    }

    /// Returns the possible deciders of `instance`.
    fn home(&self, cs: CriticalSection<'_>, instance: smp::Instance) -> Option<&'static Home> {
        self.with(cs, |scheduler| scheduler.home(instance))?
    }

    /// Takes over what the start has made.
    fn begin(
        &self,
        cs: CriticalSection<'_>,
        system: smp::System<'static>,
        homes: &'static [Home],
        (threads, branches, limits, turns): Rows,
        (lenders, spinners): Lenders,
    ) {
        self.branches.set(cs, branches);
        self.limits.set(cs, limits);
        self.turns.set(cs, turns);
        self.threads.set(cs, threads);
        self.lenders.set(cs, lenders);
        self.spinners.set(cs, spinners);
        // SAFETY: as in `with`.
        unsafe { *self.system.0.get() = Some(Router::new(system, homes)) };
    }

    /// The seats decide from now on: each processor has its idle thread.
    fn begin_seats(&self, cs: CriticalSection<'_>) {
        let now = S::Machine::now();
        self.with(cs, |scheduler| scheduler.begin(&View::<S>::new(cs), now));
    }

    /// The thread of a row of the library's table.
    fn thread(&self, cs: CriticalSection<'_>, row: smp::Thread) -> Option<ThreadRef> {
        self.threads.get(cs).get(row.index())?.get(cs)
    }

    /// The links of `thread` in a queue that is ordered by deadlines; none for idle threads.
    #[inline(always)]
    fn branches_of<'cs>(
        &self,
        cs: CriticalSection<'cs>,
        thread: ThreadRef,
    ) -> Option<&'cs Branches<ThreadRef>> {
        Some(self.branches.get(cs).get(thread.row_index(cs))?.borrow(cs))
    }

    /// When the budget of `thread` is used up; none for idle threads.
    fn limit_of(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> Option<&'static Guarded<Duration>> {
        self.limits.get(cs).get(thread.row_index(cs))
    }

    /// The turn of `thread`; none for idle threads.
    fn turn_of(&self, cs: CriticalSection<'_>, thread: ThreadRef) -> Option<&'static Guarded<i64>> {
        self.turns.get(cs).get(thread.row_index(cs))
    }

    fn idle_of(&self, cs: CriticalSection<'_>, processor: usize) -> Option<ThreadRef> {
        self.idle.get(processor)?.get(cs)
    }
}
