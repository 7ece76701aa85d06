//! Units and processors that come and go; affinity.

use super::*;
use crate::vcpu::Error;

#[test]
fn what_is_refused() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        let admission = Admission::anywhere(Domain::new(0));
        let result = b.call(|p, now, fx| p.insert(vcpu(0), admission, now, fx));
        assert_eq!(result, Err(Error::Present(vcpu(0))));
        let result = b.call(|p, now, fx| p.insert(vcpu(2), admission, now, fx));
        assert_eq!(result, Err(Error::NoRecord(vcpu(2))));
        b.call(|p, now, fx| p.remove(vcpu(1), now, fx)).unwrap();
        let result = b.call(|p, now, fx| p.remove(vcpu(1), now, fx));
        assert_eq!(result, Err(Error::Absent(vcpu(1))));
        let nowhere = Admission::anywhere(Domain::new(9));
        let result = b.call(|p, now, fx| p.insert(vcpu(1), nowhere, now, fx));
        assert_eq!(result, Err(Error::NoDomain(Domain::new(9))));
        b.wake(0);
        let result = b.call(|p, now, fx| p.remove(vcpu(0), now, fx));
        assert_eq!(result, Err(Error::Busy(vcpu(0))));
        let result = b.call(|p, now, fx| p.add_cpu(cpu(1), now, fx));
        assert_eq!(result, Err(Error::CpuPresent(cpu(1))));
        let result = b.call(|p, now, fx| p.add_cpu(cpu(2), now, fx));
        assert_eq!(result, Err(Error::NoCpuRecord(cpu(2))));
        b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx)).unwrap();
        let result = b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx));
        assert_eq!(result, Err(Error::CpuAbsent(cpu(1))));
        let result = b.call(|p, now, fx| p.remove_cpu(cpu(0), now, fx));
        assert_eq!(result, Err(Error::LastCpu(cpu(0))));
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
            b.credit.units[index].affinity.hard = CpuSet::ALL;
        }
        b.tickles();
        b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx)).unwrap();
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
        b.credit.units[1].cpu = cpu(0);
        b.wake(1);
        assert_eq!(b.tickles(), [1]);
        b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx)).unwrap();
        assert_eq!(b.tickles(), [2]);
        assert_eq!(b.switch(2), Some(1));
    });
}

#[test]
fn a_processor_that_joins_looks_for_work() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx)).unwrap();
        b.run_on(0, 0);
        b.wake(1);
        b.tickles();
        b.call(|p, now, fx| p.add_cpu(cpu(1), now, fx)).unwrap();
        assert_eq!(b.tickles(), [1]);
        assert_eq!(b.switch(1), Some(1));
    });
}

#[test]
fn a_unit_whose_processors_are_all_gone_runs_anywhere_until_one_comes_back() {
    with(&flat(2), each_alone(), 1, unlimited(), |b| {
        b.affinity(0, 0b10, u64::MAX);
        b.call(|p, now, fx| p.remove_cpu(cpu(1), now, fx)).unwrap();
        b.wake(0);
        assert_eq!(b.switch(0), Some(0));
        b.call(|p, now, fx| p.add_cpu(cpu(1), now, fx)).unwrap();
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
