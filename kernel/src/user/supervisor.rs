//! Owns: the handling of a thread that faults, and the thread without partition that is notified.
//! Must never know: how a processor notices faults.

use super::{AnyPartition, Policy};
use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::hold;
use crate::thread::tcb::ThreadRef;
use crate::{AnyThread, Error, Kernel, Semaphore, System, Timeout};
use core::ops::ControlFlow;
use taktos_machine::{Cause, Context, FAULT_REGISTERS, Isolation, Machine, RaisedFault, UserFault};
use taktos_time::Instant;

/// A fault of a thread of a partition.
pub struct Incident<S: System> {
    /// The thread, which has ended.
    pub thread: &'static AnyThread<S>,
    /// The fault that ended it.
    pub fault: UserFault,
}

impl<S: System> Clone for Incident<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for Incident<S> {}

/// The first fault of a partition's threads that was not reported yet. The handler of the fault
/// writes it where it stays.
///
/// Its beginning is known to the machine's paths: none while no fault is unreported, then the place
/// for the registers.
#[repr(C)]
pub(super) struct PendingReport {
    thread: Guarded<Option<ThreadRef>>,
    registers: [Guarded<usize>; FAULT_REGISTERS],
    cause: Guarded<Cause>,
    address: Guarded<Option<usize>>,
    /// Whether the partition was started again since.
    outlived: Guarded<bool>,
}

impl PendingReport {
    /// No fault.
    pub(super) const fn new() -> Self {
        Self {
            thread: Guarded::new(None),
            registers: [const { Guarded::new(0) }; FAULT_REGISTERS],
            cause: Guarded::new(Cause::Other),
            address: Guarded::new(None),
            outlived: Guarded::new(false),
        }
    }

    /// `thread` has faulted, as the first.
    fn note(&self, cs: CriticalSection<'_>, thread: ThreadRef, fault: &RaisedFault<'_>) {
        if self.thread.get(cs).is_some() {
            // That of a former life is of no use any more.
            if !self.outlived.get(cs) {
                return;
            }
            self.outlived.set(cs, false);
        }
        self.thread.set(cs, Some(thread));
        self.cause.set(cs, fault.cause);
        self.address.set(cs, fault.address);
        if let Some(registers) = fault.registers {
            for (place, register) in self.registers.iter().zip(registers) {
                place.set(cs, *register);
            }
        }
    }

    /// Returns whether the partition was started again since the fault; none if there is no fault.
    fn is_outlived(&self, cs: CriticalSection<'_>) -> Option<bool> {
        self.thread.get(cs).map(|_| self.outlived.get(cs))
    }

    /// Notes that the partition is started again: an unreported fault is one of a former life.
    pub(super) fn outlive(&self, cs: CriticalSection<'_>) {
        self.outlived.set(cs, self.thread.get(cs).is_some());
    }

    /// Returns the fault, which is reported with this.
    fn take<S: System>(&self, cs: CriticalSection<'_>) -> Option<Incident<S>> {
        let thread = self.thread.get(cs)?;
        self.thread.set(cs, None);
        self.outlived.set(cs, false);
        Some(Incident {
            thread: AnyThread::of(thread),
            fault: UserFault {
                cause: self.cause.get(cs),
                address: self.address.get(cs),
                registers: self.registers.each_ref().map(|place| place.get(cs)),
            },
        })
    }
}

/// The notification of a supervising thread of faults. Made to be a static; partitions name it.
pub struct Supervisor<S: System> {
    /// The semaphore with a permit if a thread is to check for faults.
    told: Semaphore<S>,
    /// The place of the partition that is checked first: after the one that was reported last.
    first: Guarded<usize>,
}

impl<S: System> Supervisor<S> {
    /// Nothing has happened.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            told: Semaphore::binary(0),
            first: Guarded::new(0),
        }
    }
}

impl<S: System> Default for Supervisor<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System<Machine: Isolation>> Supervisor<S> {
    /// Serves faults of threads of `partitions`, which name this supervisor: of each it does what
    /// the partition's policy says, and then `act`, all of it until the next wait or the end of
    /// this call at that partition's cost ([`AnyPartition::at_its_cost`]). Between faults it waits,
    /// until the time that `timeout` says is over, or `act` breaks off, which gives its value; with
    /// [`Timeout::NONE`] it serves those that are there.
    ///
    /// Of faults of one partition that come before the first was taken, this reports that one
    /// alone. If several partitions have faulted, they are reported by turns. A partition with a
    /// restart that [has to wait](super::Partition::restarts) is stopped, and its fault is reported
    /// when it is started again; meanwhile others are reported. A partition that another thread has
    /// started again since it has faulted is left as it is. In a thread that is in no partition.
    ///
    /// Bound for each fault: that of [`AnyPartition::restart`], of `act`, and of
    /// [`AnyPartition::stop`] for each of the partitions. Errors: `Timeout`, `WouldBlock`,
    /// `Cancelled`; those of [`AnyPartition::start`].
    pub fn serve<R>(
        &'static self,
        partitions: &[&'static AnyPartition<S>],
        timeout: Timeout,
        mut act: impl FnMut(&'static AnyPartition<S>, Incident<S>) -> ControlFlow<R>,
    ) -> Result<R, Error> {
        let end = match timeout.is_none() {
            true => None,
            false => timeout.deadline(Kernel::<S>::now()),
        };
        let served = self.serve_until(partitions, timeout, end, &mut act);
        Self::work_on(None);
        served
    }

    /// [`Self::serve`], but the caller may continue at the cost of one of the partitions: that of
    /// the last fault that was dealt with, or, after a wait, of the partition that has ended the
    /// wait.
    fn serve_until<R>(
        &'static self,
        partitions: &[&'static AnyPartition<S>],
        timeout: Timeout,
        end: Option<Instant>,
        mut act: impl FnMut(&'static AnyPartition<S>, Incident<S>) -> ControlFlow<R>,
    ) -> Result<R, Error> {
        loop {
            let due = match self.look(partitions)? {
                Look::Told(partition, incident) => {
                    Self::work_on(Some(partition));
                    if let ControlFlow::Break(value) = act(partition, incident) {
                        return Ok(value);
                    }
                    if end.is_some_and(|end| Kernel::<S>::now() >= end) {
                        return Err(Error::Timeout);
                    }
                    continue;
                }
                Look::Nothing(due) => due,
            };
            let wait = match end.into_iter().chain(due).min() {
                _ if timeout.is_none() => timeout,
                Some(at) => Timeout::until(at),
                None => Timeout::FOREVER,
            };
            match self.told.take(wait) {
                Err(Error::Timeout) if due.is_some_and(|due| end.is_none_or(|end| due < end)) => {
                    Self::work_on(None);
                }
                taken => taken?,
            }
        }
    }

    /// Makes the caller continue at the cost of `partition`, if that is one and has a budget, else
    /// at its own.
    #[cfg_attr(not(feature = "budgets"), expect(unused_variables))]
    fn work_on(partition: Option<&'static AnyPartition<S>>) {
        #[cfg(feature = "budgets")]
        S::kernel().work_for(
            hold::<S>().section(),
            partition.and_then(AnyPartition::account),
        );
    }

    /// Deals with the first fault of one of `partitions`, by turns, that need not wait.
    fn look(&'static self, partitions: &[&'static AnyPartition<S>]) -> Result<Look<S>, Error> {
        let first = self.first.get(hold::<S>().section()).min(partitions.len());
        let mut first_due = None;
        for place in (first..partitions.len()).chain(0..first) {
            let partition = partitions[place];
            match partition.deal_with_fault()? {
                Dealt::Told(incident) => {
                    self.first.set(hold::<S>().section(), place + 1);
                    return Ok(Look::Told(partition, incident));
                }
                Dealt::Waits(due) => first_due = first_due.into_iter().chain(Some(due)).min(),
                Dealt::Nothing => {}
            }
        }
        Ok(Look::Nothing(first_due))
    }
}

/// The result of a check of some partitions.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack for one return, and there is no heap"
)]
enum Look<S: System<Machine: Isolation>> {
    /// A fault of that one was dealt with.
    Told(&'static AnyPartition<S>, Incident<S>),
    /// There is none, but maybe some that wait until then.
    Nothing(Option<Instant>),
}

/// The result of dealing with a fault.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack for one return, and there is no heap"
)]
enum Dealt<S: System> {
    /// There is none.
    Nothing,
    /// The restart waits until then.
    Waits(Instant),
    /// The policy was carried out.
    Told(Incident<S>),
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Returns the first fault since this was called last. Bound: fixed. Allowed everywhere.
    pub fn take_incident(&self) -> Option<Incident<S>> {
        self.untold().take(hold::<S>().section())
    }

    /// Carries out the partition's policy for a fault that was not reported yet, unless the
    /// partition was started again since.
    fn deal_with_fault(&'static self) -> Result<Dealt<S>, Error> {
        let told = |incident: Option<Incident<S>>| incident.map_or(Dealt::Nothing, Dealt::Told);
        let Some(outlived) = self.untold().is_outlived(hold::<S>().section()) else {
            return Ok(Dealt::Nothing);
        };
        if self.policy() == Policy::Restart && !outlived {
            let Some(due) = self.restart_due() else {
                return self.restart_for_fault().map(told);
            };
            if self.exists() {
                self.stop();
            }
            return Ok(Dealt::Waits(due));
        }
        let incident = self.take_incident();
        if self.policy() == Policy::Stop && !outlived && incident.is_some() {
            self.stop();
        }
        Ok(told(incident))
    }

    /// Until when a restart is to wait: for the end of a period with as many as there may be, and
    /// until something is left of the budget.
    fn restart_due(&'static self) -> Option<Instant> {
        let held = hold::<S>();
        let due = self.restarts.due(held.section(), S::Machine::now());
        #[cfg(feature = "budgets")]
        let due = due.max(self.renewal(held.section()));
        due
    }
}

/// Ends the thread of a partition that runs, which has faulted, and notifies its supervisor.
/// Returns the thread that runs next. For a machine, in the handler of the fault; `cs` is its
/// section.
pub(super) fn end_faulted<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    fault: &RaisedFault<'_>,
) -> *const Context {
    let current = Kernel::<S>::running().current(cs);
    let partition = AnyPartition::<S>::of_thread(cs, current);
    partition.untold().note(cs, current, fault);
    S::kernel().end_running(cs, current);
    if let Some(supervisor) = partition.supervisor() {
        // Its way from here to the fault is at the partition's cost.
        #[cfg(feature = "budgets")]
        if let Some(waiter) = supervisor.told.first_waiter(cs) {
            S::kernel().set_work(cs, waiter, partition.account());
        }
        // The thread that runs next is the heir, whatever this returns.
        let _ = supervisor.told.give_entered(cs);
    }
    S::kernel().heir(cs).context()
}
