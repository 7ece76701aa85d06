//! Units and processors that come and go; affinity.

use super::*;
use crate::vcpu::Error;
use crate::vcpu::kit::tests::check_refusals;

#[test]
fn what_is_refused() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        let nowhere = Domain::new(9);
        let result = b.try_insert(1, Admission::anywhere(nowhere));
        assert_eq!(result, Err(Error::NoDomain(nowhere)));
        assert_eq!(b.add_cpu(2), Err(Error::NoCpuRecord(cpu(2))));
        check_refusals(b);
    });
}

#[test]
fn a_run_queue_that_loses_its_last_processor_sends_all_its_units_away() {
    with(&flat(2), each_alone(), 3, unlimited(), |b| {
        for index in 0..3 {
            b.affinity(index, 0b10, u64::MAX);
        }
        b.wake(0);
        b.switch(1);
        b.wake(1);
        for index in 0..3 {
            b.policy.units[index].state.affinity.hard = CpuSet::ALL;
        }
        b.tickles();
        b.remove_cpu(1).unwrap();
        assert_eq!((b.queue(0), b.on(2)), ([1].to_vec(), 0));
        assert_eq!(b.tickles(), [1, 0]);
        assert_eq!(b.schedule(1), Choice::default());
        b.saved(1, 0);
        assert_eq!(b.queue(0), [1, 0]);
    });
}

#[test]
fn a_unit_promised_to_a_processor_that_leaves_is_offered_to_another() {
    with(&flat(3), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.run_on(0, 0);
        b.policy.units[1].cpu = cpu(0);
        b.wake(1);
        assert_eq!(b.tickles(), [1]);
        b.remove_cpu(1).unwrap();
        assert_eq!(b.tickles(), [2]);
        assert_eq!(b.switch(2), Some(1));
    });
}

#[test]
fn a_processor_that_joins_looks_for_work() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.remove_cpu(1).unwrap();
        b.run_on(0, 0);
        b.wake(1);
        b.tickles();
        b.add_cpu(1).unwrap();
        assert_eq!(b.tickles(), [1]);
        assert_eq!(b.switch(1), Some(1));
    });
}

#[test]
fn a_unit_whose_processors_are_all_gone_runs_anywhere_until_one_comes_back() {
    with(&flat(2), each_alone(), 1, unlimited(), |b| {
        b.affinity(0, 0b10, u64::MAX);
        b.remove_cpu(1).unwrap();
        b.wake(0);
        assert_eq!(b.switch(0), Some(0));
        b.add_cpu(1).unwrap();
        assert_eq!(b.switch(0), None);
        assert_eq!(b.switch(1), Some(0));
    });
}

#[test]
fn a_waiting_unit_follows_its_affinity_at_once_a_running_one_when_saved() {
    with(&flat(3), each_alone(), 2, unlimited(), |b| {
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
        assert_eq!(b.queue(2), []);
        b.saved(0, 0);
        assert_eq!((b.tickles(), b.queue(2)), ([2].to_vec(), [0].to_vec()));
    });
}
