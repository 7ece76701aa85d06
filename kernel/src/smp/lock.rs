//! Owns: mutexes under the protocols for several processors. Must never know: how a protocol works.

use super::place::error_of;
use super::turn::level;
use super::{BLOCKED, several};
use crate::critical_section::{Guarded, Section, hold, in_decision};
use crate::sched::{OutcomeOf, Told, fail};
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_machine::{Decision, Machine};
use taktos_schedule::smp::{self, Instance, Lock, Obtained, Outcome};
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
    As(Lock),
    Deleted,
}

/// A mutex of threads in several scheduler instances. See [`ClusterProtocol`]; decision 0012 of the documentation says where the
/// protocols differ from their sources.
///
/// It takes one of the rows of locks of [`SeveralMemory`](super::SeveralMemory) when it is locked first. Its owner may lock it again,
/// but for MrsP. A thread that ends or is deleted unlocks what it owns. A thread's wait in a queue of another object goes by the priority
/// that it has of its own and by [`Mutex`](crate::Mutex)es, not by what a cluster mutex lends it.
pub struct ClusterMutex<S> {
    protocol: ClusterProtocol,
    made: Guarded<Made>,
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
            several::<S>(),
            "a mutex for a system with several processors"
        );
        Self {
            protocol,
            made: Guarded::new(Made::NotYet),
            system: PhantomData,
        }
    }

    /// Locks the mutex, waiting for it as long as `timeout` says: blocked, or spinning under MrsP.
    ///
    /// Bounds: those of the scheduling library's `smp::System::obtain`. Errors: `Timeout`, `WouldBlock`, `Deleted`; `State` where the wait would close a
    /// ring of waiting threads, or the caller owns it under MrsP; `Ceiling` where the caller is more urgent than the ceiling; `Parameter`
    /// in another instance than an immediate ceiling's; `NoMemory` where all rows of locks are used; `Cancelled`; `Context` in an interrupt
    /// handler.
    pub fn lock(&'static self, timeout: Timeout) -> Result<(), Error> {
        hold::<S>().hand_over();
        let answer = S::Machine::enter::<Obtain<S>>(self, 0, timeout);
        answer.told::<S>()?;
        if answer.value == SPINS {
            return Self::spin();
        }
        Ok(())
    }

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

    /// Unlocks the mutex; who is next owns it then. Bound: that of the scheduling library's `smp::System::surrender`.
    /// Errors: `NotOwner`, `Deleted`; `Context` in an interrupt handler.
    pub fn unlock(&'static self) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<Surrender<S>>(self, 0, Timeout::NONE).told::<S>()
    }

    /// Sets the ceiling for the threads of `instance`; the owner's priority follows under an immediate ceiling, not
    /// under MrsP. Errors: `State` before the first lock; `Deleted`; `Parameter` where the protocol has no ceiling there, or for
    /// [`Priority::IDLE`]; `Context` in an interrupt handler.
    pub fn set_ceiling(&'static self, instance: Instance, ceiling: Priority) -> Result<(), Error> {
        if ceiling >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        let words = instance.index() << 8 | usize::from(ceiling.level());
        hold::<S>().hand_over();
        S::Machine::enter::<SetCeiling<S>>(self, words, Timeout::NONE).told::<S>()
    }

    /// Makes the mutex known to the scheduler, as the caller's: it need not be locked first to be given ceilings.
    /// Errors: `State` if it is already; `NoMemory`; `Deleted`; `Context` in an interrupt handler.
    pub fn make(&'static self) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let held = hold::<S>();
        let s = held.section();
        match self.made.get(s) {
            Made::NotYet => self.row(s, Kernel::<S>::running().current(s)).map(|_| ()),
            Made::As(_) => Err(Error::State),
            Made::Deleted => Err(Error::Deleted),
        }
    }

    /// Deletes the mutex; it gives its row back, and can be used no more until [`ClusterMutex::renew`].
    /// Errors: `InUse` while a thread owns it, `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let s = held.section();
        match self.made.get(s) {
            Made::Deleted => return Err(Error::Deleted),
            Made::NotYet => {}
            Made::As(lock) => Kernel::<S>::ask_library(s, |system, _, _| system.delete_lock(lock))?,
        }
        self.made.set(s, Made::Deleted);
        Ok(())
    }

    /// Makes a deleted mutex free and usable again. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let s = held.section();
        if !matches!(self.made.get(s), Made::Deleted) {
            return Err(Error::State);
        }
        self.made.set(s, Made::NotYet);
        Ok(())
    }

    /// What the scheduler calls the mutex; none before it is made, and when it is deleted. For tests and tools, beside
    /// [`Kernel::look`]. Bound: fixed.
    pub fn scheduler_row(&'static self) -> Option<Lock> {
        let held = hold::<S>();
        match self.made.get(held.section()) {
            Made::As(lock) => Some(lock),
            Made::NotYet | Made::Deleted => None,
        }
    }

    /// The library's lock, made at the first use by `creator`.
    fn row(&'static self, s: Section, creator: ThreadRef) -> Result<Lock, Error> {
        match self.made.get(s) {
            Made::As(lock) => Ok(lock),
            Made::Deleted => Err(Error::Deleted),
            Made::NotYet => {
                let (protocol, ceiling) = self.protocol.of_library();
                let creator = creator.row(s).ok_or(Error::Context)?;
                let lock = Kernel::<S>::ask_library(s, |system, now, doings| {
                    system.create_lock(protocol, creator, ceiling, false, now, doings)
                })?;
                self.made.set(s, Made::As(lock));
                Ok(lock)
            }
        }
    }
}

impl<S: System> Kernel<S> {
    fn ask_library<R>(
        s: Section,
        question: impl FnOnce(
            &mut smp::System<'static>,
            Instant,
            &mut super::Noting<'_, '_, S>,
        ) -> Result<R, smp::Error>,
    ) -> Result<R, Error> {
        S::several()
            .ask(s, S::Machine::number(), question)
            .ok_or(Error::Context)?
            .map_err(error_of)
    }

    /// How the running thread's spinning for a lock ended; none while it lasts.
    fn outcome_of_wait() -> Option<Outcome> {
        let held = hold::<S>();
        let s = held.section();
        let current = Self::running().current(s);
        let row = current.row(s)?;
        let outcome = Self::ask_library(s, |system, _, _| system.outcome(row)).ok()??;
        S::kernel().stop_timeout(s, current);
        Some(outcome)
    }

    /// Ends what the library knows of `thread`'s wait for a lock, if it waits for one.
    pub(crate) fn abandon_lock(&self, s: Section, thread: ThreadRef) {
        if thread.solo(s).is_some() || thread.cluster(s).is_some() {
            // Who waits for one opens its instance.
            return;
        }
        let Some(row) = thread.row(s) else { return };
        let _ = Self::ask_library(s, |system, now, doings| system.time_out(row, now, doings));
    }

    /// Unlocks all cluster mutexes that `thread`, which ends, owns.
    pub(crate) fn surrender_all(&'static self, s: Section, thread: ThreadRef) {
        let Some(row) = thread.row(s) else { return };
        if Self::ask_library(s, |system, _, _| Ok(system.owns_any(row))) != Ok(true) {
            return;
        }
        for lock in (0..S::several().locks.get(s)).filter_map(Lock::new) {
            let owns = |s| Self::ask_library(s, |system, _, _| system.owner(lock)) == Ok(Some(row));
            while owns(s) {
                if self.surrender(s, lock, row).is_err() {
                    break;
                }
            }
        }
    }

    /// Gives `lock` up once, and wakes who has it then, unless that one spins.
    fn surrender(&'static self, s: Section, lock: Lock, owner: smp::Thread) -> Result<(), Error> {
        let next = Self::ask_library(s, |system, now, doings| {
            system.surrender(lock, owner, now, doings)
        })?;
        let next = next.and_then(|row| S::several().thread(s, row));
        if let Some(next) = next.filter(|next| next.wait.get(s) != Wait::NOTHING) {
            self.wake(s, next);
        }
        Ok(())
    }
}

/// Defines a decision about a cluster mutex by the running thread.
macro_rules! decision {
    ($name:ident, $object:ty, $body:expr) => {
        struct $name<S>(PhantomData<S>);

        impl<S: System> Decision<S::Machine> for $name<S> {
            type Object = $object;
            const BLOCKS: bool = true;

            extern "C" fn decide(
                object: &'static $object,
                words: usize,
                timeout: Timeout,
            ) -> OutcomeOf<S> {
                let s = in_decision();
                let current = Kernel::<S>::running().current(s);
                let body: fn(
                    Section,
                    ThreadRef,
                    &'static $object,
                    usize,
                    Timeout,
                ) -> Result<OutcomeOf<S>, Error> = $body;
                match body(s, current, object, words, timeout) {
                    Ok(outcome) => outcome,
                    Err(error) => fail::<S>(error),
                }
            }
        }
    };
}

decision!(Obtain, ClusterMutex<S>, |s, current, mutex, _, timeout| {
    let lock = mutex.row(s, current)?;
    let row = current.row(s).ok_or(Error::Context)?;
    let waits = !timeout.is_none();
    S::several().reach_lock(s, lock, current);
    let obtained = Kernel::<S>::ask_library(s, |system, now, doings| {
        let obtained = system.obtain(lock, row, waits, now, doings)?;
        if obtained == Obtained::Waiting {
            system.block(row, BLOCKED, now, doings)?;
        }
        Ok(obtained)
    })?;
    Ok(match obtained {
        Obtained::Owned => Kernel::<S>::conclude_several(s, Status::OK, 0),
        Obtained::Spinning => {
            // The owner may run in its place: then it cannot look at the clock itself.
            if !timeout.is_forever() {
                S::kernel().start_timeout(s, current, timeout);
            }
            Kernel::<S>::conclude_several(s, Status::OK, SPINS)
        }
        Obtained::Waiting => {
            // Nothing that the kernel's own objects know: `abort` asks the library.
            current.wait.set(s, Wait::SLEEP);
            current.set_value(s, 0);
            if !timeout.is_forever() {
                S::kernel().start_timeout(s, current, timeout);
            }
            S::kernel().go_on(s, current)
        }
    })
});

decision!(Surrender, ClusterMutex<S>, |s, current, mutex, _, _| {
    let row = current.row(s).ok_or(Error::Context)?;
    match mutex.made.get(s) {
        Made::Deleted => return Err(Error::Deleted),
        Made::NotYet => return Err(Error::NotOwner),
        Made::As(lock) => S::kernel().surrender(s, lock, row)?,
    }
    Ok(Kernel::<S>::conclude_several(s, Status::OK, 0))
});

decision!(SetCeiling, ClusterMutex<S>, |s, _, mutex, words, _| {
    let instance = Instance::new(words >> 8).ok_or(Error::Parameter)?;
    let ceiling = level(Priority::from_stored(words as u8));
    let lock = match mutex.made.get(s) {
        Made::Deleted => return Err(Error::Deleted),
        Made::NotYet => return Err(Error::State),
        Made::As(lock) => lock,
    };
    Kernel::<S>::ask_library(s, |system, now, doings| {
        system.set_ceiling(lock, instance, ceiling, now, doings)
    })?;
    Ok(Kernel::<S>::conclude_several(s, Status::OK, 0))
});
