//! Owns: when time is charged to accounts where there are several processors, and which of them has its alarm for an account.
//! Must never know: who pays for whom; what becomes of threads whose account is empty.
//!
//! Each processor has a payer: that of the thread that was made its heir last. While the heir is unknown, whoever runs on pays as before.
//! An account has one time up to which all of its *users*, the processors whose payer it is, are charged; it is charged before their number
//! changes, so it goes by that number in between.
//!
//! One processor *watches* an account that is charged, until it is empty, or one that is empty, until it is renewed: the processor that
//! last decided that it is to be looked at sooner. So no other one need be told to set its alarm. What puts that time off changes
//! nothing: the watcher finds the account not empty, and looks again.

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
    /// Which processor looks at the account, and when.
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
    /// Charges all users with the time up to `now`, or to when they were charged last: another processor's clock may be a little ahead.
    fn settle(&self, cs: CriticalSection<'_>, now: Instant) {
        let (count, since) = (self.users.count.get(cs), self.users.since.get(cs));
        let now = now.max(since);
        if count > 0 && now > since {
            // Who was a user for no time began no period.
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

    /// When the account is to be looked at, behind the time up to which it is charged: it is empty then, or renewed.
    fn next_look(&self, cs: CriticalSection<'_>) -> Option<Instant> {
        let (budget, count) = (self.budget.get(cs), self.users.count.get(cs));
        if self.is_depleted.get(cs) {
            return Some(budget.renewal());
        }
        let since = self.users.since.get(cs);
        (count > 0).then(|| since.saturating_add(budget.lasts(count)))
    }
}

/// What processors are charged to, and when they look.
pub(super) struct Payers {
    /// The account that each is charged to; none while its heir has no payer.
    payers: [Guarded<Option<&'static Account>>; MOST],
    /// When each is to look at accounts: no later than any that it watches wants.
    looks: [Guarded<Option<Instant>>; MOST],
}

impl Payers {
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

/// The number of the processor whose seat is `seat`.
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
    /// `heir` is to run on the processor whose seat is `seat`: who pays for it is charged from now on.
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

    /// Who pays for `thread` may be another one: the processors whose heir it is, or where it runs on until one is found, are charged to
    /// that one. Steps: the processors.
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

    /// What comes with the alarm of the processor `here`: holds the threads of accounts that are empty, and lets those go on whose
    /// account is renewed, of those accounts that it watches. Steps: the accounts, and the threads of those.
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
        // Only now: who was held or let go has changed how long others last.
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

    /// The time was set: nobody pays for what lies between.
    pub(crate) fn skip_users(&'static self, cs: CriticalSection<'_>) {
        let now = S::Machine::now();
        self.accounts(cs)
            .for_each(|account| account.users.since.set(cs, now));
    }
}
