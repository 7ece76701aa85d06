//! Owns: accounts of processor time; which thread is charged to which account; how threads with an
//! empty account are held. Must never know: partitions; the arithmetic of a budget; when time is
//! charged, which is [`uni`]'s matter on one processor, and that of the kernel for several
//! processors there.
//!
//! Time is charged by decisions: from the one by which a thread becomes the heir to the next by
//! which a thread of another account does. So a handler is on the account of the thread that it
//! interrupts, until it makes another thread the heir.
//!
//! A thread's *payer* is an account. A thread that works on calls has the payer of the most urgent
//! caller that awaits a reply, if that payer has something left; else its own account. If it has
//! none, it keeps the caller's payer, which owes then. For a thread without an account, the
//! partition that it starts or stops pays before any caller, and owes. Only a thread that is its
//! own payer can be held: it carries [`Urgency::DEPLETED`] while its account is empty, and is in no
//! ring of ready ones. Payers are found again when a call is taken, answered or given up, and when
//! an account is emptied or renewed.

mod uni;

pub(crate) use uni::Budgets;

use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::is_smp;
use crate::smp::Users;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::{Target, Wait};
use crate::{Kernel, System};
use core::ptr;
use taktos_machine::Machine;
use taktos_schedule::Budget;
use taktos_time::{Duration, Instant};

/// The processor time that a group of threads may use, and the time that it used.
///
/// The fields that one processor does not need come last, so that the others stay in their places.
#[repr(C)]
pub(crate) struct Account {
    pub budget: Guarded<Budget>,
    spent: Guarded<Spent>,
    /// The group of threads that use it; none before it is opened.
    members: Guarded<Option<&'static dyn Members>>,
    /// The account that was opened before.
    next: Guarded<Option<&'static Account>>,
    /// Whether its threads are held, because it was empty when that was looked at last.
    pub is_depleted: Guarded<bool>,
    /// Of several processors, those that it is charged for.
    pub users: Users,
}

/// The charges to an account since it was opened.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    /// All of it.
    pub time: Duration,
    /// The largest deficit so far.
    pub most_owed: Duration,
    /// How often the account was empty.
    pub depletions: u32,
}

/// The threads that use an account.
pub(crate) trait Members: Sync {
    /// Calls `visit` with each, whether it exists or not.
    fn each(&self, visit: &mut dyn FnMut(ThreadRef));
}

impl Account {
    pub const fn new(budget: Budget) -> Self {
        Self {
            budget: Guarded::new(budget),
            spent: Guarded::new(Spent {
                time: Duration::ZERO,
                most_owed: Duration::ZERO,
                depletions: 0,
            }),
            is_depleted: Guarded::new(false),
            users: Users::NOBODY,
            next: Guarded::new(None),
            members: Guarded::new(None),
        }
    }

    /// Returns the account's budget and its charges, as they were noted last.
    pub fn look(&self, cs: CriticalSection<'_>) -> (Budget, Spent) {
        (self.budget.get(cs), self.spent.get(cs))
    }

    pub fn change<R>(&self, cs: CriticalSection<'_>, change: impl FnOnce(&mut Budget) -> R) -> R {
        let mut budget = self.budget.get(cs);
        let result = change(&mut budget);
        self.budget.set(cs, budget);
        result
    }

    /// Charges one user with the time from `begin`, at which it was charged last, to `end`.
    fn charge(&self, cs: CriticalSection<'_>, begin: Instant, end: Instant) {
        let owed = self.change(cs, |budget| budget.charge(begin, end));
        self.note(cs, end.since(begin), owed);
    }

    /// [`Account::charge`] for `users` users.
    pub fn charge_users(&self, cs: CriticalSection<'_>, begin: Instant, end: Instant, users: u32) {
        let owed = self.change(cs, |budget| budget.charge_for(begin, end, users));
        self.note(cs, end.since(begin).saturating_mul(users), owed);
    }

    /// Notes that `time` was charged, and the largest deficit.
    #[inline(always)]
    fn note(&self, cs: CriticalSection<'_>, time: Duration, owed: Duration) {
        let mut spent = self.spent.get(cs);
        spent.time = spent.time.saturating_add(time);
        spent.most_owed = spent.most_owed.max(owed);
        self.spent.set(cs, spent);
    }

    /// Notes whether the account is empty at `now`; whether that is new.
    pub fn turns(&self, cs: CriticalSection<'_>, now: Instant) -> bool {
        let is_empty = self.change(cs, |budget| {
            budget.renew(now);
            budget.is_empty()
        });
        if is_empty == self.is_depleted.get(cs) {
            return false;
        }
        self.is_depleted.set(cs, is_empty);
        let mut spent = self.spent.get(cs);
        spent.depletions += u32::from(is_empty);
        self.spent.set(cs, spent);
        true
    }
}

pub(crate) fn is_same(one: Option<&'static Account>, other: Option<&'static Account>) -> bool {
    one.map(ptr::from_ref) == other.map(ptr::from_ref)
}

/// The earlier of two times, of which there need be none.
pub(crate) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A thread's accounts.
impl ThreadRef {
    #[inline(always)]
    pub(crate) fn payer(self, cs: CriticalSection<'_>) -> Option<&'static Account> {
        self.info.get(cs)?.payer.get(cs)
    }

    /// Whether the thread would be in a ring of ready ones, were it not for its account.
    fn is_able(self, cs: CriticalSection<'_>) -> bool {
        self.wait.get(cs) == Wait::NOTHING && !self.urgency.get(cs).has(Urgency::SUSPENDED)
    }

    /// Sets the payer of the thread, with `caller` as its most urgent caller, and whether it is
    /// held; the rings stay as they are. Returns whether it was held before, and whether it is now.
    fn find_payer(self, cs: CriticalSection<'_>, caller: Option<ThreadRef>) -> [bool; 2] {
        let Some(info) = self.info.get(cs) else {
            return [false; 2];
        };
        let own = info.account.get(cs);
        let callers = caller.and_then(|caller| caller.payer(cs));
        let payer = match (own, callers) {
            (None, _) => info.works_for.get(cs).or(callers),
            (_, Some(account)) if !account.is_depleted.get(cs) => callers,
            _ => own,
        };
        info.payer.set(cs, payer);
        let urgency = self.urgency.get(cs);
        let was_held = urgency.has(Urgency::DEPLETED);
        let is_held = own.is_some_and(|own| own.is_depleted.get(cs) && is_same(payer, Some(own)));
        self.urgency.set(
            cs,
            match is_held {
                true => urgency.with(Urgency::DEPLETED),
                false => urgency.without(Urgency::DEPLETED),
            },
        );
        [was_held, is_held]
    }

    /// Makes the thread, which begins again, pay for itself.
    #[inline(always)]
    pub(crate) fn pay_alone(self, cs: CriticalSection<'_>) {
        if let Some(info) = self.info.get(cs) {
            info.works_for.set(cs, None);
        }
        self.find_payer(cs, None);
    }
}

impl<S: System> Kernel<S> {
    /// `server` is about to work on the call of `caller`, which pays for that. It is neither ready
    /// nor waits: nothing is done to rings.
    #[inline(always)]
    pub(crate) fn carry_account(
        &'static self,
        cs: CriticalSection<'_>,
        caller: ThreadRef,
        server: ThreadRef,
    ) {
        let other = server.waiters.first_awaiting_reply(cs);
        let is_first = other.is_none_or(|other| {
            let own = caller.urgency.get(cs).effective();
            own.beats(other.urgency.get(cs).effective())
        });
        server.find_payer(cs, if is_first { Some(caller) } else { other });
    }

    /// `account`, if it is one, pays from now on for the thread that runs, if that has none of its
    /// own. The account that did before.
    pub(crate) fn work_for(
        &'static self,
        cs: CriticalSection<'_>,
        account: Option<&'static Account>,
    ) -> Option<&'static Account> {
        let current = Self::running().current(cs);
        let before = current.info.get(cs)?.works_for.get(cs);
        if !is_same(before, account) {
            self.set_work(cs, current, account);
            self.reselect(cs);
        }
        before
    }

    /// `account`, if it is one, pays for `thread` when that runs, if it has none of its own.
    pub(crate) fn set_work(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        account: Option<&'static Account>,
    ) {
        if let Some(info) = thread.info.get(cs) {
            info.works_for.set(cs, account);
            self.find_payers(cs, thread);
        }
    }

    /// Finds the payer of `thread` again, and those of all threads that it waits for a reply of in
    /// turn; sets the heir. Steps: that chain.
    #[inline(always)]
    pub(crate) fn settle_payer(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.find_payers(cs, thread);
        self.reselect(cs);
    }

    #[inline(never)]
    fn find_payers(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let mut next = Some(thread).filter(|thread| thread.was_started(cs));
        while let Some(thread) = next {
            match thread.find_payer(cs, thread.waiters.first_awaiting_reply(cs)) {
                [false, true] if thread.is_able(cs) => self.dequeue_ready(cs, thread),
                [true, false] if thread.is_able(cs) => {
                    self.make_ready(cs, thread);
                }
                _ => {}
            }
            if is_smp::<S>() {
                // If it is the heir already, no decision sets the payer from now on.
                self.charge_where_heir(cs, thread);
            }
            next = match thread.wait.get(cs).target() {
                Target::Reply(server) => Some(server),
                _ => None,
            };
        }
    }

    /// Notes whether `account` is empty at `now`, up to which it is charged; if that is new, its
    /// threads are held, or released. Steps: those.
    #[inline(always)]
    pub(crate) fn turn_account(
        &'static self,
        cs: CriticalSection<'_>,
        account: &'static Account,
        now: Instant,
    ) {
        // Nothing special is to be done to a held thread: it is made ready when it is let go,
        // whatever it waited for before.
        if account.turns(cs, now)
            && let Some(members) = account.members.get(cs)
        {
            members.each(&mut |thread| self.find_payers(cs, thread));
        }
    }

    /// Opens `account` for `members`, unless it is open.
    pub(crate) fn open_account(
        &'static self,
        cs: CriticalSection<'_>,
        account: &'static Account,
        members: &'static dyn Members,
    ) {
        if account.members.get(cs).is_none() {
            account.members.set(cs, Some(members));
            account.next.set(cs, self.budgets.accounts.get(cs));
            self.budgets.accounts.set(cs, Some(account));
        }
    }

    /// All accounts that are open.
    #[inline(always)]
    pub(crate) fn accounts(
        &'static self,
        cs: CriticalSection<'_>,
    ) -> impl Iterator<Item = &'static Account> {
        core::iter::successors(self.budgets.accounts.get(cs), move |account| {
            account.next.get(cs)
        })
    }

    /// Charges the present payers with the time up to now: before accounts are read, or the time is
    /// set.
    pub(crate) fn settle_accounts(&'static self, cs: CriticalSection<'_>) {
        if is_smp::<S>() {
            self.settle_users(cs);
        } else {
            self.budgets.settle(cs, S::Machine::now());
        }
    }

    /// Charges no account for the time that was skipped when the time was set.
    pub(crate) fn skip_accounts(&'static self, cs: CriticalSection<'_>) {
        if is_smp::<S>() {
            self.skip_users(cs);
        } else {
            self.budgets.skip(cs, S::Machine::now());
        }
    }
}
