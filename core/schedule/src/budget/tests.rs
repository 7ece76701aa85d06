//! The budget against a naive account that is kept tick by tick, and against the bound of its head.

use super::Budget;
use proptest::prelude::*;
use std::vec::Vec;
use taktos_time::{Duration, Instant};

fn span(ticks: u64) -> Duration {
    Duration::from_nanos(ticks)
}

fn at(tick: u64) -> Instant {
    Instant::from_nanos(tick)
}

/// A model with equal rules, a tick at a time: nothing is computed.
struct Naive {
    amount: u64,
    period: u64,
    /// A negative balance is a debt.
    balance: i64,
    /// The least that it ever was.
    least: i64,
    /// Whether a period runs, and for how long still.
    rest: Option<u64>,
}

impl Naive {
    /// Acts before the tick in which `users` threads use the budget.
    fn tick(&mut self, users: u32) {
        if self.rest == Some(0) {
            self.balance = (self.balance + self.amount as i64).min(self.amount as i64);
            self.rest = Some(self.period);
        }
        let full = self.balance == self.amount as i64;
        // Of a full budget no period needs to run on, but one that has begun does to its end.
        if users > 0 && self.rest.is_none() {
            self.rest = Some(self.period);
        }
        self.balance -= i64::from(users);
        self.least = self.least.min(self.balance);
        self.rest = self.rest.map(|rest| rest - 1);
        if full && users == 0 && self.rest == Some(0) {
            self.rest = None;
        }
    }
}

/// A step of some duration, in ticks: nothing, or use by some threads at a time. The use continues
/// to the end of the budget, and some ticks beyond.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pause(u64),
    Use {
        at_most: u64,
        beyond: u64,
        users: u32,
    },
}

/// The most processors.
const MOST: u32 = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pause = (1..40_u64).prop_map(Step::Pause);
    let of = |(at_most, beyond, users)| Step::Use {
        at_most,
        beyond,
        users,
    };
    let using = (1..40_u64, 0..4_u64, 1..=MOST).prop_map(of);
    // Now and then a service of a thread that no other budget pays for.
    let service = (1..4_u64, 0..60_u64, 1..=MOST).prop_map(of);
    prop::collection::vec(prop_oneof![4 => pause, 6 => using, 1 => service], 1..60)
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn it_is_the_naive_account_and_keeps_its_bound(
        amount in 1..12_u64,
        more in 0..20_u64,
        processors in 1..=MOST,
        steps in steps(),
    ) {
        // With several it may be longer than its period.
        let period = amount.div_ceil(processors.into()) + more;
        let mut budget = Budget::new(span(amount), span(period), processors);
        let mut naive = Naive { amount, period, balance: amount as i64, least: 0, rest: None };
        // How many each tick was charged for.
        let mut used: Vec<u32> = Vec::new();
        let mut most_owed = Duration::ZERO;
        for step in steps {
            let now = used.len() as u64;
            match step {
                Step::Pause(ticks) => {
                    (0..ticks).for_each(|_| naive.tick(0));
                    used.resize(used.len() + ticks as usize, 0);
                    budget.renew(at(now + ticks));
                }
                Step::Use { at_most, beyond, users } => {
                    let users = users.min(processors);
                    budget.begin(at(now));
                    if budget.is_empty() && beyond < 4 {
                        continue;
                    }
                    let ticks = at_most.min(budget.lasts(users).as_nanos()) + beyond;
                    (0..ticks).for_each(|_| naive.tick(users));
                    used.resize(used.len() + ticks as usize, users);
                    let owed = match users {
                        1 => budget.charge(at(now), at(now + ticks)),
                        _ => budget.charge_for(at(now), at(now + ticks), users),
                    };
                    most_owed = most_owed.max(owed);
                }
            }
            // The naive account renews when the next tick comes.
            let due = naive.rest == Some(0);
            let balance = match due {
                true => (naive.balance + amount as i64).min(amount as i64),
                false => naive.balance,
            };
            budget.renew(at(used.len() as u64));
            prop_assert_eq!(
                budget.left().as_nanos() as i64 - budget.owed().as_nanos() as i64,
                balance
            );
        }
        prop_assert_eq!(most_owed.as_nanos(), naive.least.unsigned_abs());
        let charged = |window: &[u32]| u64::from(window.iter().sum::<u32>());
        let processors = u64::from(processors);
        for begin in 0..used.len() {
            for end in begin..=used.len() {
                let length = (end - begin) as u64;
                let bound = match processors * length <= amount {
                    true => processors * length,
                    // Times the processors, so that nothing is lost by rounding.
                    false => {
                        let behind = processors * length - amount;
                        amount * (1 + behind.div_ceil(processors * period)) + naive.least.unsigned_abs()
                    }
                };
                prop_assert!(charged(&used[begin..end]) <= bound, "{begin} to {end}");
            }
        }
    }
}

#[test]
fn what_is_used_across_a_renewal_is_taken_from_both_periods() {
    let mut budget = Budget::new(span(20), span(100), 1);
    budget.begin(at(0));
    budget.charge(at(0), at(5));
    budget.begin(at(95));
    budget.charge(at(95), at(110));
    assert_eq!((budget.left(), budget.renewal()), (span(10), at(200)));
}

#[test]
fn several_users_take_as_many_times_as_much_of_both_periods() {
    let mut budget = Budget::new(span(20), span(100), 2);
    budget.begin(at(0));
    assert_eq!(budget.lasts(3), span(7));
    budget.charge_for(at(0), at(7), 3);
    assert_eq!((budget.left(), budget.owed()), (span(0), span(1)));
    budget.charge_for(at(98), at(103), 2);
    // The debt is paid by the renewal in between.
    assert_eq!((budget.left(), budget.owed()), (span(9), span(0)));
}

#[test]
#[should_panic(expected = "no longer than its period")]
fn more_than_the_processors_have_is_no_budget() {
    let _ = Budget::new(span(201), span(100), 2);
}

#[test]
fn what_is_owed_is_paid_first() {
    let mut budget = Budget::new(span(20), span(100), 1);
    budget.begin(at(0));
    budget.charge(at(0), at(65));
    assert_eq!((budget.left(), budget.owed()), (span(0), span(45)));
    budget.renew(at(200));
    assert_eq!((budget.left(), budget.owed()), (span(0), span(5)));
    budget.renew(at(300));
    assert_eq!((budget.left(), budget.owed()), (span(15), span(0)));
}

#[test]
fn a_full_budget_begins_a_period_when_it_is_used() {
    let mut budget = Budget::new(span(20), span(100), 1);
    budget.begin(at(1_000));
    assert_eq!(budget.renewal(), at(1_100));
    budget.charge(at(1_000), at(1_020));
    budget.begin(at(5_000));
    assert_eq!((budget.left(), budget.renewal()), (span(20), at(5_100)));
}

#[test]
fn at_the_end_of_all_time_nothing_hangs() {
    let mut budget = Budget::new(span(20), Duration::MAX, 1);
    budget.begin(at(7));
    budget.charge(at(7), Instant::MAX);
    assert!(budget.is_empty());
}
