//! Owns: budgets of partitions, as they are declared and looked at. Must never know: how time is
//! charged.

use super::{AnyPartition, Data, Partition};
use crate::System;
use crate::critical_section::CriticalSection;
use crate::sched::{Account, Members, hold};
use crate::thread::tcb::ThreadRef;
use taktos_machine::{Isolation, Machine};
use taktos_schedule::Budget;
use taktos_time::{Duration, Instant};

/// The rest of a partition's budget, and its use since it was started first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// The time that its threads may use until the budget is renewed.
    pub left: Duration,
    /// The time that was used with nothing left, and is not paid yet.
    pub owed: Duration,
    /// All that was charged: what its own threads used, and others on their behalf.
    pub time: Duration,
    /// The largest deficit so far: `D` of the [bound](Partition::budget).
    pub most_owed: Duration,
    /// How often nothing was left.
    pub depletions: u32,
}

impl<S: System<Machine: Isolation>, T: Data> Partition<S, T> {
    /// Sets the partition's budget: its threads may use the processor for `amount` in each
    /// `period`, and others on their behalf. While a thread works on a call of one of them, that
    /// call's partition is charged, until its budget is empty; then the server's own. If that has
    /// none, this partition is charged, owes then, and pays with its next renewals. Threads of a
    /// partition without anything left do not run until its budget is renewed. A restart renews
    /// nothing. Starts and stops of the partition are charged to it, too, whatever thread requests
    /// them, and whether something is left or not ([`AnyPartition::at_its_cost`]).
    ///
    /// In any interval of the length t, with Q the amount, T the period and D the largest deficit,
    /// it is charged with no more than Q · (1 + ⌈(t − Q) / T⌉) + D. D is how late the alarm's
    /// handler is; for calls, one service of a server without a budget for each of the partition's
    /// threads; one restart by a supervisor; and what the program itself starts and stops of the
    /// partition while nothing is left.
    ///
    /// On several processors there is one account for all of them, which goes as many times as fast
    /// as threads are charged to it at once. With m such threads at most, it is charged with no
    /// more than Q · (1 + ⌈(t − Q / m) / T⌉) + D; and D has how late the handler is m times. A
    /// thread that another processor's decision stops executes on until the call that notifies its
    /// own processor comes, and no account pays for that. A thread that such a decision starts pays
    /// as much too early.
    ///
    /// There where `taktos-kernel` has the feature `budgets`.
    ///
    /// # Panics
    /// If the amount is zero, or longer than the period for each processor of the machine: for a
    /// static, when it is compiled.
    #[must_use]
    pub const fn budget(mut self, amount: Duration, period: Duration) -> Self {
        let processors = <S::Machine as Machine>::PROCESSORS as u32;
        self.any.account = Some(Account::new(Budget::new(amount, period, processors)));
        self
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Returns the rest of the partition's budget, and its use; none of a partition without budget.
    /// Bound: fixed. Allowed everywhere.
    pub fn usage(&'static self) -> Option<Usage> {
        let account = self.account()?;
        let held = hold::<S>();
        let cs = held.section();
        S::kernel().settle_accounts(cs);
        let (budget, spent) = account.look(cs);
        Some(Usage {
            left: budget.left(),
            owed: budget.owed(),
            time: spent.time,
            most_owed: spent.most_owed,
            depletions: spent.depletions,
        })
    }

    /// When something of the budget will be there, if nothing is now.
    pub(super) fn renewal(&'static self, cs: CriticalSection<'_>) -> Option<Instant> {
        let account = self.account()?;
        S::kernel().settle_accounts(cs);
        let (mut budget, _) = account.look(cs);
        budget.renew(S::Machine::now());
        budget.is_empty().then(|| budget.renewal())
    }

    /// To which the time of its threads is charged, if they have a budget.
    pub(super) const fn account(&'static self) -> Option<&'static Account> {
        self.account.as_ref()
    }
}

impl<S: System<Machine: Isolation>> Members for AnyPartition<S> {
    fn each(&self, visit: &mut dyn FnMut(ThreadRef)) {
        for member in self.members() {
            visit(member.thread().reference());
        }
    }
}
