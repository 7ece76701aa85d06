//! Placement and waiting, by hand.

extern crate std;

use super::*;
use crate::vcpu::Domain;
use crate::vcpu::kit::tests::{self, check_refusals, cpu, set, vcpu};

type Bench<'a> = tests::Bench<Null<'a>>;

fn admit(hard: u64, soft: u64) -> Admission {
    Admission {
        domain: Domain::new(0),
        hard: set(hard),
        soft: set(soft),
    }
}

impl Bench<'_> {
    fn home(&self, index: usize) -> Option<usize> {
        self.policy.processor_of(vcpu(index)).map(Cpu::index)
    }
}

#[test]
fn what_is_refused() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 2]), 2).with(2, check_refusals);
}

#[test]
fn a_place_is_kept_then_preferred_then_any_then_waited_for() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 4]), 3).with(0, |b| {
        b.insert(0, admit(0b111, 0b100));
        b.insert(1, admit(0b111, 0b100));
        assert_eq!((b.home(0), b.home(1)), (Some(2), Some(0)));
        b.insert(2, admit(0b101, 0b111));
        assert_eq!(b.home(2), None);
        // Only unit 2 could use it, and it is not allowed there: it stays free.
        assert_eq!(b.policy.free, set(0b010));
        // Unit 1 goes out and comes back: to where it was, though 1 is free too.
        b.remove(2).unwrap();
        b.remove(1).unwrap();
        b.insert(1, admit(0b111, 0b010));
        assert_eq!(b.home(1), Some(0));
    });
}

#[test]
fn a_freed_processor_goes_to_who_had_better_run_there() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 3]), 1).with(0, |b| {
        b.insert(0, admit(0b01, 0b01));
        b.insert(1, admit(0b01, 0b10));
        b.insert(2, admit(0b01, 0b01));
        b.wake(2);
        assert_eq!(b.tickles(), [], "who waits never runs");
        b.remove(0).unwrap();
        assert_eq!(b.home(2), Some(0));
        assert_eq!(b.tickles(), [0]);
        let choice = b.schedule(0);
        assert_eq!((choice.next, choice.until), (Some(vcpu(2)), None));
    });
}

#[test]
fn a_moved_unit_runs_again_only_when_it_is_saved() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 1]), 2).with(0, |b| {
        b.insert(0, admit(0b11, 0b01));
        b.wake(0);
        b.schedule(0);
        b.affinity(0, 0b10, u64::MAX);
        assert_eq!(b.next(1), None, "it still runs on 0");
        assert_eq!(b.next(0), None);
        assert_eq!(b.next(1), None, "it is not saved");
        b.tickles();
        b.saved(0, 0);
        assert_eq!(b.tickles(), [1]);
        assert_eq!(b.next(1), Some(0));
    });
}

#[test]
fn the_hypervisors_work_comes_first() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 1]), 1).with(0, |b| {
        b.insert(0, admit(0b1, 0b1));
        b.wake(0);
        assert_eq!(b.work(0).next, None);
        assert_eq!(b.next(0), Some(0));
    });
}

#[test]
fn the_last_processor_stays_while_there_are_units() {
    Bench::new(Null::new(&mut [Unit::EMPTY; 1]), 2).with(0, |b| {
        b.insert(0, admit(0b1, 0b1));
        b.remove_cpu(0).unwrap();
        assert_eq!(b.home(0), Some(1), "any, for want");
        assert_eq!(b.remove_cpu(1), Err(Error::LastCpu(cpu(1))));
        b.add_cpu(0).unwrap();
        assert_eq!(b.home(0), Some(0), "its own again");
    });
}
