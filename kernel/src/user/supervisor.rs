//! Owns: what becomes of a thread that faults, and the thread without partition that is told.
//! Must never know: how a processor notices faults.

use super::{AnyPartition, Policy};
use crate::critical_section::{CriticalSection, Guarded};
use crate::thread::tcb::ThreadRef;
use crate::{AnyThread, Error, Kernel, Semaphore, System, Timeout};
use taktos_machine::{Cause, Context, FAULT_REGISTERS, Isolation, RaisedFault, UserFault};

/// A fault of a thread of a partition.
pub struct Incident<S: System> {
    /// The thread, which has ended.
    pub thread: &'static AnyThread<S>,
    /// What it was.
    pub fault: UserFault,
}

impl<S: System> Clone for Incident<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for Incident<S> {}

/// The first fault of a partition's threads that nobody was told of. The handler of the fault writes it where it stays.
///
/// Its beginning is known to the machine's paths: none where no fault is untold, then the place for the registers.
#[repr(C)]
pub(super) struct Untold {
    thread: Guarded<Option<ThreadRef>>,
    registers: [Guarded<usize>; FAULT_REGISTERS],
    cause: Guarded<Cause>,
    address: Guarded<Option<usize>>,
}

impl Untold {
    /// No fault.
    pub(super) const fn new() -> Self {
        Self {
            thread: Guarded::new(None),
            registers: [const { Guarded::new(0) }; FAULT_REGISTERS],
            cause: Guarded::new(Cause::Other),
            address: Guarded::new(None),
        }
    }

    /// `thread` has faulted, as the first.
    fn note(&self, cs: CriticalSection<'_>, thread: ThreadRef, fault: &RaisedFault<'_>) {
        if self.thread.get(cs).is_some() {
            return;
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

    /// The fault, of which somebody is told with this.
    fn take<S: System>(&self, cs: CriticalSection<'_>) -> Option<Incident<S>> {
        let thread = self.thread.get(cs)?;
        self.thread.set(cs, None);
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

/// By what a supervising thread is told of faults. Made to be a static; partitions name it.
pub struct Supervisor<S: System> {
    told: Semaphore<S>,
}

impl<S: System> Supervisor<S> {
    /// Nothing has happened.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            told: Semaphore::new(0),
        }
    }
}

impl<S: System> Default for Supervisor<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System<Machine: Isolation>> Supervisor<S> {
    /// Waits, as long as `timeout` says, until a thread of one of `partitions`, which name this supervisor, faults; does what its
    /// partition's policy says, and tells what happened. Of faults of one partition that come before the first was taken, this
    /// is told alone. In a thread that is in no partition.
    ///
    /// Bound: that of [`AnyPartition::restart`]. Errors: `Timeout`, `WouldBlock`, `Cancelled`; those of [`AnyPartition::start`].
    pub fn serve(
        &'static self,
        partitions: &[&'static AnyPartition<S>],
        timeout: Timeout,
    ) -> Result<(&'static AnyPartition<S>, Incident<S>), Error> {
        loop {
            self.told.take(timeout)?;
            let found = partitions
                .iter()
                .find_map(|partition| Some((*partition, partition.take_incident()?)));
            let Some((partition, incident)) = found else {
                continue;
            };
            match partition.policy() {
                Policy::StopThread => {}
                Policy::Stop => partition.stop(),
                Policy::Restart => partition.restart()?,
            }
            return Ok((partition, incident));
        }
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// The first fault since this was asked last. Bound: fixed. Allowed everywhere.
    pub fn take_incident(&self) -> Option<Incident<S>> {
        let held = crate::sched::hold::<S>();
        self.untold().take(held.section())
    }
}

/// Ends the thread of a partition that runs, which has faulted, tells its supervisor, and says who goes on. For a machine, in the handler
/// of the fault; `cs` is its section.
pub(super) fn end_faulted<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    fault: &RaisedFault<'_>,
) -> *const Context {
    let current = Kernel::<S>::running().current(cs);
    let partition = AnyPartition::<S>::of_thread(cs, current);
    partition.untold().note(cs, current, fault);
    S::kernel().end_running(cs, current);
    if let Some(supervisor) = partition.supervisor() {
        // Who goes on is the heir, whatever this says.
        let _ = supervisor.told.give_entered(cs);
    }
    S::kernel().heir(cs).context()
}
