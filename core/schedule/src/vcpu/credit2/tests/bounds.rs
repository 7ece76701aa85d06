//! The steps of every operation stay within what the module's head says.

use super::*;

#[test]
fn every_operation_keeps_its_bound() {
    let sizes = [(1, 8), (1, 64), (8, 64), (16, 256)];
    for (cpus, units) in sizes.into_iter().take(if cfg!(miri) { 3 } else { 9 }) {
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
                let next = |&index: &usize| b.credit.fellow(index);
                core::iter::successors(list.members.first(), next).count() as u64
            };
            let m = b.credit.queues.iter().map(count).max().unwrap();
            let (c, r) = (cpus as u64, cpus as u64);
            assert!(queues <= r);
            b.credit.steps.take();
            let within = |what: &str, bound: u64, b: &mut Bench| {
                let steps = b.credit.steps.take();
                assert!(steps <= bound, "{what}: {steps} of {bound} steps");
            };
            let waiting = b.queue(0)[0];
            b.sleep(waiting);
            within("sleep", 0, b);
            b.wake(waiting);
            within("wake", q + 2 * c, b);
            b.now += MS;
            b.set_credit(waiting, 10_500_000);
            let last = b.credit.current(cpu(0)).unwrap().index();
            b.credit.units[waiting].cpu = cpu(0);
            b.sleep(waiting);
            b.wake(waiting);
            b.credit.steps.take();
            let next = b.schedule(0).next.unwrap().index();
            assert_eq!(next, waiting);
            within("schedule", q + 2 * c, b);
            b.saved(0, last);
            within("context saved", q + 2 * c, b);
            b.affinity(last, u64::MAX, 1);
            within("affinity", m + 2 * r + q + 2 * c, b);
            // A reset, and the balance behind it with every pair to try.
            for index in 0..units {
                b.set_credit(index, -CREDIT_MS);
            }
            b.schedule(0);
            let balance = r + (m + 1) * (m + 1) + 2 * m * m + 2 * (q + m + 2 * c);
            within("schedule with reset", q + 2 * c + m + balance, b);
        });
    }
}
