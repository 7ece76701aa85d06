//! Owns: when time is charged to accounts on the one processor of a system, and its alarm for them.
//! Must never know: other processors; which account pays for which thread.

use super::{Account, earlier, is_same};
use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::is_smp;
use crate::thread::tcb::ThreadRef;
use crate::{Kernel, System};
use taktos_machine::Machine;
use taktos_time::Instant;

/// The account that is charged now, and the list of accounts.
pub(crate) struct Budgets {
    /// The account that is charged; none while the heir has no payer.
    payer: Guarded<Option<&'static Account>>,
    /// From when on.
    since: Guarded<Instant>,
    /// The account that was opened last.
    pub(super) accounts: Guarded<Option<&'static Account>>,
    /// When accounts are to be looked at: no later than one that is charged is empty, or one that
    /// is empty renewed.
    alarm: Guarded<Option<Instant>>,
}

impl Budgets {
    pub const fn new() -> Self {
        Self {
            payer: Guarded::new(None),
            since: Guarded::new(Instant::START),
            accounts: Guarded::new(None),
            alarm: Guarded::new(None),
        }
    }

    /// When accounts are to be looked at.
    pub fn alarm(&self, cs: CriticalSection<'_>) -> Option<Instant> {
        self.alarm.get(cs)
    }

    /// Charges the payer with the time up to `now`.
    pub(super) fn settle(&self, cs: CriticalSection<'_>, now: Instant) {
        if let Some(account) = self.payer.get(cs) {
            account.charge(cs, self.since.get(cs), now);
        }
        self.since.set(cs, now);
    }

    /// Charges no account for the time up to `now`.
    pub(super) fn skip(&self, cs: CriticalSection<'_>, now: Instant) {
        self.since.set(cs, now);
    }
}

impl<S: System> Kernel<S> {
    /// Charges the payer of `heir`, which is to run, from now on.
    #[inline(always)]
    pub(in crate::sched) fn charge_for(&'static self, cs: CriticalSection<'_>, heir: ThreadRef) {
        if !is_smp::<S>() {
            let payer = heir.payer(cs);
            if !is_same(payer, self.budgets.payer.get(cs)) {
                self.change_payer(cs, payer);
            }
        }
    }

    #[inline(never)]
    fn change_payer(&'static self, cs: CriticalSection<'_>, payer: Option<&'static Account>) {
        let now = S::Machine::now();
        self.budgets.settle(cs, now);
        self.budgets.payer.set(cs, payer);
        let Some(account) = payer else { return };
        let left = account.change(cs, |budget| {
            budget.begin(now);
            budget.left()
        });
        // Of an account that owes its renewal is awaited already.
        if account.is_depleted.get(cs) {
            return;
        }
        let end = now.saturating_add(left);
        if self.budgets.alarm(cs).is_none_or(|alarm| end < alarm) {
            self.budgets.alarm.set(cs, Some(end));
            self.set_alarm(cs);
        }
    }

    /// Handles the alarm: holds the threads of accounts that are empty, and releases the threads of
    /// renewed ones. Steps: the accounts, and the threads of those.
    pub(in crate::sched) fn expire_budgets(&'static self, cs: CriticalSection<'_>) {
        if is_smp::<S>() {
            return;
        }
        let now = S::Machine::now();
        if self.budgets.alarm(cs).is_none_or(|alarm| now < alarm) {
            return;
        }
        self.budgets.settle(cs, now);
        for account in self.accounts(cs) {
            self.turn_account(cs, account, now);
        }
        self.reselect(cs);
        self.budgets.alarm.set(cs, self.next_look(cs, now));
    }

    /// Returns the next time after `now` at which accounts are to be checked.
    fn next_look(&'static self, cs: CriticalSection<'_>, now: Instant) -> Option<Instant> {
        let mut first = None;
        for account in self.accounts(cs) {
            let budget = account.budget.get(cs);
            if account.is_depleted.get(cs) {
                first = earlier(first, Some(budget.renewal()));
            } else if is_same(self.budgets.payer.get(cs), Some(account)) {
                first = earlier(first, Some(now.saturating_add(budget.left())));
            }
        }
        first
    }
}
