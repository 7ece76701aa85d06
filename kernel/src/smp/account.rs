//! Owns: when time is charged to accounts where there are several processors, and which of them has
//! its alarm for an account. Must never know: which account pays for which thread; how threads with
//! an empty account are held.
//!
//! Each processor has a payer: that of the thread that was made its heir last. While the heir is
//! unknown, the thread that runs on pays as before. An account has one time up to which all of its
//! *users*, the processors with it as their payer, are charged. It is charged before their number
//! changes, so it goes by that number in between.
//!
//! One processor *watches* an account that is charged, until it is empty, or one that is empty,
//! until it is renewed: the processor that last decided on an earlier check. So no other one need
//! be notified to set its alarm. A change that postpones the check has no effect: the watcher finds
//! the account not empty, and checks again.

use super::{MOST, Smp};
use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::{Account, earlier, is_same};
use crate::thread::tcb::ThreadRef;
use crate::{Kernel, System};
use core::ptr;
use taktos_machine::{Machine, Processor};
use taktos_time::Instant;

/// The processors that an account is charged for.
pub(crate) struct Users {
    count: Guarded<u32>,
    /// Up to when they are charged.
    since: Guarded<Instant>,
    /// The processor that checks the account, and the time of the check.
    watch: Guarded<Option<(usize, Instant)>>,
}

impl Users {
    /// There are none.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NOBODY: Self = Self {
        count: Guarded::new(0),
        since: Guarded::new(Instant::START),
        watch: Guarded::new(None),
    };

    fn are_watched_by(&self, cs: CriticalSection<'_>, here: usize) -> bool {
        self.watch.get(cs).is_some_and(|(cpu, _)| cpu == here)
    }
}

impl Account {
    /// Charges all users with the time up to `now`, or to when they were charged last: another
    /// processor's clock may be a little ahead.
    fn settle(&self, cs: CriticalSection<'_>, now: Instant) {
        let (count, since) = (self.users.count.get(cs), self.users.since.get(cs));
        let now = now.max(since);
        if count > 0 && now > since {
            // A processor that was a user for no time began no period.
            self.change(cs, |budget| budget.begin(since));
            self.charge_users(cs, since, now, count);
        }
        self.users.since.set(cs, now);
    }

    /// One user less, from `now` on.
    fn lose_user(&self, cs: CriticalSection<'_>, now: Instant) {
        self.settle(cs, now);
        self.users.count.set(cs, self.users.count.get(cs) - 1);
    }

    /// One user more, from `now` on.
    fn gain_user(&self, cs: CriticalSection<'_>, now: Instant) {
        self.settle(cs, now);
        let count = self.users.count.get(cs);
        if count == 0 {
            self.change(cs, |budget| budget.renew(self.users.since.get(cs)));
        }
        self.users.count.set(cs, count + 1);
    }

    /// Returns when the account is to be checked, after the time up to which it is charged: it is
    /// empty then, or renewed.
    fn next_look(&self, cs: CriticalSection<'_>) -> Option<Instant> {
        let (budget, count) = (self.budget.get(cs), self.users.count.get(cs));
        if self.is_depleted.get(cs) {
            return Some(budget.renewal());
        }
        let since = self.users.since.get(cs);
        (count > 0).then(|| since.saturating_add(budget.lasts(count)))
    }
}

/// The accounts that processors are charged to, and the times of their checks.
pub(super) struct ChargedAccounts {
    /// The account that each is charged to; none while its heir has no payer.
    payers: [Guarded<Option<&'static Account>>; MOST],
    /// When each is to look at accounts: no later than any that it watches wants.
    looks: [Guarded<Option<Instant>>; MOST],
}

impl ChargedAccounts {
    pub const fn new() -> Self {
        Self {
            payers: [const { Guarded::new(None) }; MOST],
            looks: [const { Guarded::new(None) }; MOST],
        }
    }
}

impl<S: System> Smp<S> {
    /// When the processor `here` is to look at accounts.
    pub(super) fn account_look(&self, cs: CriticalSection<'_>, here: usize) -> Option<Instant> {
        self.payers.looks[here].get(cs)
    }

    /// The processor `cpu` is charged to `payer` from now on.
    #[inline(never)]
    fn change_payer(&self, cs: CriticalSection<'_>, cpu: usize, payer: Option<&'static Account>) {
        let now = S::Machine::now();
        if let Some(former) = self.payers.payers[cpu].get(cs) {
            former.lose_user(cs, now);
        }
        self.payers.payers[cpu].set(cs, payer);
        let Some(account) = payer else { return };
        account.gain_user(cs, now);
        // Of an account that is empty its renewal is awaited already.
        if !account.is_depleted.get(cs) {
            self.watch_sooner(cs, account);
        }
    }

    /// The caller's processor watches `account`, if it is to be looked at before its watcher would.
    fn watch_sooner(&self, cs: CriticalSection<'_>, account: &'static Account) {
        let (Some(look), watch) = (account.next_look(cs), &account.users.watch) else {
            return;
        };
        if watch.get(cs).is_some_and(|(_, before)| before <= look) {
            return;
        }
        let here = S::Machine::number();
        watch.set(cs, Some((here, look)));
        let own = &self.payers.looks[here];
        if own.get(cs).is_none_or(|before| look < before) {
            own.set(cs, Some(look));
            self.set_alarm(cs, here);
        }
    }
}

/// Returns the number of the processor with the seat `seat`.
#[inline(always)]
fn number_of<S: System>(seat: &'static Processor) -> Option<usize> {
    if ptr::eq(seat, S::Machine::processor()) {
        return Some(S::Machine::number());
    }
    processors::<S>().find(|cpu| ptr::eq(seat, S::Machine::processor_numbered(*cpu)))
}

fn processors<S: System>() -> core::ops::Range<usize> {
    0..<S::Machine as Machine>::PROCESSORS
}

impl<S: System> Kernel<S> {
    /// Charges the payer of `heir`, which is to run on the processor with the seat `seat`, from now
    /// on.
    #[inline(never)]
    pub(super) fn charge_seat(
        &'static self,
        cs: CriticalSection<'_>,
        seat: &'static Processor,
        heir: ThreadRef,
    ) {
        let Some(cpu) = number_of::<S>(seat) else {
            return;
        };
        let (several, payer) = (S::smp(), heir.payer(cs));
        if !is_same(payer, several.payers.payers[cpu].get(cs)) {
            several.change_payer(cs, cpu, payer);
        }
    }

    /// Charges the payer of `thread`, which may have changed, for the processors that have the
    /// thread as their heir, or on which it runs on until an heir is found. Steps: the processors.
    pub(crate) fn charge_where_heir(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        for cpu in processors::<S>() {
            let seat = S::Machine::processor_numbered(cpu);
            let (heir, current) = (seat.heir.get(), seat.current.get());
            let runs = if heir.is_null() { current } else { heir };
            if ptr::eq(runs, thread.context()) {
                self.charge_seat(cs, seat, thread);
            }
        }
    }

    /// Handles the alarm of the processor `here`, for the accounts that it watches: holds the
    /// threads of empty accounts, and releases the threads of renewed ones. Steps: the accounts,
    /// and the threads of those.
    pub(super) fn expire_accounts(&'static self, cs: CriticalSection<'_>, here: usize) {
        let (now, own) = (S::Machine::now(), &S::smp().payers.looks[here]);
        if own.get(cs).is_none_or(|look| now < look) {
            return;
        }
        for account in self.accounts(cs) {
            if account.users.are_watched_by(cs, here) {
                account.settle(cs, now);
                self.turn_account(cs, account, account.users.since.get(cs));
            }
        }
        // Only now: threads that were held or let go have changed how long other accounts last.
        let mut first = None;
        for account in self.accounts(cs) {
            if account.users.are_watched_by(cs, here) {
                let look = account.next_look(cs);
                account.users.watch.set(cs, look.map(|look| (here, look)));
                first = earlier(first, look);
            }
        }
        own.set(cs, first);
    }

    /// Charges all processors up to now.
    pub(crate) fn settle_users(&'static self, cs: CriticalSection<'_>) {
        let now = S::Machine::now();
        self.accounts(cs)
            .for_each(|account| account.settle(cs, now));
    }

    /// Charges no account for the time that was skipped when the time was set.
    pub(crate) fn skip_users(&'static self, cs: CriticalSection<'_>) {
        let now = S::Machine::now();
        self.accounts(cs)
            .for_each(|account| account.users.since.set(cs, now));
    }
}
