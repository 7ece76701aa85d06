//! Owns: what is done for a partition by others, at its cost. Must never know: what that is; how
//! time is charged.

use super::AnyPartition;
use crate::System;
#[cfg(feature = "budgets")]
use crate::sched::hold;
use taktos_machine::Isolation;

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Does `work` at the partition's cost: where it has a budget (`Partition::budget`), that is
    /// charged with the time which the calling thread takes, whether something is left of it or
    /// not, and the partition owes the rest. So are its starts and stops; a supervisor reports a
    /// fault in this way, so that a partition cannot take others' time by faults. Work that is
    /// nested in another partition's is charged to the inner one.
    ///
    /// In a thread that is in no partition. Bound in addition to that of `work`: fixed, twice.
    pub fn at_its_cost<R>(&'static self, work: impl FnOnce() -> R) -> R {
        #[cfg(feature = "budgets")]
        if let Some(account) = self.account() {
            let held = hold::<S>();
            let cs = held.section();
            // Alarms look at the account from here on.
            S::kernel().open_account(cs, account, self);
            let before = S::kernel().work_for(cs, Some(account));
            drop(held);
            let result = work();
            S::kernel().work_for(hold::<S>().section(), before);
            return result;
        }
        work()
    }
}
