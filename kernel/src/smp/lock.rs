//! Owns: mutexes under the protocols for several processors. Must never know: how a protocol works.

use super::View;
use super::place::error_of;
use super::turn::level;
use crate::critical_section::{CriticalSection, Guarded, Held, Operation};
use crate::object::mutex::MutexCore;
use crate::sched::{IntoResult, OutcomeOf, fail, finish_hold, hold, is_smp, release, slow_path};
use crate::thread::tcb::{Home, ThreadRef};
use crate::wait::Wait;
use crate::wait::inherit::{Place, deserved};
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};
use taktos_abi::{Status, Timeout};
use taktos_machine::Machine;
use taktos_schedule::smp::seats::Act;
use taktos_schedule::smp::{self, Alone, Instance, Level, Lock, Obtained, Outcome, Ownership};

/// How a [`ClusterMutex`] bounds the waiting of urgent threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClusterProtocol {
    /// Not at all.
    None,
    /// In each instance the owner has the priority of its most urgent waiter there, and runs there
    /// when it has lost its processor at home.
    Inheritance,
    /// As `Inheritance`, with the queues of OMIP: at most 2m − 1 requests block one, with m
    /// processors.
    Omip,
    /// The owner has this priority. Only threads of the instance in which the mutex was first
    /// locked may lock it.
    Ceiling(Priority),
    /// The owner has its instance's ceiling; threads that wait spin at theirs, and lend their
    /// processors to the owner. The ceiling is that of the instance in which the mutex is first
    /// locked; the others' are the most urgent priority until [`ClusterMutex::set_ceiling`].
    MrsP(Priority),
}

impl ClusterProtocol {
    fn of_library(self) -> (smp::Protocol, Option<smp::Priority>) {
        match self {
            Self::None => (smp::Protocol::None, None),
            Self::Inheritance => (smp::Protocol::Inheritance, None),
            Self::Omip => (smp::Protocol::Omip, None),
            Self::Ceiling(ceiling) => (smp::Protocol::Ceiling, Some(level(ceiling))),
            Self::MrsP(ceiling) => (smp::Protocol::MrsP, Some(level(ceiling))),
        }
    }
}

#[derive(Clone, Copy)]
enum Made {
    /// No thread has locked it yet.
    NotYet,
    /// It has no ceiling.
    As(Lock),
    /// It has a ceiling.
    Raising(Lock),
    Deleted,
}

/// A mutex of threads in several scheduler instances. See [`ClusterProtocol`]; decision 0012 of the
/// documentation says where the protocols differ from their sources.
///
/// A waiter under [`ClusterProtocol::None`], or a ceiling, waits as for any object of the kernel's:
/// neither its own instance nor another one is concerned. A ceiling is a priority: a thread with a
/// deadline is more urgent than each, and cannot lock a mutex that has one.
///
/// It takes one of the rows of locks of [`SmpMemory`](super::SmpMemory) when it is locked first.
/// Its owner may lock it again, but for MrsP. A thread that ends or is deleted unlocks what it
/// owns. An owner's ceiling is part of its effective priority: its wait in a queue of another
/// object goes by it, as by a [`Mutex`](crate::Mutex)'s, but not by the priorities that waiters for
/// a cluster mutex lend it. An owner that blocks leaves its processor to others, whatever the
/// protocol.
pub struct ClusterMutex<S> {
    protocol: ClusterProtocol,
    made: Guarded<Made>,
    /// Lends the owner the ceiling, where the protocol has one.
    lender: MutexCore,
    system: PhantomData<fn() -> S>,
}

/// The lender and the flag of a thread that spins for a lock.
pub(super) struct Spinner {
    /// Lends it the ceiling where the tables do not raise it.
    lender: MutexCore,
    /// Whether its wait may be over. It is written in sections alone.
    is_over: AtomicBool,
    /// Lends the thread the priority of a waiter at its home for one of its locks.
    heir: MutexCore,
    /// Whether it does.
    inherits: Guarded<bool>,
}

impl Spinner {
    pub(super) const fn new() -> Self {
        Self {
            lender: MutexCore::LENDER,
            is_over: AtomicBool::new(true),
            heir: MutexCore::LENDER,
            inherits: Guarded::new(false),
        }
    }
}

/// How a thread spins for a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spin {
    /// The owner has a seat; the world has raised the thread.
    Seated,
    /// The tables count it, and raise it.
    Counts,
}

/// The value with which a thread comes back that is to spin.
const SPINS: usize = 1;

impl<S: System> ClusterMutex<S> {
    /// A free mutex under `protocol`.
    pub const fn new(protocol: ClusterProtocol) -> Self {
        assert!(
            is_smp::<S>(),
            "a mutex for a system with several processors"
        );
        Self {
            protocol,
            made: Guarded::new(Made::NotYet),
            lender: MutexCore::LENDER,
            system: PhantomData,
        }
    }

    /// Locks the mutex, waiting for it as long as `timeout` says: blocked, or spinning under MrsP.
    ///
    /// Bounds: a fixed number of steps for a mutex that is free, but for those of a change of the
    /// caller's priority where it has a ceiling and deadlines count, or under weak affinity; else
    /// those of the scheduling library's `smp::System::obtain`. Errors: `Timeout`, `WouldBlock`,
    /// `Deleted`; `State` where the wait would close a ring of waiting threads, or the caller owns
    /// it under MrsP; `Ceiling` where the caller is more urgent than the ceiling; `Parameter` in
    /// another instance than an immediate ceiling's; `NoMemory` where all rows of locks are used;
    /// `Cancelled`; `Context` in an interrupt handler.
    pub fn lock(&'static self, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let (cs, current) = (held.section(), held.running().current(held.section()));
        if S::Machine::in_interrupt() {
            return slow_path(self.lock_by_tables(held, timeout));
        }
        if self.obtain_plain(cs, current) {
            return Ok(());
        }
        slow_path(self.lock_raised(held, timeout))
    }

    /// [`ClusterMutex::lock`] of one with a ceiling, or a busy one; not in an interrupt.
    #[inline(never)]
    fn lock_raised(&'static self, held: Held<S>, timeout: Timeout) -> Result<(), Error> {
        let (cs, current) = (held.section(), held.running().current(held.section()));
        match self.obtain_raised(cs, current) {
            Some(done) => done,
            None => slow_path(self.lock_raised_elsewhere(held, timeout)),
        }
    }

    /// [`Home::raise`] if deadlines count: there, too, an owner that is raised continues.
    #[inline(never)]
    fn lock_raised_elsewhere(&'static self, held: Held<S>, timeout: Timeout) -> Result<(), Error> {
        let (cs, current) = (held.section(), held.running().current(held.section()));
        let home = current.home(cs);
        let home = home.filter(|home| home.knows_deadlines() && home.direct().is_some());
        let done = home.and_then(|home| {
            let own = home.standing(&View::<S>::new(cs), current);
            self.obtain_raised_from(cs, current, own)
        });
        match done {
            Some(done) => done,
            None => slow_path(self.lock_by_tables(held, timeout)),
        }
    }

    /// [`ClusterMutex::lock`] of a busy one, or one that raises a thread of a watched instance.
    #[inline(never)]
    fn lock_by_tables(&'static self, held: Held<S>, timeout: Timeout) -> Result<(), Error> {
        let cs = held.section();
        let spinner = match self.protocol {
            ClusterProtocol::MrsP(_) => Kernel::<S>::spinner(cs, held.running().current(cs)),
            _ => None,
        };
        let answer = held.enter::<Obtain<S>>(self, 0, timeout);
        answer.into_result::<S>()?;
        match spinner {
            Some(spinner) if answer.value == SPINS => Self::spin(spinner),
            _ => Ok(()),
        }
    }

    /// Gives `current`, which runs, the mutex, if it is free and has no ceiling; whether it did.
    #[inline(always)]
    fn obtain_plain(&self, cs: CriticalSection<'_>, current: ThreadRef) -> bool {
        let (Made::As(lock), Some(home)) = (self.made.get(cs), current.home(cs)) else {
            return false;
        };
        let (row, instance) = (current.row_or_none(cs), home.instance());
        S::smp().with_home(cs, home, |scheduler| {
            scheduler.system_mut().obtain_plain(lock, row, instance)
        })
    }

    /// Gives `current`, which runs, the mutex, if it is free, has a ceiling, and the thread's
    /// instance is not watched, where priorities alone count; none where another way is to be
    /// tried.
    #[inline(always)]
    fn obtain_raised(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> Option<Result<(), Error>> {
        let own = current.urgency.get(cs).effective();
        let ask = |system: &mut smp::System<'static>, lock, row, instance| {
            system.obtain_raised(lock, row, instance, own)
        };
        self.obtain_raised_or(cs, current, ask, |_, _| false)
    }

    /// [`ClusterMutex::obtain_raised`] if other things may count, or the home is watched: `current`
    /// is as urgent at home as `own` says, and may be preempted when it is raised.
    #[inline(never)]
    fn obtain_raised_from(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        own: Level,
    ) -> Option<Result<(), Error>> {
        let ask = |system: &mut smp::System<'static>, lock, row, instance| {
            system.obtain_raised_from(lock, row, instance, own)
        };
        self.obtain_raised_or(cs, current, ask, |_, to| {
            let urgency = current.urgency.get(cs);
            if to.beats(urgency.effective()) {
                let new = urgency.with_effective(to);
                S::kernel().change_urgency(cs, current, new, Place::Last);
            }
            true
        })
    }

    /// Both of these: where no decider raises the thread, `raise` does, or says that it cannot.
    #[inline(always)]
    fn obtain_raised_or(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        ask: impl FnOnce(&mut smp::System<'static>, Lock, smp::Thread, Instance) -> Alone,
        raise: impl FnOnce(&'static Home, Priority) -> bool,
    ) -> Option<Result<(), Error>> {
        let (Made::Raising(lock), home) = (self.made.get(cs), current.home(cs)?) else {
            return None;
        };
        let (row, instance) = (current.row_or_none(cs), home.instance());
        let urgency = current.urgency.get(cs);
        let alone = S::smp().with_home(cs, home, |scheduler| {
            ask(scheduler.system_mut(), lock, row, instance)
        });
        match alone {
            Alone::Raised(to) => {
                let set = || current.urgency.set(cs, urgency.with_effective(to));
                let view = View::<S>::new(cs);
                if !home.raise(&view, current, to, set, Place::Last) && !raise(home, to) {
                    S::smp().with_home(cs, home, |scheduler| {
                        scheduler.system_mut().surrender_raised(lock, row)
                    });
                    return None;
                }
                self.lender.lend_to(cs, current, to);
                Some(Ok(()))
            }
            Alone::Refused => Some(Err(Error::Ceiling)),
            Alone::Ask => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn spin(spinner: &Spinner) -> Result<(), Error> {
        loop {
            // Without the kernel's lock, which the owner needs to give this one up.
            while !spinner.is_over.load(Ordering::Acquire) {
                S::Machine::pause();
            }
            if let Some(outcome) = Kernel::<S>::outcome_of_wait() {
                return match outcome {
                    Outcome::Granted => Ok(()),
                    Outcome::Timeout => Err(Error::Timeout),
                    Outcome::Flushed => Err(Error::Cancelled),
                };
            }
        }
    }

    /// Unlocks the mutex; the next waiter owns it then. Bound: a fixed number of steps for one that
    /// has had no waiter since it was locked, if it was locked last, else that of the scheduling
    /// library's `smp::System::surrender`. Errors: `NotOwner`, `Deleted`; `Context` in an interrupt
    /// handler.
    pub fn unlock(&'static self) -> Result<(), Error> {
        // An owner that is no longer the heir gives the mutex back all the same, if no thread's
        // turn depends on it.
        let held = Held::<S>::mask();
        let (cs, current) = (held.section(), held.running().current(held.section()));
        if let (Made::As(lock), Some(home)) = (self.made.get(cs), current.home(cs))
            && !S::Machine::in_interrupt()
        {
            let row = current.row_or_none(cs);
            let is_free = S::smp().with_home(cs, home, |scheduler| {
                scheduler.system_mut().surrender_plain(lock, row)
            });
            if is_free {
                return Ok(());
            }
        }
        slow_path(self.unlock_raised(held))
    }

    /// [`ClusterMutex::unlock`] of one that has a ceiling, or that a thread waits for.
    #[inline(never)]
    fn unlock_raised(&'static self, held: Held<S>) -> Result<(), Error> {
        let held = finish_hold(held);
        let (cs, current) = (held.section(), held.running().current(held.section()));
        if let (Made::Raising(lock), Some(home)) = (self.made.get(cs), current.home(cs))
            && !S::Machine::in_interrupt()
        {
            let row = current.row_or_none(cs);
            let is_free = S::smp().with_home(cs, home, |scheduler| {
                scheduler.system_mut().surrender_raised(lock, row)
            });
            if is_free {
                self.lender.take_from(cs, current);
                S::kernel().lose_ceiling(cs, current, || true);
                release(held);
                return Ok(());
            }
        }
        let made = self.made.get(cs);
        if let (Made::As(lock) | Made::Raising(lock), Some(row)) = (made, current.row(cs))
            && !S::Machine::in_interrupt()
            && S::kernel().surrender_apart(cs, lock, current, row, matches!(made, Made::Raising(_)))
        {
            release(held);
            return Ok(());
        }
        slow_path(self.unlock_by_tables(held))
    }

    /// [`ClusterMutex::unlock`] of a mutex with an owner that inherits.
    #[inline(never)]
    fn unlock_by_tables(&'static self, held: Held<S>) -> Result<(), Error> {
        held.enter::<Surrender<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Sets the ceiling for the threads of `instance`; the owner's priority follows under an
    /// immediate ceiling, not under MrsP. Errors: `State` before the first lock; `Deleted`;
    /// `Parameter` where the protocol has no ceiling there, or for [`Priority::IDLE`];
    /// `Context` in an interrupt handler.
    pub fn set_ceiling(&'static self, instance: Instance, ceiling: Priority) -> Result<(), Error> {
        if ceiling >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        let words = instance.index() << 8 | usize::from(ceiling.level());
        hold::<S>()
            .enter::<SetCeiling<S>>(self, words, Timeout::NONE)
            .into_result::<S>()
    }

    /// Ends the waits of all threads for the mutex: their calls fail with `Cancelled`; the owner
    /// keeps it. Bound: that of a time-out for each waiter. Errors: `State` before the first lock;
    /// `Deleted`; `Parameter` under MrsP, since its waiters execute; `Context` in an interrupt
    /// handler.
    pub fn flush(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Flush<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Makes the mutex known to the scheduler, as the caller's: it need not be locked first to be
    /// given ceilings. Errors: `State` if it is already; `NoMemory`; `Deleted`; `Context` in an
    /// interrupt handler.
    pub fn make(&'static self) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let held = hold::<S>();
        let cs = held.section();
        match self.made.get(cs) {
            Made::NotYet => self.row(cs, Kernel::<S>::running().current(cs)).map(|_| ()),
            Made::As(_) | Made::Raising(_) => Err(Error::State),
            Made::Deleted => Err(Error::Deleted),
        }
    }

    /// Deletes the mutex; it gives its row back, and can be used no more until
    /// [`ClusterMutex::renew`]. Errors: `InUse` while a thread owns it, `Deleted` if it is
    /// already.
    pub fn delete(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        match self.made.get(cs) {
            Made::Deleted => return Err(Error::Deleted),
            Made::NotYet => {}
            Made::As(lock) | Made::Raising(lock) => {
                Kernel::<S>::ask_library(cs, |system| system.delete_lock(lock))?;
                S::smp().set_lender(cs, lock, None);
            }
        }
        self.made.set(cs, Made::Deleted);
        Ok(())
    }

    /// Makes a deleted mutex free and usable again. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !matches!(self.made.get(cs), Made::Deleted) {
            return Err(Error::State);
        }
        self.made.set(cs, Made::NotYet);
        Ok(())
    }

    /// Returns the scheduler's row of the mutex; none before it is made, and when it is deleted.
    /// For tests and tools, in addition to [`Kernel::look`]. Bound: fixed.
    pub fn scheduler_row(&'static self) -> Option<Lock> {
        let held = hold::<S>();
        match self.made.get(held.section()) {
            Made::As(lock) | Made::Raising(lock) => Some(lock),
            Made::NotYet | Made::Deleted => None,
        }
    }

    /// Returns the library's lock, which exists once a thread has used the mutex.
    fn made(&self, cs: CriticalSection<'_>) -> Result<Lock, Error> {
        match self.made.get(cs) {
            Made::As(lock) | Made::Raising(lock) => Ok(lock),
            Made::NotYet => Err(Error::State),
            Made::Deleted => Err(Error::Deleted),
        }
    }

    /// The library's lock, made at the first use by `creator`.
    fn row(&'static self, cs: CriticalSection, creator: ThreadRef) -> Result<Lock, Error> {
        match self.made.get(cs) {
            Made::As(lock) | Made::Raising(lock) => Ok(lock),
            Made::Deleted => Err(Error::Deleted),
            Made::NotYet => {
                let (protocol, ceiling) = self.protocol.of_library();
                let creator = creator.row(cs).ok_or(Error::Context)?;
                let lock = Kernel::<S>::ask_library(cs, |system| {
                    system.create_lock(protocol, creator, ceiling, false)
                })?;
                self.made.set(
                    cs,
                    match ceiling {
                        None => Made::As(lock),
                        Some(_) => Made::Raising(lock),
                    },
                );
                S::smp().set_lender(cs, lock, Some(&self.lender));
                Ok(lock)
            }
        }
    }
}

impl<S: System> Kernel<S> {
    fn ask_library<R>(
        cs: CriticalSection<'_>,
        question: impl FnOnce(&mut smp::System<'static>) -> Result<R, smp::Error>,
    ) -> Result<R, Error> {
        let answer = S::smp().ask(cs, question);
        S::smp().with(cs, |scheduler| scheduler.watch_homes(&View::<S>::new(cs)));
        answer.ok_or(Error::Context)?.map_err(error_of)
    }

    /// Ends the call of `current`, which has the row `row`, if its lock is
    /// [apart](smp::System::obtain_apart). Returns none if it is not, or not yet.
    #[inline(always)]
    fn obtain_apart(
        cs: CriticalSection<'_>,
        lock: Lock,
        (current, row): (ThreadRef, smp::Thread),
        timeout: Timeout,
    ) -> Option<Result<OutcomeOf<S>, Error>> {
        let apart = S::smp().with(cs, |scheduler| {
            scheduler.obtain_apart(&View::<S>::new(cs), lock, current, !timeout.is_none())
        });
        Some(apart??.map_err(error_of).map(|obtained| match obtained {
            Obtained::Waiting => {
                current.set_value(cs, 0);
                S::kernel().block(cs, current, Wait::LOCK, timeout)
            }
            Obtained::Spinning => {
                S::smp().begin_spin(cs, current, row);
                Self::begins_to_spin(cs, current, timeout)
            }
            Obtained::Owned => Self::conclude_several(cs, Status::OK, 0),
        }))
    }

    /// [`Kernel::obtain_apart`] after
    /// [`Router::reach_lock`](taktos_schedule::smp::seats::Router::reach_lock), by which
    /// the caller's own locks may count since.
    #[cold]
    #[inline(never)]
    fn obtain_apart_again(
        cs: CriticalSection<'_>,
        lock: Lock,
        caller: (ThreadRef, smp::Thread),
        timeout: Timeout,
    ) -> Option<Result<OutcomeOf<S>, Error>> {
        Self::obtain_apart(cs, lock, caller, timeout)
    }

    /// The call of `current`, which spins from now on, ends so.
    fn begins_to_spin(
        cs: CriticalSection<'_>,
        current: ThreadRef,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if let Some(spinner) = Self::spinner(cs, current) {
            spinner.is_over.store(false, Ordering::Relaxed);
        }
        // The owner may run in its place: then it cannot look at the clock itself.
        if !timeout.is_forever() {
            S::kernel().start_timeout(cs, current, timeout);
        }
        Self::conclude_several(cs, Status::OK, SPINS)
    }

    /// Returns the record that `thread` reads while it spins; none if it has no row.
    fn spinner(cs: CriticalSection<'_>, thread: ThreadRef) -> Option<&'static Spinner> {
        S::smp().spinners.get(cs).get(thread.row(cs)?.index())
    }

    /// How the running thread's spinning for a lock ended; none while it lasts.
    fn outcome_of_wait() -> Option<Outcome> {
        let held = hold::<S>();
        let cs = held.section();
        let current = Self::running().current(cs);
        let row = current.row(cs)?;
        let outcome = S::smp().with(cs, |scheduler| scheduler.system().outcome(row));
        let outcome = outcome?.ok()??;
        S::kernel().stop_timeout(cs, current);
        Some(outcome)
    }

    /// Ends what the library knows of the spinning of `thread` for a lock, if it spins for one:
    /// then its home is watched.
    #[inline(always)]
    pub(crate) fn stop_spinning(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.decider(cs).is_none() {
            self.leave_lock(cs, thread);
        }
    }

    /// `thread` waits for a lock no longer, if it did; another one than the library wakes it.
    #[inline(never)]
    pub(crate) fn leave_lock(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let Some(row) = thread.row(cs) else { return };
        let several = S::smp();
        let spins = several.spin_of(cs, row);
        several.end_spin(cs, thread, row);
        if spins == Some(Spin::Counts) {
            // Before the tables let it fall: they raise it, too.
            several.note_loan(cs, thread);
        }
        several.together(cs, || {
            let _ = Self::ask_library(cs, |system| system.time_out(row));
            several.settle(cs);
            if spins == Some(Spin::Seated) {
                self.deserve(cs, thread, Place::First);
            }
        });
    }

    /// Gives `thread` the effective priority that it deserves, if it has another one; what it may
    /// wait for does not depend on that.
    fn deserve(&self, cs: CriticalSection<'_>, thread: ThreadRef, place: Place) {
        let (urgency, own) = (thread.urgency.get(cs), deserved(cs, thread));
        if urgency.effective() != own {
            self.change_urgency(cs, thread, urgency.with_effective(own), place);
        }
    }

    /// The effective priority of `thread`, which waits for a lock, has changed.
    #[inline(never)]
    pub(crate) fn requeue_for_lock(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let view = View::<S>::new(cs);
        let done = S::smp().with(cs, |scheduler| {
            scheduler.waiter_changed_apart(&view, thread)
        });
        if done != Some(true) {
            S::smp().with(cs, |scheduler| scheduler.waiter_changed(&view, thread));
        }
    }

    /// `thread`, which ends, waits for no cluster mutex any more, and unlocks all that it owns.
    #[inline(always)]
    pub(crate) fn give_up_locks(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.decider(cs).is_none() {
            return self.give_up_watched(cs, thread);
        }
        if let Some(row) = Self::row_of_owner(cs, thread) {
            self.release_cluster_mutexes(cs, thread, row);
        }
    }

    /// [`Kernel::give_up_locks`] where seats may be lent.
    #[inline(never)]
    fn give_up_watched(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        S::smp().together(cs, || {
            self.leave_lock(cs, thread);
            if let Some(row) = Self::row_of_owner(cs, thread) {
                self.release_cluster_mutexes(cs, thread, row);
            }
        });
    }

    /// The row of `thread`, if it owns cluster mutexes.
    #[inline(always)]
    fn row_of_owner(cs: CriticalSection<'_>, thread: ThreadRef) -> Option<smp::Thread> {
        let row = thread.row(cs)?;
        let owns = |scheduler: &mut super::Scheduler| scheduler.system().owns_any(row);
        (S::smp().with(cs, owns) == Some(true)).then_some(row)
    }

    /// Unlocks all cluster mutexes that `thread`, with the row `row`, owns.
    #[inline(never)]
    fn release_cluster_mutexes(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        row: smp::Thread,
    ) {
        let owns = |lock| Self::ask_library(cs, |system| system.owner(lock)) == Ok(Some(row));
        S::smp().together(cs, || {
            for lock in (0..S::smp().lenders.get(cs).len()).filter_map(Lock::new) {
                while owns(lock) && self.surrender(cs, lock, thread, row).is_ok() {}
            }
        });
    }

    /// [`Kernel::surrender`] of one that does not count, and may raise its owner: whether it is
    /// done.
    #[inline(never)]
    fn surrender_apart(
        &'static self,
        cs: CriticalSection<'_>,
        lock: Lock,
        thread: ThreadRef,
        owner: smp::Thread,
        raises: bool,
    ) -> bool {
        let several = S::smp();
        let ended = match raises {
            true => several.ended_loan(cs, lock, owner),
            false => None,
        };
        let light = ended.filter(|ownership| ownership.is_light);
        let loan = light.and_then(|light| Some((several.lender(cs, lock)?, light.raised?)));
        let passed = several.with(cs, |scheduler| {
            match scheduler.surrender_apart(&View::<S>::new(cs), lock, owner) {
                None if scheduler.system_mut().surrender_raised(lock, owner) => Some((None, false)),
                passed => passed,
            }
        });
        let Some((next, counts)) = passed.flatten() else {
            return false;
        };
        if let Some((lender, _)) = loan {
            lender.take_from(cs, thread);
            // The thread that releases it waits for no other thread.
            self.deserve(cs, thread, Place::First);
        }
        if let Some(next) = next.filter(|_| counts) {
            several.with(cs, |scheduler| {
                scheduler.count_waits(&View::<S>::new(cs), next);
                scheduler.settle(&View::<S>::new(cs));
            });
        }
        if let Some(row) = next
            && let Some(next) = several.thread(cs, row)
        {
            if next.wait.get(cs) == Wait::NOTHING {
                several.pass_loan(cs, lock, next, row);
                several.settle(cs);
                return true;
            }
            if let Some((lender, ceiling)) = loan {
                let ceiling = Priority::from_stored(ceiling.0 as u8);
                lender.lend_to(cs, next, ceiling);
                // It is in no queue but the lock's, and has left that: nothing else follows.
                let urgency = next.urgency.get(cs);
                let raised = urgency.effective().or_urgent(ceiling);
                next.urgency.set(cs, urgency.with_effective(raised));
                Self::try_again(cs, next);
            }
            self.wake(cs, next);
        }
        true
    }

    /// The priority of `thread`, which waits, has changed, by a ceiling: under weak affinity others
    /// at its home are tried again by that.
    #[inline(always)]
    fn try_again(cs: CriticalSection<'_>, thread: ThreadRef) {
        let Some(home) = thread.home(cs).filter(|home| home.tries_again()) else {
            return;
        };
        match home.direct() {
            Some(decider) => decider.waiting_has_changed(&View::<S>::new(cs)),
            None => {
                let own = level(thread.urgency.get(cs).effective());
                let act = Act::Change(own, Place::Last);
                S::smp().act(cs, thread, act, &|| {});
            }
        }
    }

    /// Releases `lock` of `thread`, with the row `owner`, once, and wakes the thread that has it
    /// then, unless that one spins.
    fn surrender(
        &'static self,
        cs: CriticalSection<'_>,
        lock: Lock,
        thread: ThreadRef,
        owner: smp::Thread,
    ) -> Result<(), Error> {
        if self.surrender_apart(cs, lock, thread, owner, true) {
            return Ok(());
        }
        S::smp().together(cs, || self.surrender_counted(cs, lock, thread, owner))
    }

    /// [`Kernel::surrender`] of one that counts.
    fn surrender_counted(
        &'static self,
        cs: CriticalSection<'_>,
        lock: Lock,
        thread: ThreadRef,
        owner: smp::Thread,
    ) -> Result<(), Error> {
        let several = S::smp();
        if several.ended_loan(cs, lock, owner).is_some()
            && let Some(lender) = several.lender(cs, lock)
        {
            lender.take_from(cs, thread);
            self.deserve(cs, thread, Place::First);
        }
        let next = Self::ask_library(cs, |system| system.surrender(lock, owner))?;
        several.settle(cs);
        if let Some(row) = next
            && let Some(next) = several.thread(cs, row)
        {
            if next.wait.get(cs) != Wait::NOTHING {
                several.begin_loan(cs, lock);
                Self::try_again(cs, next);
                self.wake(cs, next);
            } else {
                several.pass_loan(cs, lock, next, row);
                several.note_loan(cs, next);
                several.settle(cs);
            }
        }
        Ok(())
    }
}

impl<S: System> super::Smp<S> {
    /// The lender of the ceiling of `lock`.
    fn lender(&self, cs: CriticalSection<'_>, lock: Lock) -> Option<&'static MutexCore> {
        self.lenders.get(cs).get(lock.index())?.get(cs)
    }

    /// Raises `thread`, which spins for a lock with a seated owner, to its ceiling while it spins.
    fn begin_spin(&self, cs: CriticalSection<'_>, thread: ThreadRef, row: smp::Thread) {
        let ceiling = self.with(cs, |scheduler| scheduler.system().spun_at(row));
        if let Some(ceiling) = ceiling.flatten()
            && let Some(spinner) = self.spinners.get(cs).get(row.index())
        {
            let ceiling = Priority::from_stored(ceiling.0 as u8);
            spinner.lender.lend_to(cs, thread, ceiling);
            let urgency = thread.urgency.get(cs);
            if ceiling.beats(urgency.effective()) {
                // Its home is watched for it.
                let set = || thread.urgency.set(cs, urgency.with_effective(ceiling));
                let act = Act::Change(level(ceiling), Place::Last);
                self.act(cs, thread, act, &set);
            }
        }
    }

    /// The ceiling at which `thread` may spin is lent to it no longer; its effective priority is as
    /// before. If it spins, it looks what became of its wait.
    fn end_spin(&self, cs: CriticalSection<'_>, thread: ThreadRef, row: smp::Thread) {
        if let Some(spinner) = self.spinners.get(cs).get(row.index()) {
            spinner.lender.take_from(cs, thread);
            spinner.is_over.store(true, Ordering::Release);
        }
    }

    /// `lock` belongs to `thread`, which spun for it: the lock's ceiling is lent to it in the place
    /// of the one at which it spun, which is no other.
    fn pass_loan(&self, cs: CriticalSection<'_>, lock: Lock, thread: ThreadRef, row: smp::Thread) {
        self.end_spin(cs, thread, row);
        if let Some((_, ceiling)) = self.loan(cs, lock)
            && let Some(lender) = self.lender(cs, lock)
        {
            lender.lend_to(cs, thread, ceiling);
        }
    }

    /// How the thread of `row` spins for a lock; none if it does not.
    fn spin_of(&self, cs: CriticalSection<'_>, row: smp::Thread) -> Option<Spin> {
        self.with(cs, |scheduler| {
            let system = scheduler.system();
            let counts = system.spins(row).then_some(Spin::Counts);
            system.spun_at(row).map(|_| Spin::Seated).or(counts)
        })?
    }

    /// [`View::inherit`](taktos_schedule::smp::seats::World::inherit): `thread` is ready, or waits
    /// for a lock.
    pub(super) fn inherit(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        priority: Option<smp::Priority>,
    ) {
        let Some(record) = self.spinners.get(cs).get(thread.row_index(cs)) else {
            return;
        };
        if record.inherits.get(cs) {
            record.heir.take_from(cs, thread);
        }
        record.inherits.set(cs, priority.is_some());
        if let Some(priority) = priority {
            let priority = Priority::from_stored(priority.0 as u8);
            record.heir.lend_to(cs, thread, priority);
        }
        let urgency = thread.urgency.get(cs);
        let effective = deserved(cs, thread);
        thread.urgency.set(cs, urgency.with_effective(effective));
    }

    /// Returns the priority of `thread`, but for what it inherits from waiters at home for its
    /// locks.
    pub(super) fn own_number(&self, cs: CriticalSection<'_>, thread: ThreadRef) -> smp::Priority {
        let record = self.spinners.get(cs).get(thread.row_index(cs));
        let inherits = record.filter(|record| record.inherits.get(cs));
        let Some(record) = inherits else {
            return level(thread.urgency.get(cs).effective());
        };
        let lent = record.heir.lends(cs);
        record.heir.take_from(cs, thread);
        let own = level(deserved(cs, thread));
        record.heir.lend_to(cs, thread, lent);
        own
    }

    fn set_lender(&self, cs: CriticalSection<'_>, lock: Lock, lender: Option<&'static MutexCore>) {
        if let Some(place) = self.lenders.get(cs).get(lock.index()) {
            place.set(cs, lender);
        }
    }

    /// How urgent `thread`, which runs, is at home.
    fn standing(&self, cs: CriticalSection<'_>, thread: ThreadRef) -> Option<Level> {
        let home = thread.home(cs)?;
        Some(home.standing(&View::<S>::new(cs), thread))
    }

    /// The owner of `lock`, and to what it is raised by it; none where the lock is free or has no
    /// ceiling.
    fn loan(&self, cs: CriticalSection<'_>, lock: Lock) -> Option<(ThreadRef, Priority)> {
        let ownership = self.with(cs, |scheduler| scheduler.system().ownership(lock))??;
        let raised = Priority::from_stored(ownership.raised?.0 as u8);
        Some((self.thread(cs, ownership.owner)?, raised))
    }

    /// The ownership of `lock`, if it has a ceiling, and `owner` owns it and is about to give it up
    /// for the last time.
    fn ended_loan(
        &self,
        cs: CriticalSection<'_>,
        lock: Lock,
        owner: smp::Thread,
    ) -> Option<Ownership> {
        let ownership = self.with(cs, |scheduler| scheduler.system().ownership(lock));
        ownership.flatten().filter(|ownership| {
            ownership.owner == owner && ownership.is_last && ownership.raised.is_some()
        })
    }

    /// The owner of `lock` is another one by the tables: its effective priority includes the
    /// ceiling.
    fn begin_loan(&self, cs: CriticalSection<'_>, lock: Lock) {
        if let Some((owner, ceiling)) = self.loan(cs, lock)
            && let Some(lender) = self.lender(cs, lock)
        {
            lender.lend_to(cs, owner, ceiling);
            self.note_loan(cs, owner);
        }
    }

    /// The ceilings that are lent to `thread` have changed; or will in its row, so that moves it
    /// nowhere.
    fn note_loan(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let priority = deserved(cs, thread);
        let urgency = thread.urgency.get(cs);
        thread.urgency.set(cs, urgency.with_effective(priority));
    }
}

/// Defines a decision about a cluster mutex by the running thread.
macro_rules! decision {
    ($name:ident, $object:ty, $body:expr) => {
        struct $name<S>(PhantomData<S>);

        impl<S: System> Operation<S> for $name<S> {
            type Object = $object;
            const BLOCKS: bool = true;

            fn run(
                cs: CriticalSection<'_>,
                object: &'static $object,
                words: usize,
                timeout: Timeout,
            ) -> OutcomeOf<S> {
                let current = Kernel::<S>::running().current(cs);
                let body: fn(
                    CriticalSection<'_>,
                    ThreadRef,
                    &'static $object,
                    usize,
                    Timeout,
                ) -> Result<OutcomeOf<S>, Error> = $body;
                match body(cs, current, object, words, timeout) {
                    Ok(outcome) => outcome,
                    Err(error) => fail::<S>(error),
                }
            }
        }
    };
}

decision!(Obtain, ClusterMutex<S>, |cs, current, mutex, _, timeout| {
    let lock = mutex.row(cs, current)?;
    let row = current.row(cs).ok_or(Error::Context)?;
    let waits = !timeout.is_none();
    if let Some(done) = Kernel::<S>::obtain_apart(cs, lock, (current, row), timeout) {
        return done;
    }
    let owner = S::smp().with(cs, |scheduler| scheduler.system().owner(lock));
    let is_free = owner == Some(Ok(None));
    if is_free {
        let done = match mutex.obtain_plain(cs, current) {
            true => Some(Ok(())),
            false => {
                let own = S::smp().standing(cs, current);
                own.and_then(|own| mutex.obtain_raised_from(cs, current, own))
            }
        };
        if let Some(done) = done {
            return done.map(|()| Kernel::<S>::conclude_several(cs, Status::OK, 0));
        }
    }
    S::smp().reach_lock(cs, lock, current, waits);
    // A lock with an owner that is helped counts by now, and is apart no more.
    if matches!(
        mutex.protocol,
        ClusterProtocol::None | ClusterProtocol::Ceiling(_)
    ) && let Some(done) = Kernel::<S>::obtain_apart_again(cs, lock, (current, row), timeout)
    {
        return done;
    }
    let obtained = Kernel::<S>::ask_library(cs, |system| system.obtain(lock, row, waits))?;
    Ok(match obtained {
        Obtained::Owned => Kernel::<S>::conclude_several(cs, Status::OK, 0),
        Obtained::Spinning => {
            S::smp().together(cs, || {
                S::smp().begin_spin(cs, current, row);
                S::smp().settle(cs);
            });
            Kernel::<S>::begins_to_spin(cs, current, timeout)
        }
        Obtained::Waiting => {
            current.set_value(cs, 0);
            S::kernel().block(cs, current, Wait::LOCK, timeout)
        }
    })
});

decision!(Surrender, ClusterMutex<S>, |cs, current, mutex, _, _| {
    let row = current.row(cs).ok_or(Error::Context)?;
    match mutex.made.get(cs) {
        Made::Deleted => return Err(Error::Deleted),
        Made::NotYet => return Err(Error::NotOwner),
        Made::As(lock) | Made::Raising(lock) => S::kernel().surrender(cs, lock, current, row)?,
    }
    Ok(Kernel::<S>::conclude_several(cs, Status::OK, 0))
});

decision!(SetCeiling, ClusterMutex<S>, |cs, _, mutex, words, _| {
    let instance = Instance::new(words >> 8).ok_or(Error::Parameter)?;
    let ceiling = level(Priority::from_stored(words as u8));
    let lock = mutex.made(cs)?;
    let loan = S::smp().loan(cs, lock);
    if let Some((owner, _)) = loan {
        S::smp().look_up(cs, owner);
    }
    Kernel::<S>::ask_library(cs, |system| system.set_ceiling(lock, instance, ceiling))?;
    if let Some((owner, lent)) = S::smp().loan(cs, lock).filter(|_| loan.is_some()) {
        mutex.lender.set_ceiling(cs, lent);
        S::kernel().recompute_priority(cs, owner, Place::Last);
    }
    S::smp().settle(cs);
    Ok(Kernel::<S>::conclude_several(cs, Status::OK, 0))
});

decision!(Flush, ClusterMutex<S>, |cs, _, mutex, _, _| {
    let lock = mutex.made(cs)?;
    let first = |cs| Kernel::<S>::ask_library(cs, |system| system.flush_first(lock));
    S::smp().together(cs, || {
        while let Some(row) = first(cs)? {
            S::smp().settle(cs);
            if let Some(thread) = S::smp().thread(cs, row) {
                S::kernel().wake_with(cs, thread, Error::Cancelled);
            }
        }
        Ok::<(), Error>(())
    })?;
    Ok(Kernel::<S>::conclude_several(cs, Status::OK, 0))
});
