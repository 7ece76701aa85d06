//! Units and processors that come and go; affinity.

use super::*;
use crate::vcpu::Error;
use crate::vcpu::kit::tests::check_refusals;

#[test]
fn what_is_refused() {
    with(&flat(2), 2, Parameters::DEFAULT, |b| {
        let nowhere = Domain::new(9);
        let result = b.try_insert(1, Admission::anywhere(nowhere));
        assert_eq!(result, Err(Error::NoDomain(nowhere)));
        assert_eq!(b.add_cpu(2), Err(Error::NoCpuRecord(cpu(2))));
        check_refusals(b);
    });
}

#[test]
fn an_unknown_unit_changes_nothing() {
    with(&flat(1), 1, Parameters::DEFAULT, |b| {
        b.wake(7);
        b.sleep(7);
        b.saved(0, 7);
        b.yield_now(7);
        assert_eq!(b.tickles(), []);
        assert_eq!(b.schedule(63), Choice::default());
    });
}

#[test]
fn a_processor_that_leaves_sends_its_units_away() {
    with(&flat(2), 3, Parameters::DEFAULT, |b| {
        for index in 0..3 {
            b.affinity(index, 0b10, u64::MAX);
            b.wake(index);
            b.switch(1);
        }
        for index in 0..3 {
            b.policy.units[index].state.affinity.hard = CpuSet::ALL;
        }
        b.tickles();
        b.remove_cpu(1).unwrap();
        // Units that waited are on the other processor already; the one that runs is called off.
        assert_eq!(b.queue(0), [1, 2]);
        assert!(b.tickles().contains(&1));
        assert_eq!(b.schedule(1), Choice::default());
        b.saved(1, 0);
        assert_eq!(b.queue(0), [1, 2, 0]);
        // The pot is that of the processors that are left.
        b.switch(0);
        b.tick(0);
        b.account();
        assert_eq!(b.credit(1), 300);
    });
}

#[test]
fn a_unit_whose_processors_are_all_gone_runs_anywhere_until_one_comes_back() {
    with(&flat(2), 1, Parameters::DEFAULT, |b| {
        b.affinity(0, 0b10, u64::MAX);
        assert_eq!(b.on(0), 1);
        b.remove_cpu(1).unwrap();
        assert_eq!(b.on(0), 0);
        b.wake(0);
        assert_eq!(b.switch(0), Some(0));
        b.add_cpu(1).unwrap();
        assert_eq!(b.switch(0), None);
        assert_eq!((b.on(0), b.queue(1)), (1, [0].to_vec()));
    });
}

#[test]
fn a_waiting_unit_follows_its_affinity_at_once_a_running_one_when_saved() {
    with(&flat(3), 2, Parameters::DEFAULT, |b| {
        for index in 0..2 {
            b.affinity(index, 0b001, u64::MAX);
            b.wake(index);
            b.switch(0);
        }
        b.tickles();
        b.affinity(1, 0b010, u64::MAX);
        assert_eq!((b.tickles(), b.queue(1)), ([1].to_vec(), [1].to_vec()));
        b.affinity(0, 0b100, u64::MAX);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.schedule(0).next, None);
        assert_eq!(b.queue(2), [], "its registers are still in use");
        b.saved(0, 0);
        assert_eq!((b.tickles(), b.queue(2)), ([2].to_vec(), [0].to_vec()));
    });
}

#[test]
fn a_removed_unit_earns_no_more() {
    with(&flat(1), 2, Parameters::DEFAULT, |b| {
        b.activate(0);
        b.activate(1);
        b.remove(0).unwrap();
        b.account();
        assert_eq!(b.credit(1), 300);
        assert_eq!(b.policy.credit(vcpu(0)), None);
    });
}
