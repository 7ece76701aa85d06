//! The processors that are tickled for a unit that wakes.

use super::*;
use crate::vcpu::Profile;

/// Unit i + 1 runs on processor i for each bit of `busy`; unit 0 sleeps on
/// processor 0. Threads 2 k and 2 k + 1 are of one core.
fn with_busy(cpus: usize, busy: u64, parameters: Parameters, test: impl FnOnce(&mut Bench)) {
    let place = |index: usize| Place {
        core: index as u16 / 2,
        ..Place::flat(0)
    };
    let topology: Vec<Place> = (0..cpus).map(place).collect();
    with(&topology, Grouping::DEFAULT, cpus + 1, parameters, |b| {
        for on in set(busy) {
            b.run_on(on.index() + 1, on.index());
        }
        b.policy.units[0].cpu = cpu(0);
        b.now = 2 * MS;
        test(b);
    });
}

/// Returns the processors that are tickled when unit 0 wakes.
fn told(cpus: usize, busy: u64, change: impl FnOnce(&mut Bench)) -> Vec<usize> {
    let mut told = Vec::new();
    with_busy(cpus, busy, Parameters::DEFAULT, |b| {
        change(b);
        b.wake(0);
        told = b.tickles();
    });
    told
}

#[test]
fn its_own_processor_if_all_of_its_core_is_idle() {
    assert_eq!(told(4, 0b0000, |_| ()), [0]);
}

#[test]
fn a_core_that_is_all_idle_before_a_thread_beside_a_busy_one() {
    assert_eq!(told(4, 0b0010, |_| ()), [2]);
    assert_eq!(told(4, 0b0110, |_| ()), [0], "none: its own then");
    assert_eq!(told(4, 0b0101, |_| ()), [1], "or any that is idle");
}

#[test]
fn where_it_prefers_to_be_first() {
    assert_eq!(
        told(4, 0, |b| b.policy.units[0].state.affinity.soft =
            set(0b1000)),
        [3]
    );
    let busy = told(4, 0b1000, |b| {
        b.policy.units[0].state.affinity.soft = set(0b1000)
    });
    assert_eq!(busy, [0], "that is busy: where it may run");
}

#[test]
fn a_pinned_one_on_its_processor() {
    let beside = told(4, 0b0010, |b| {
        b.policy.units[0].state.affinity.hard = set(0b0001)
    });
    assert_eq!(beside, [0]);
}

#[test]
fn two_wake_ups_never_chase_one_idle_processor() {
    with_busy(4, 0b0110, Parameters::DEFAULT, |b| {
        b.wake(0);
        b.policy.units[4].cpu = cpu(0);
        b.wake(4);
        assert_eq!(b.tickles(), [0, 3]);
    });
}

#[test]
fn its_own_busy_processor_if_it_has_more_credit_than_what_runs_there() {
    // All have run for 2 ms: 8 ms are left to each.
    assert_eq!(told(2, 0b11, |_| ()), [0]);
    let poorer = told(2, 0b11, |b| b.set_credit(0, 8 * CREDIT_MS));
    assert_eq!(poorer, []);
    let richer = told(2, 0b11, |b| b.set_credit(0, 8 * CREDIT_MS + 1));
    assert_eq!(richer, [0]);
}

#[test]
fn another_busy_one_if_the_gain_outweighs_the_migration() {
    // Unit 1 on its own processor has 10.5 ms − 2 ms, unit 2 has 8 ms.
    let spare = |credit| {
        told(2, 0b11, |b| {
            b.set_credit(1, 10_500_000);
            b.set_credit(0, credit);
        })
    };
    assert_eq!(spare(8 * CREDIT_MS + 500_000), []);
    assert_eq!(spare(8 * CREDIT_MS + 500_001), [0], "own: 1 ns richer");
    let loser = told(2, 0b11, |b| {
        b.set_credit(1, 10_500_000);
        b.set_credit(2, 9 * CREDIT_MS);
        b.set_credit(0, 8 * CREDIT_MS);
    });
    assert_eq!(loser, [1]);
}

#[test]
fn among_busy_ones_that_of_the_best_score() {
    // Units 1 to 4 are left −1, 6, 3 and 5 ms; unit 0, with its home outside its preference, has 8.
    let told_with = |soft: u64, others: u64| {
        told(4, 0b1111, |b| {
            for (index, credit) in [(1, 1), (2, 8), (3, 5), (4, 7)] {
                b.set_credit(index, credit * CREDIT_MS);
                b.policy.units[index].state.affinity.soft = set(others);
            }
            b.policy.units[0].state.affinity.soft = set(soft);
            b.set_credit(0, 8 * CREDIT_MS);
        })
    };
    // Its own scores 9; 2 ms, 5 − 0.5 and 3 − 0.5 elsewhere.
    assert_eq!(told_with(0b1110, u64::MAX), [2], "10 ms for its preference");
    assert_eq!(
        told_with(0b1111, u64::MAX),
        [0],
        "its own, without a look at others"
    );
    // All but the last are outside the others' preference: 10 ms more there.
    assert_eq!(told_with(0b1010, 0b1000), [1]);
}

#[test]
fn a_unit_that_has_just_started_is_not_preempted() {
    let fresh = |ran: u64| {
        told(1, 0b1, |b| {
            b.set_credit(1, 0);
            b.now = ran;
        })
    };
    // Up to 50 µs before the rate limit ends.
    assert_eq!(fresh(949_999), []);
    assert_eq!(fresh(950_000), [0]);
}

#[test]
fn release_4_5_preempts_its_own_processor_before_it_looks_for_idle_ones() {
    let xen45 = Parameters::of(Profile::Xen45);
    with_busy(4, 0b0001, xen45, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
        b.sleep(0);
        b.switch(0);
        b.set_credit(0, 8 * CREDIT_MS);
        b.wake(0);
        assert_eq!(b.tickles(), [2], "no richer: an idle one");
    });
    with_busy(4, 0b0010, xen45, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [0], "its own, idle, beside a busy thread");
    });
    with_busy(4, 0b0001, Parameters::DEFAULT, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [2]);
    });
}

#[test]
fn release_4_5_knows_no_soft_affinity() {
    with_busy(4, 0, Parameters::of(Profile::Xen45), |b| {
        b.policy.units[0].state.affinity.soft = set(0b1000);
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
    });
}
