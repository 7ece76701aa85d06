//! Target of a script.
//!
//! Owns: the operations that a target must have, and their results.
//! Must never know: words, lines and files.

use taktos_schedule::smp::{PolicyKind, Reasons};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::command::{Command, InstanceName, LockName, ThreadName};
use super::names::Names;
use super::script::{Occupant, OnCpu, Setup, WaitEnd};
use super::status::Status;

/// Why a command was not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The target refused it.
    Status(Status),
    /// No thread can ask for it now: only a thread that executes can take a lock.
    Impossible(String),
    /// The target is broken: it goes round in circles.
    Broken(String),
}

/// Something that schedules threads on processors: the library in the simulator,
/// or a kernel that links it.
///
/// After each command the processors that are not held dispatch until nothing is left
/// to do.
pub trait Target {
    /// Carries a command out.
    ///
    /// # Errors
    /// When it is refused; nothing has changed then.
    fn perform(&mut self, command: &Command) -> Result<(), Refusal>;

    /// The time since the case began.
    fn now(&self) -> Instant;

    /// Returns the occupant of a processor, and the one that should be there.
    fn on(&self, cpu: Cpu) -> OnCpu;

    /// Whether the thread is the heir of some processor.
    fn has_processor(&self, thread: ThreadName) -> bool;

    /// The threads that are ready in an instance and hold no processor, the next one first.
    fn ready(&self, instance: InstanceName) -> Vec<ThreadName>;

    /// Those that hold a processor of it, the most urgent first.
    fn scheduled(&self, instance: InstanceName) -> Vec<Occupant>;

    /// Why a thread is not ready; none when there is no such thread.
    fn reasons(&self, thread: ThreadName) -> Option<Reasons>;

    /// The processor to which a pin of the thread has taken effect.
    fn pinned(&self, thread: ThreadName) -> Option<Cpu>;

    /// The priority in effect, as a user reads it, in an instance or in the home.
    fn priority(&self, thread: ThreadName, instance: Option<InstanceName>) -> Option<u32>;

    /// Where the thread may run.
    fn affinity(&self, thread: ThreadName) -> CpuSet;

    /// The thread's home; none when there is no such thread.
    fn home(&self, thread: ThreadName) -> Option<InstanceName>;

    /// The processors of an instance.
    fn owned(&self, instance: InstanceName) -> CpuSet;

    /// The processor's time that the thread had.
    fn cpu_time(&self, thread: ThreadName) -> Duration;

    /// Returns the owner of a lock.
    fn owner(&self, lock: LockName) -> Option<ThreadName>;

    /// Returns the waiters for a lock, in the order in which they would get it.
    fn waiters(&self, lock: LockName) -> Vec<ThreadName>;

    /// How the thread's last wait for a lock ended.
    fn outcome(&self, thread: ThreadName) -> WaitEnd;

    /// Checks the target's own invariants.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, names: &Names) -> Result<(), String>;
}

/// Where targets come from.
pub trait World {
    /// Makes a target in the state in which a case begins, and lends it to `run`.
    /// `policy` is that of the instances that name none.
    ///
    /// # Errors
    /// When the set-up is refused.
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status>;
}
