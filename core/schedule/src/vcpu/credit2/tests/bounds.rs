//! The steps of every operation stay within what the module's head says.

use super::*;

#[test]
fn every_operation_keeps_its_bound() {
    for (cpus, units) in [(1, 8), (1, 64), (8, 64), (16, 256)] {
        let topology: Vec<Place> = (0..cpus)
            .map(|index| Place {
                socket: index as u16 / 8,
                ..Place::flat(index)
            })
            .collect();
        with(&topology, Grouping::DEFAULT, units, unlimited(), |b| {
            for index in 0..units {
                b.wake(index);
            }
            for on in 0..cpus {
                b.switch(on);
            }
            let queues = cpus.div_ceil(8) as u64;
            let q = (0..cpus).map(|on| b.queue(on).len()).max().unwrap() as u64;
            let count = |list: &RunQueue| {
                let next = |&index: &usize| b.policy.fellow(index);
                core::iter::successors(list.members.first(), next).count() as u64
            };
            let m = b.policy.queues.iter().map(count).max().unwrap();
            let (c, r) = (cpus as u64, cpus as u64);
            assert!(queues <= r);
            b.policy.steps.take();
            let within = |what: &str, bound: u64, b: &mut Bench| {
                let steps = b.policy.steps.take();
                assert!(steps <= bound, "{what}: {steps} of {bound} steps");
            };
            let waiting = b.queue(0)[0];
            b.sleep(waiting);
            within("sleep", 0, b);
            b.wake(waiting);
            within("wake", q + 2 * c, b);
            b.now += MS;
            b.set_credit(waiting, 10_500_000);
            let last = b.policy.current(cpu(0)).unwrap().index();
            b.policy.units[waiting].cpu = cpu(0);
            b.sleep(waiting);
            b.wake(waiting);
            b.policy.steps.take();
            let next = b.schedule(0).next.unwrap().index();
            assert_eq!(next, waiting);
            within("schedule", q + 2 * c, b);
            b.saved(0, last);
            within("context saved", q + 2 * c, b);
            b.affinity(last, u64::MAX, 1);
            within("affinity", m + 2 * r + q + 2 * c, b);
            // A reset, and the balance after it with every pair to try.
            for index in 0..units {
                b.set_credit(index, -CREDIT_MS);
            }
            b.schedule(0);
            let balance = r + (m + 1) * (m + 1) + 2 * m * m + 2 * (q + m + 2 * c);
            within("schedule with reset", q + 2 * c + m + balance, b);
        });
    }
}

#[test]
fn a_refill_costs_what_waits_for_it() {
    for units in [4, 16, 64] {
        with(&flat(2), Grouping::DEFAULT, units, unlimited(), |b| {
            for index in 0..units {
                b.remove(index).unwrap();
            }
            for index in 0..units {
                b.insert(index, Admission::anywhere(Domain::new(0)));
            }
            b.cap(0, 10);
            b.policy.domains[0].pool = 0;
            for index in 0..units {
                b.wake(index);
            }
            // A pass over the queue parks all of them, but one that is reserved.
            b.switch(0);
            b.switch(1);
            assert!((0..units).all(|index| b.policy.is_parked(vcpu(index))));
            b.now = 10 * MS;
            b.policy.steps.take();
            b.refill(0);
            let (p, q, c) = (units as u64, units as u64, 2);
            let bound = p * (q + 2 * c);
            let steps = b.policy.steps.take();
            assert_eq!(b.queue(0).len(), units);
            assert!(steps <= bound, "{steps} of {bound} steps");
            // Equals are put after each other: half of the square at least.
            assert!(steps >= p * (q - 1) / 2);
        });
    }
}

#[test]
fn processors_that_leave_cost_what_moves() {
    with(&flat(2), each_alone(), 32, unlimited(), |b| {
        for index in 0..32 {
            b.affinity(index, 0b10, u64::MAX);
            b.wake(index);
            b.policy.units[index].state.affinity.hard = CpuSet::ALL;
        }
        b.switch(1);
        b.policy.steps.take();
        b.remove_cpu(1).unwrap();
        assert_eq!(b.queue(0).len(), 31);
        // Members of the old queue, both queues twice, the new queue, tickles.
        let each = 32 + 2 * 2 + 31 + 2 * 2;
        let steps = b.policy.steps.take();
        assert!(steps <= 32 + 31 * each, "{steps} steps");
        assert_eq!(b.switch(1), None);
    });
}
