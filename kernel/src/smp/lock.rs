//! Owns: mutexes under the protocols for several processors. Must never know: how a protocol works.

use super::place::error_of;
use super::turn::level;
use super::{BLOCKED, View};
use crate::critical_section::{CriticalSection, Guarded, Held, Operation};
use crate::object::mutex::MutexCore;
use crate::sched::{IntoResult, OutcomeOf, fail, hold, hold_after, is_smp, release, slow_path};
use crate::thread::tcb::{Home, ThreadRef};
use crate::wait::Wait;
use crate::wait::inherit::{Place, deserved};
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_machine::Machine;
use taktos_schedule::smp::closed::Rows;
use taktos_schedule::smp::{self, Alone, Instance, Lock, Obtained, Outcome, Ownership};
use taktos_time::Instant;

/// How a [`ClusterMutex`] bounds the waiting of urgent threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClusterProtocol {
    /// Not at all.
    None,
    /// In each instance the owner has the priority of its most urgent waiter there, and runs there when it has lost its
    /// processor at home.
    Inheritance,
    /// The same with the queues of OMIP: at most 2m − 1 requests block one, with m processors.
    Omip,
    /// The owner has this priority. Only threads of the instance in which the mutex was first locked may lock it.
    Ceiling(Priority),
    /// The owner has its instance's ceiling; those who wait spin at theirs, and lend their processors to the owner. The ceiling
    /// is that of the instance in which the mutex is first locked; the others' are the most urgent priority until
    /// [`ClusterMutex::set_ceiling`].
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
    /// Nobody has locked it yet.
    NotYet,
    /// It has no ceiling.
    As(Lock),
    /// It has a ceiling.
    Raising(Lock),
    Deleted,
}

/// A mutex of threads in several scheduler instances. See [`ClusterProtocol`]; decision 0012 of the documentation says where the
/// protocols differ from their sources.
///
/// A waiter under [`ClusterProtocol::None`], or a ceiling where no deadlines count, waits as
/// for any object of the kernel's: nobody else's instance, nor its own, is concerned.
///
/// It takes one of the rows of locks of [`SmpMemory`](super::SmpMemory) when it is locked first.
/// Its owner may lock it again, but for MrsP. A thread that ends or is deleted unlocks what it
/// owns. An owner's ceiling is part of its effective priority: its wait in a queue of another
/// object goes by it, as by a [`Mutex`](crate::Mutex)'s, but not by what those who wait for a
/// cluster mutex lend it. An owner that blocks leaves its processor to others, whatever the
/// protocol.
pub struct ClusterMutex<S> {
    protocol: ClusterProtocol,
    made: Guarded<Made>,
    /// Lends the owner the ceiling, where the protocol has one.
    lender: MutexCore,
    system: PhantomData<fn() -> S>,
}

/// The value with which a thread comes back that is to spin.
const SPINS: usize = 1;
/// How often a spinning thread pauses before it looks again, which takes the kernel's lock.
const PAUSES: usize = 16;

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
    /// Bounds: a fixed number of steps for a mutex that is free where no deadlines count, else
    /// those of the scheduling library's
    /// `smp::System::obtain`. Errors: `Timeout`, `WouldBlock`, `Deleted`; `State` where the wait
    /// would close a ring of waiting threads, or the caller owns it under MrsP; `Ceiling` where the
    /// caller is more urgent than the ceiling; `Parameter` in another instance than an immediate
    /// ceiling's; `NoMemory` where all rows of locks are used; `Cancelled`; `Context` in an
    /// interrupt handler.
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
            None => slow_path(self.lock_by_tables(held, timeout)),
        }
    }

    /// [`ClusterMutex::lock`] of a busy one, or one that raises a thread whose instance is open.
    #[inline(never)]
    fn lock_by_tables(&'static self, held: Held<S>, timeout: Timeout) -> Result<(), Error> {
        let answer = held.enter::<Obtain<S>>(self, 0, timeout);
        answer.into_result::<S>()?;
        if answer.value == SPINS {
            return Self::spin();
        }
        Ok(())
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
    /// instance is closed; none where the tables are to be asked.
    #[inline(always)]
    fn obtain_raised(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> Option<Result<(), Error>> {
        let own = current.urgency.get(cs).effective();
        self.obtain_raised_or(cs, current, own, |_, _| false)
    }

    /// [`ClusterMutex::obtain_raised`] where the thread's instance may be open.
    #[inline(never)]
    fn obtain_raised_anywhere(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> Option<Result<(), Error>> {
        let own = S::smp().priority(cs, current)?;
        self.obtain_raised_or(cs, current, own, |home, to| {
            let is_apart = matches!(self.protocol, ClusterProtocol::Ceiling(_));
            let raises = is_apart && home.may_raise();
            let urgency = current.urgency.get(cs);
            if raises && to.beats(urgency.effective()) {
                let new = urgency.with_effective(to);
                S::kernel().change_urgency(cs, current, new, Place::Last);
            }
            raises
        })
    }

    /// Both of these: where no decider raises the thread, `raise` does, or says that it cannot.
    #[inline(always)]
    fn obtain_raised_or(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        own: Priority,
        raise: impl FnOnce(&'static Home, Priority) -> bool,
    ) -> Option<Result<(), Error>> {
        let (Made::Raising(lock), home) = (self.made.get(cs), current.home(cs)?) else {
            return None;
        };
        let (row, instance) = (current.row_or_none(cs), home.instance());
        let urgency = current.urgency.get(cs);
        let alone = S::smp().with_home(cs, home, |scheduler| {
            let system = scheduler.system_mut();
            system.obtain_raised(lock, row, instance, own)
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
    fn spin() -> Result<(), Error> {
        loop {
            if let Some(outcome) = Kernel::<S>::outcome_of_wait() {
                return match outcome {
                    Outcome::Granted => Ok(()),
                    Outcome::Timeout => Err(Error::Timeout),
                    Outcome::Flushed => Err(Error::Cancelled),
                };
            }
            for _ in 0..PAUSES {
                core::hint::spin_loop();
            }
        }
    }

    /// Unlocks the mutex; who is next owns it then. Bound: a fixed number of steps for one that
    /// nobody waited for since it was locked, if it was locked last, else that of the scheduling
    /// library's `smp::System::surrender`. Errors: `NotOwner`, `Deleted`; `Context` in an interrupt
    /// handler.
    pub fn unlock(&'static self) -> Result<(), Error> {
        // An owner who should have given way gives the mutex back all the same, if nobody's turn
        // depends on it.
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

    /// [`ClusterMutex::unlock`] of one that has a ceiling, or that somebody waits for.
    #[inline(never)]
    fn unlock_raised(&'static self, held: Held<S>) -> Result<(), Error> {
        let held = hold_after(held);
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
        if let (Made::As(lock) | Made::Raising(lock), Some(row)) =
            (self.made.get(cs), current.row(cs))
            && !S::Machine::in_interrupt()
            && S::kernel().surrender_apart(cs, lock, current, row)
        {
            release(held);
            return Ok(());
        }
        slow_path(self.unlock_by_tables(held))
    }

    /// [`ClusterMutex::unlock`] of one whose owner inherits.
    #[inline(never)]
    fn unlock_by_tables(&'static self, held: Held<S>) -> Result<(), Error> {
        held.enter::<Surrender<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Sets the ceiling for the threads of `instance`; the owner's priority follows under an immediate ceiling, not
    /// under MrsP. Errors: `State` before the first lock; `Deleted`; `Parameter` where the protocol has no ceiling there, or for
    /// [`Priority::IDLE`]; `Context` in an interrupt handler.
    pub fn set_ceiling(&'static self, instance: Instance, ceiling: Priority) -> Result<(), Error> {
        if ceiling >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        let words = instance.index() << 8 | usize::from(ceiling.level());
        hold::<S>()
            .enter::<SetCeiling<S>>(self, words, Timeout::NONE)
            .into_result::<S>()
    }

    /// Sends all who wait for the mutex away: their calls fail with `Cancelled`; the owner keeps it. Bound: that of a time-out for
    /// each waiter. Errors: `State` before the first lock; `Deleted`; `Parameter` under MrsP, whose waiters execute; `Context`
    /// in an interrupt handler.
    pub fn flush(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Flush<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Makes the mutex known to the scheduler, as the caller's: it need not be locked first to be given ceilings.
    /// Errors: `State` if it is already; `NoMemory`; `Deleted`; `Context` in an interrupt handler.
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

    /// Deletes the mutex; it gives its row back, and can be used no more until [`ClusterMutex::renew`].
    /// Errors: `InUse` while a thread owns it, `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        match self.made.get(cs) {
            Made::Deleted => return Err(Error::Deleted),
            Made::NotYet => {}
            Made::As(lock) | Made::Raising(lock) => {
                Kernel::<S>::ask_library(cs, |system, _, _| system.delete_lock(lock))?;
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

    /// What the scheduler calls the mutex; none before it is made, and when it is deleted. For tests and tools, beside
    /// [`Kernel::look`]. Bound: fixed.
    pub fn scheduler_row(&'static self) -> Option<Lock> {
        let held = hold::<S>();
        match self.made.get(held.section()) {
            Made::As(lock) | Made::Raising(lock) => Some(lock),
            Made::NotYet | Made::Deleted => None,
        }
    }

    /// The library's lock, which somebody has used.
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
                let lock = Kernel::<S>::ask_library(cs, |system, now, doings| {
                    system.create_lock(protocol, creator, ceiling, false, now, doings)
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
        question: impl FnOnce(
            &mut smp::System<'static>,
            Instant,
            &mut super::Noting<'_, '_, S>,
        ) -> Result<R, smp::Error>,
    ) -> Result<R, Error> {
        S::smp()
            .ask(cs, S::Machine::number(), question)
            .ok_or(Error::Context)?
            .map_err(error_of)
    }

    /// How the running thread's spinning for a lock ended; none while it lasts.
    fn outcome_of_wait() -> Option<Outcome> {
        let held = hold::<S>();
        let cs = held.section();
        let current = Self::running().current(cs);
        let row = current.row(cs)?;
        let outcome = Self::ask_library(cs, |system, _, _| system.outcome(row)).ok()??;
        S::kernel().stop_timeout(cs, current);
        Some(outcome)
    }

    /// Ends what the library knows of the spinning of `thread` for a lock, if it spins for one: then its instance is open.
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
        let _ = Self::ask_library(cs, |system, now, doings| system.time_out(row, now, doings));
    }

    /// The effective priority of `thread`, which waits for a lock, has changed.
    #[inline(never)]
    pub(crate) fn requeue_for_lock(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        S::smp().with(cs, |scheduler| {
            scheduler.waiter_changed(&View::<S>::new(cs), thread)
        });
    }

    /// Unlocks all cluster mutexes that `thread`, which ends, owns.
    pub(crate) fn surrender_all(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let Some(row) = thread.row(cs) else { return };
        if Self::ask_library(cs, |system, _, _| Ok(system.owns_any(row))) != Ok(true) {
            return;
        }
        for lock in (0..S::smp().lenders.get(cs).len()).filter_map(Lock::new) {
            let owns =
                |cs| Self::ask_library(cs, |system, _, _| system.owner(lock)) == Ok(Some(row));
            while owns(cs) {
                if self.surrender(cs, lock, thread, row).is_err() {
                    break;
                }
            }
        }
    }

    /// [`Kernel::surrender`] where no instance need be open for it: whether it is done.
    #[inline(never)]
    fn surrender_apart(
        &'static self,
        cs: CriticalSection<'_>,
        lock: Lock,
        thread: ThreadRef,
        owner: smp::Thread,
    ) -> bool {
        let several = S::smp();
        let ended = several.ended_loan(cs, lock, owner);
        let light = ended.filter(|ownership| ownership.is_light);
        let loan = light.and_then(|light| Some((several.lender(cs, lock)?, light.raised?)));
        if let Some((lender, _)) = loan {
            lender.take_from(cs, thread);
            // The thread that gives it up waits for nobody: nothing else follows.
            let (urgency, own) = (thread.urgency.get(cs), deserved(cs, thread));
            if urgency.effective() != own {
                self.change_urgency(cs, thread, urgency.with_effective(own), Place::First);
            }
        }
        let passed = several.with(cs, |scheduler| {
            let system = scheduler.system_mut();
            match system.surrender_apart(lock, owner) {
                None if system.surrender_raised(lock, owner) => Some(None),
                passed => passed,
            }
        });
        let Some(next) = passed.flatten() else {
            return false;
        };
        if let Some(next) = next.and_then(|row| several.thread(cs, row)) {
            if let Some((lender, ceiling)) = loan {
                let ceiling = Priority::from_stored(ceiling.0 as u8);
                lender.lend_to(cs, next, ceiling);
                // It stands in no queue but the lock's, and has left that: nothing else follows.
                let urgency = next.urgency.get(cs);
                let raised = urgency.effective().or_urgent(ceiling);
                next.urgency.set(cs, urgency.with_effective(raised));
            }
            self.wake(cs, next);
        }
        true
    }

    /// Gives `lock` of `thread`, whose row is `owner`, up once, and wakes who has it then, unless
    /// that one spins.
    fn surrender(
        &'static self,
        cs: CriticalSection<'_>,
        lock: Lock,
        thread: ThreadRef,
        owner: smp::Thread,
    ) -> Result<(), Error> {
        if self.surrender_apart(cs, lock, thread, owner) {
            return Ok(());
        }
        let several = S::smp();
        if several.ended_loan(cs, lock, owner).is_some()
            && let Some(lender) = several.lender(cs, lock)
        {
            lender.take_from(cs, thread);
            // Before the tables let others go first.
            several.note_loan(cs, thread, owner);
        }
        let next = Self::ask_library(cs, |system, now, doings| {
            system.surrender(lock, owner, now, doings)
        })?;
        if let Some(next) = next.and_then(|row| several.thread(cs, row)) {
            several.begin_loan(cs, lock);
            if next.wait.get(cs) != Wait::NOTHING {
                self.wake(cs, next);
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

    fn set_lender(&self, cs: CriticalSection<'_>, lock: Lock, lender: Option<&'static MutexCore>) {
        if let Some(place) = self.lenders.get(cs).get(lock.index()) {
            place.set(cs, lender);
        }
    }

    /// The priority by which `thread`, which runs, is scheduled at home: where that is open, it
    /// includes what those who wait for its locks lend it.
    fn priority(&self, cs: CriticalSection<'_>, thread: ThreadRef) -> Option<Priority> {
        if thread.decider(cs).is_some() {
            return Some(thread.urgency.get(cs).effective());
        }
        self.look_up(cs, thread, true);
        let row = thread.row(cs)?;
        let priority = self.with(cs, |scheduler| scheduler.system().priority(row))?;
        Some(Priority::from_stored(priority.ok()?.0 as u8))
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
            && let Some(row) = owner.row(cs)
        {
            lender.lend_to(cs, owner, ceiling);
            self.note_loan(cs, owner, row);
        }
    }

    /// The ceilings that are lent to `thread`, whose row is `row`, have changed; or will in the
    /// tables, which raise it as well: so that moves it nowhere.
    fn note_loan(&self, cs: CriticalSection<'_>, thread: ThreadRef, row: smp::Thread) {
        let priority = deserved(cs, thread);
        let urgency = thread.urgency.get(cs);
        thread.urgency.set(cs, urgency.with_effective(priority));
        self.with(cs, |scheduler| {
            scheduler.system_mut().note_own(row, level(priority));
        });
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
    let apart = S::smp().with(cs, |scheduler| {
        scheduler.obtain_apart(&View::<S>::new(cs), lock, current, waits)
    });
    if let Some(obtained) = apart.flatten() {
        return Ok(match obtained.map_err(error_of)? {
            Obtained::Waiting => {
                current.set_value(cs, 0);
                S::kernel().block(cs, current, Wait::LOCK, timeout)
            }
            Obtained::Owned | Obtained::Spinning => {
                Kernel::<S>::conclude_several(cs, Status::OK, 0)
            }
        });
    }
    let owner = S::smp().with(cs, |scheduler| scheduler.system().owner(lock));
    let is_free = owner == Some(Ok(None));
    if is_free {
        // Nobody else may have a reason any longer to have the tables decide; and the mutex may be new.
        if current.decider(cs).is_none() {
            S::smp().try_close(cs, current);
        }
        let done = match mutex.obtain_plain(cs, current) {
            true => Some(Ok(())),
            false => mutex.obtain_raised_anywhere(cs, current),
        };
        if let Some(done) = done {
            return done.map(|()| Kernel::<S>::conclude_several(cs, Status::OK, 0));
        }
    }
    S::smp().reach_lock(cs, lock, current, waits);
    let obtained = Kernel::<S>::ask_library(cs, |system, now, doings| {
        let obtained = system.obtain(lock, row, waits, now, doings)?;
        if obtained == Obtained::Waiting {
            system.block(row, BLOCKED, now, doings)?;
        }
        Ok(obtained)
    })?;
    Ok(match obtained {
        Obtained::Owned => {
            if is_free {
                S::smp().begin_loan(cs, lock);
            }
            Kernel::<S>::conclude_several(cs, Status::OK, 0)
        }
        Obtained::Spinning => {
            // The owner may run in its place: then it cannot look at the clock itself.
            if !timeout.is_forever() {
                S::kernel().start_timeout(cs, current, timeout);
            }
            Kernel::<S>::conclude_several(cs, Status::OK, SPINS)
        }
        Obtained::Waiting => {
            current.wait.set(cs, Wait::LOCK);
            current.set_value(cs, 0);
            if !timeout.is_forever() {
                S::kernel().start_timeout(cs, current, timeout);
            }
            S::kernel().go_on(cs, current)
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
        S::smp().look_up(cs, owner, View::<S>::new(cs).is_ready(owner));
    }
    Kernel::<S>::ask_library(cs, |system, now, doings| {
        system.set_ceiling(lock, instance, ceiling, now, doings)
    })?;
    if let Some((owner, lent)) = S::smp().loan(cs, lock).filter(|_| loan.is_some()) {
        mutex.lender.set_ceiling(cs, lent);
        S::kernel().settle(cs, owner, Place::Last);
    }
    Ok(Kernel::<S>::conclude_several(cs, Status::OK, 0))
});

decision!(Flush, ClusterMutex<S>, |cs, _, mutex, _, _| {
    let lock = mutex.made(cs)?;
    let first = |cs| {
        Kernel::<S>::ask_library(cs, |system, now, doings| {
            system.flush_first(lock, now, doings)
        })
    };
    while let Some(row) = first(cs)? {
        if let Some(thread) = S::smp().thread(cs, row) {
            S::kernel().wake_with(cs, thread, Error::Cancelled);
        }
    }
    Ok(Kernel::<S>::conclude_several(cs, Status::OK, 0))
});
