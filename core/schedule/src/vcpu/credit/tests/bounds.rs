//! The steps of every operation stay within what the module's head says.

use super::*;

/// A pool of `cpus` processors with `units` units, all awake, each processor running one.
fn crowded(cpus: usize, units: usize, test: impl FnOnce(&mut Bench)) {
    with(&flat(cpus), units, Parameters::DEFAULT, |b| {
        for index in 0..units {
            b.affinity(index, 1 << (index % cpus), u64::MAX);
            b.wake(index);
        }
        for on in 0..cpus {
            b.switch(on);
        }
        for unit in b.policy.units.iter_mut() {
            unit.state.affinity.hard = CpuSet::ALL;
            unit.rank = Rank::Under;
        }
        b.policy.steps.take();
        test(b);
    });
}

#[test]
fn every_operation_keeps_its_bound() {
    for (cpus, units) in [(1, 8), (1, 64), (4, 64), (16, 64), (64, 640)] {
        crowded(cpus, units, |b| {
            let (q, c) = ((units / cpus) as u64, cpus as u64);
            let waiting = (units - cpus) as u64;
            let within = |what: &str, bound: u64, b: &mut Bench| {
                let steps = b.policy.steps.take();
                assert!(steps <= bound, "{what}: {steps} of {bound} steps");
            };
            let last = units - 1;
            b.sleep(last);
            within("sleep", 0, b);
            b.wake(last);
            within("wake", q, b);
            b.now += 2 * MS;
            b.switch(0);
            within("schedule without stealing", 2 * q, b);
            b.account();
            within("accounting", 0, b);
            for on in 0..cpus {
                b.tick(on);
                within("tick", q + 2 * c, b);
            }
            b.account();
            within("accounting", 2 * c, b);
            let mine: Vec<usize> = b.queue(0);
            for index in mine {
                b.sleep(index);
            }
            let running = b.policy.current(cpu(0)).unwrap().index();
            b.sleep(running);
            b.policy.steps.take();
            // All units are of one class: it looks everywhere, in vain.
            for index in 0..units {
                b.policy.units[index].state.affinity.hard = set(!1);
            }
            b.now += 2 * MS;
            b.switch(0);
            for index in 0..units {
                b.policy.units[index].state.affinity.hard = CpuSet::ALL;
            }
            within("schedule with stealing", 2 * (c + waiting), b);
            let waiting = b.queue(cpus - 1);
            if let Some(&index) = waiting.first() {
                b.affinity(index, u64::MAX, u64::MAX);
                within("affinity", q + 2 * c, b);
            }
        });
    }
}

#[test]
fn no_list_is_followed_twice() {
    // A queue twice as long costs a wake-up twice the steps, not more.
    let cost = |units| {
        let mut steps = 0;
        crowded(1, units, |b| {
            b.set_rank(units - 1, Rank::Over);
            b.sleep(units - 1);
            b.policy.steps.take();
            b.wake(units - 1);
            steps = b.policy.steps.take();
        });
        steps
    };
    assert_eq!((cost(34), cost(66)), (32, 64));
}

#[test]
fn processors_that_leave_cost_what_moves() {
    for (cpus, units) in [(2, 16), (4, 32), (8, 64)] {
        crowded(cpus, units, |b| {
            let moved = b.queue(1).len() as u64;
            b.remove_cpu(1).unwrap();
            // All of them may end on one queue.
            let (q, c) = (units as u64, cpus as u64);
            let bound = units as u64 + moved * (q + 2 * c);
            let steps = b.policy.steps.take();
            assert!(moved > 0 && steps <= bound, "{steps} of {bound} steps");
            b.add_cpu(1).unwrap();
            assert_eq!(b.policy.steps.take(), units as u64, "nobody moves");
            let running = b.policy.units.iter().position(|unit| unit.migrating);
            b.switch(1);
            assert!(!b.policy.units[running.unwrap()].migrating);
        });
    }
}

#[test]
fn an_accounting_costs_what_is_active_and_what_goes_on() {
    crowded(1, 33, |b| {
        for index in 0..33 {
            b.cap(index, 1);
            b.policy.units[index].active = false;
        }
        for index in 1..33 {
            b.sleep(index);
        }
        b.sleep(0);
        b.switch(0);
        for index in 0..33 {
            b.activate(index);
            b.policy.units[index].parked = true;
            b.wake(index);
        }
        b.policy.steps.take();
        b.account();
        // 33 domains with a unit each; every one continues, after those before it.
        assert_eq!(b.queue(0).len(), 33);
        let on_their_way: u64 = (0..33).sum();
        assert_eq!(b.policy.steps.take(), 33 + 33 + on_their_way);
    });
}
