//! Stress runs: random operations, done by seats and by the oracle.

use super::board::THREADS;
use super::mood::{Count, Mood};
use super::plans::{LENGTH, MOODS, Plan, STORMS, attempt, plans, plans_with_servers, seed};
use super::storms::storm;
use std::cell::Cell;
use taktos_schedule::smp::PolicyKind;

/// Makes `runs` stress runs, each of [`LENGTH`] operations, of a plan compared with the oracle.
fn stress(plan: &[Plan], mood: Mood, runs: usize) -> Count {
    let sum = Cell::new(Count::default());
    let run = |words: &[u64], mood: Mood| {
        let count = attempt(words, plan, mood)?;
        let mut all = sum.get();
        all.throttled += count.throttled;
        all.postponed += count.postponed;
        all.parted += count.parted;
        all.overdue += count.overdue;
        all.alone += count.alone;
        all.raised += count.raised;
        all.owned += count.owned;
        all.waited += count.waited;
        all.changed += count.changed;
        all.came += count.came;
        all.left += count.left;
        all.came_to_watched += count.came_to_watched;
        all.left_watched += count.left_watched;
        all.seated += count.seated;
        all.displaced += count.displaced;
        all.spun += count.spun;
        all.bound += count.bound;
        all.guests += count.guests;
        all.abroad += count.abroad;
        all.lent += count.lent;
        all.acts += count.acts;
        sum.set(all);
        Ok(())
    };
    for _ in 0..runs {
        let seed = seed();
        storm(|words| run(words, mood.of(seed)), seed, LENGTH);
    }
    let parted = sum.get().parted;
    let seldom = 5 + runs / 40;
    assert!(parted <= seldom, "{parted} of {runs} runs ended early");
    let overdue = sum.get().overdue;
    assert!(
        overdue <= 3 + runs / 4,
        "{overdue} of {runs} runs ended by a budget"
    );
    sum.get()
}

/// Makes `runs` stress runs of all plans and moods together. Rates are of the operations that were
/// done: a run ends where the systems part.
fn all_plans_and_moods(runs: usize) {
    let runs = runs.div_ceil(plans().len() * MOODS.len());
    for plan in &plans() {
        for mood in MOODS {
            let count = stress(plan, mood, runs);
            let (all, acts) = (runs * LENGTH, count.acts);
            println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
            let serves = plan.iter().any(|(policy, ..)| *policy == PolicyKind::Cbs);
            assert!(
                cfg!(miri) || !serves || count.postponed > acts / 500,
                "budgets are used up now and then"
            );
            assert!(
                cfg!(miri) || !serves || count.throttled > 0,
                "threads are throttled"
            );
        }
    }
}

/// Makes `runs` stress runs together in which processors come and leave, where threads have
/// servers while budgets are used up and alarms are late.
fn processors_leave(runs: usize) {
    let runs = runs.div_ceil(plans().len());
    let mood = Mood {
        restless: true,
        ..Mood::new(8, THREADS)
    };
    for plan in &plans() {
        let count = stress(plan, mood, runs);
        let (all, acts) = (runs * LENGTH, count.acts);
        println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
        let serves = plan.iter().any(|(policy, ..)| *policy == PolicyKind::Cbs);
        assert!(
            cfg!(miri) || !serves || count.postponed > acts / 500,
            "budgets are used up now and then"
        );
        assert!(
            cfg!(miri) || count.came > acts / 1_000 && count.left > acts / 1_000,
            "processors come and leave"
        );
    }
}

/// Makes `runs` stress runs together, with alarms late or not. Threads that may have servers, soft
/// ones and hard ones, are bound and pinned from early on.
fn bound_threads_have_servers(runs: usize) {
    let plans = plans_with_servers();
    let runs = runs.div_ceil(plans.len() * 2 * 2);
    for plan in &plans {
        for (threads, restless) in [(4, false), (6, true), (THREADS, false), (THREADS, true)] {
            let mood = Mood {
                binds: true,
                restless,
                ..Mood::new(1_000, threads)
            };
            let count = stress(plan, mood, runs);
            let (all, acts) = (runs * LENGTH, count.acts);
            println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
            assert!(
                cfg!(miri) || count.bound > acts / 4 && count.postponed > acts / 500,
                "threads with servers are bound, and use up budgets"
            );
            assert!(cfg!(miri) || count.throttled > 0, "threads are throttled");
        }
    }
}

#[test]
fn bound_threads_that_have_servers_are_as_the_oracle_has_them() {
    bound_threads_have_servers(STORMS * plans_with_servers().len());
}

#[test]
fn seats_decide_as_the_oracle_does() {
    all_plans_and_moods(STORMS * plans().len() * MOODS.len());
}

/// Makes `runs` stress runs together in which free locks of all protocols are obtained and given
/// up.
fn sections(runs: usize) {
    let runs = runs.div_ceil(plans().len() * 2);
    for plan in &plans() {
        for calm in [8, 60] {
            let mood = Mood {
                sections: true,
                ..Mood::new(calm, THREADS)
            };
            let count = stress(plan, mood, runs);
            let (all, acts) = (runs * LENGTH, count.acts);
            println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
            assert!(
                cfg!(miri) || count.alone > acts / 200,
                "locks are free now and then"
            );
            let raised = match plan.iter().any(|(kind, ..)| kind.knows_deadlines()) {
                true => acts / 10_000,
                false => acts / 500,
            };
            assert!(
                cfg!(miri) || count.raised > raised && count.owned > 10 * raised,
                "owners are raised"
            );
        }
    }
}

/// Makes `runs` stress runs together in which threads wait for owners that have seats, and lose
/// them.
fn owners_have_seats(runs: usize) {
    let several = |plan: &Vec<Plan>| plan.len() > 1;
    let plans: Vec<_> = plans().into_iter().filter(several).collect();
    let runs = runs.div_ceil(plans.len() * 3);
    for plan in &plans {
        for (calm, threads) in [(60, THREADS), (60, 6), (2_000, THREADS)] {
            let mood = Mood {
                inherits: true,
                ..Mood::new(calm, threads)
            };
            let (count, all) = (stress(plan, mood, runs), runs * LENGTH);
            println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
            assert!(
                cfg!(miri) || count.seated > count.acts / 10_000 && count.displaced > 0,
                "owners keep their seats while others wait, and lose them"
            );
            assert!(
                cfg!(miri) || count.guests > 0 && count.acts > all / 8,
                "owners run in the place of others, and as by the tables for long"
            );
        }
    }
}

/// Makes `runs` stress runs together in which processors come to instances, and leave them.
/// Threads of the instances wait for owners that have seats, and lose them.
fn processors_leave_owners(runs: usize) {
    let runs = runs.div_ceil(plans().len());
    let mood = Mood {
        restless: true,
        inherits: true,
        ..Mood::new(60, THREADS)
    };
    for plan in &plans() {
        let (count, all) = (stress(plan, mood, runs), runs * LENGTH);
        println!("{plan:?}, {mood:?}: of {all} operations {count:?}");
        let lends = |plan: &Plan| plan.0 != PolicyKind::PriorityAffinity;
        let seldom = cfg!(miri) || !plan.iter().all(lends);
        assert!(
            seldom || count.came_to_watched > count.acts / 2_000,
            "processors come to instances that lend"
        );
        assert!(
            seldom || count.left_watched > count.acts / 2_000,
            "processors leave instances that lend"
        );
    }
}

#[test]
fn processors_that_leave_owners_are_as_the_oracle_has_them() {
    processors_leave_owners(STORMS * plans().len());
}

#[test]
fn owners_that_keep_their_seats_are_as_the_oracle_has_them() {
    owners_have_seats(STORMS * plans().len());
}

#[test]
fn free_locks_are_as_the_oracle_has_them() {
    sections(STORMS * plans().len());
}

#[test]
fn processors_that_leave_with_late_alarms_are_as_the_oracle_has_them() {
    processors_leave(if cfg!(miri) { 1 } else { 2_000 });
}

#[test]
#[ignore = "a step of long runs: some ten minutes"]
fn seventy_thousand_stress_runs() {
    all_plans_and_moods(50_000);
    processors_leave(20_000);
    sections(20_000);
    owners_have_seats(20_000);
    processors_leave_owners(20_000);
}
