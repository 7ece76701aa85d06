//! Invariants that hold after every command, whatever the policy, recomputed from nothing but the
//! commands and the results of the target.
//!
//! Owns: the naive model: priorities along chains of waiting, and the threads that should hold a
//! processor.
//! Must never know: how the target decides.

mod grants;
mod places;
mod priorities;
mod record;
#[path = "../../../../../core/schedule/tests/locks/turns.rs"]
mod turns;

use taktos_schedule::smp::PolicyKind;

use super::command::{InstanceName, ThreadName};
use super::names::Names;
use super::script::Setup;
use super::target::Target;
pub use record::Laws;

/// How urgent a node is: a deadline before every priority; smaller is more urgent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Urgency {
    /// An absolute deadline, in nanoseconds.
    Deadline(u64),
    /// A priority.
    Priority(u32),
    /// An idle thread's.
    Idle,
}

impl Laws {
    /// Checks that every state that can be read from the target fits the commands to it.
    ///
    /// # Errors
    /// The invariant that does not hold.
    pub fn check(&self, target: &dyn Target, setup: &Setup, names: &Names) -> Result<(), String> {
        self.places(target, setup, names)?;
        self.locks(target, names)?;
        self.priorities(target, names)?;
        for instance in (0..names.instances().len()).map(InstanceName) {
            self.most_urgent(target, instance, names)?;
        }
        Ok(())
    }

    /// Owners and waiters of each lock.
    fn locks(&self, target: &dyn Target, names: &Names) -> Result<(), String> {
        for lock in self.locks_known() {
            let waiters = target.waiters(lock);
            let owner = target.owner(lock);
            let name = names.lock(lock);
            if owner.is_none() && !waiters.is_empty() {
                return Err(format!("threads wait for {name}, which nobody owns"));
            }
            if owner.is_some_and(|owner| waiters.contains(&owner)) {
                return Err(format!("the owner of {name} waits for it"));
            }
        }
        Ok(())
    }

    fn policy(&self, instance: InstanceName) -> PolicyKind {
        self.policies[instance.0]
    }

    fn all_threads(names: &Names) -> impl Iterator<Item = ThreadName> {
        (0..names.threads().len()).map(ThreadName)
    }
}
