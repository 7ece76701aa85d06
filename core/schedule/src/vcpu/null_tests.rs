//! Placement and waiting, by hand.

use super::*;
use crate::vcpu::{Domain, probe::Probe};

const NOW: Instant = Instant::START;

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

fn unit(index: u16) -> Vcpu {
    Vcpu::new(index)
}

fn set(cpus: &[usize]) -> CpuSet {
    cpus.iter().map(|&index| cpu(index)).collect()
}

fn admit(hard: &[usize], soft: &[usize]) -> Admission {
    Admission {
        domain: Domain::new(0),
        hard: set(hard),
        soft: set(soft),
    }
}

fn pool<'a>(units: &'a mut [Unit], cpus: usize, fx: &mut Probe) -> Null<'a> {
    let mut null = Null::new(units);
    for index in 0..cpus {
        null.add_cpu(cpu(index), NOW, fx).unwrap();
    }
    null
}

#[test]
fn a_place_is_kept_then_preferred_then_any_then_waited_for() {
    let mut units = [Unit::EMPTY; 4];
    let mut fx = Probe::default();
    let mut null = pool(&mut units, 3, &mut fx);
    null.insert(unit(0), admit(&[0, 1, 2], &[2]), NOW, &mut fx)
        .unwrap();
    null.insert(unit(1), admit(&[0, 1, 2], &[2]), NOW, &mut fx)
        .unwrap();
    assert_eq!(null.processor_of(unit(0)), Some(cpu(2)));
    assert_eq!(null.processor_of(unit(1)), Some(cpu(0)));
    null.insert(unit(2), admit(&[0, 2], &[0, 1, 2]), NOW, &mut fx)
        .unwrap();
    assert_eq!(null.processor_of(unit(2)), None);
    // Only unit 2 could use it, and it is not allowed there: it stays free.
    assert_eq!(null.free, set(&[1]));
    // Unit 1 goes out and comes back: to where it was, though 1 is free too.
    null.remove(unit(2), NOW, &mut fx).unwrap();
    null.remove(unit(1), NOW, &mut fx).unwrap();
    null.insert(unit(1), admit(&[0, 1, 2], &[1]), NOW, &mut fx)
        .unwrap();
    assert_eq!(null.processor_of(unit(1)), Some(cpu(0)));
    null.check_invariants().unwrap();
}

#[test]
fn a_freed_processor_goes_to_who_had_better_run_there() {
    let mut units = [Unit::EMPTY; 3];
    let mut fx = Probe::default();
    let mut null = pool(&mut units, 1, &mut fx);
    null.insert(unit(0), admit(&[0], &[0]), NOW, &mut fx)
        .unwrap();
    null.insert(unit(1), admit(&[0], &[1]), NOW, &mut fx)
        .unwrap();
    null.insert(unit(2), admit(&[0], &[0]), NOW, &mut fx)
        .unwrap();
    null.wake(unit(2), NOW, &mut fx);
    assert_eq!(fx.take().tickles, [], "who waits never runs");
    null.remove(unit(0), NOW, &mut fx).unwrap();
    assert_eq!(null.processor_of(unit(2)), Some(cpu(0)));
    assert_eq!(fx.take().tickles, [cpu(0)]);
    let choice = null.schedule(cpu(0), NOW, false, &mut fx);
    assert_eq!((choice.next, choice.until), (Some(unit(2)), None));
}

#[test]
fn a_moved_unit_runs_again_only_when_it_is_saved() {
    let mut units = [Unit::EMPTY; 1];
    let mut fx = Probe::default();
    let mut null = pool(&mut units, 2, &mut fx);
    null.insert(unit(0), admit(&[0, 1], &[0]), NOW, &mut fx)
        .unwrap();
    null.wake(unit(0), NOW, &mut fx);
    null.schedule(cpu(0), NOW, false, &mut fx);
    null.set_affinity(unit(0), set(&[1]), CpuSet::ALL, NOW, &mut fx)
        .unwrap();
    let next = |null: &mut Null, at, fx: &mut Probe| null.schedule(cpu(at), NOW, false, fx).next;
    assert_eq!(next(&mut null, 1, &mut fx), None, "it still runs on 0");
    assert_eq!(next(&mut null, 0, &mut fx), None);
    assert_eq!(next(&mut null, 1, &mut fx), None, "it is not saved");
    fx.take();
    null.context_saved(cpu(0), unit(0), NOW, &mut fx);
    assert_eq!(fx.take().tickles, [cpu(1)]);
    assert_eq!(next(&mut null, 1, &mut fx), Some(unit(0)));
    null.check_invariants().unwrap();
}

#[test]
fn the_hypervisors_work_comes_first() {
    let mut units = [Unit::EMPTY; 1];
    let mut fx = Probe::default();
    let mut null = pool(&mut units, 1, &mut fx);
    null.insert(unit(0), admit(&[0], &[0]), NOW, &mut fx)
        .unwrap();
    null.wake(unit(0), NOW, &mut fx);
    assert_eq!(null.schedule(cpu(0), NOW, true, &mut fx).next, None);
    let after = null.schedule(cpu(0), NOW, false, &mut fx);
    assert_eq!(after.next, Some(unit(0)));
}

#[test]
fn the_last_processor_stays_while_there_are_units() {
    let mut units = [Unit::EMPTY; 1];
    let mut fx = Probe::default();
    let mut null = pool(&mut units, 2, &mut fx);
    null.insert(unit(0), admit(&[0], &[0]), NOW, &mut fx)
        .unwrap();
    null.remove_cpu(cpu(0), NOW, &mut fx).unwrap();
    assert_eq!(null.processor_of(unit(0)), Some(cpu(1)), "any, for want");
    let last = null.remove_cpu(cpu(1), NOW, &mut fx);
    assert_eq!(last, Err(Error::LastCpu(cpu(1))));
    null.add_cpu(cpu(0), NOW, &mut fx).unwrap();
    assert_eq!(null.processor_of(unit(0)), Some(cpu(0)), "its own again");
    null.check_invariants().unwrap();
}
