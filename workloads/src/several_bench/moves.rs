//! Owns: scenarios in which a thread continues on another processor. Must never know: how it is
//! counted.

use super::{BenchBoard, Objects, REPETITIONS, SETTLE, URGENT, USUAL, alone, cpu, expect, home};
use super::{keep_busy, pair, reach};
use crate::mark::{begin, end};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, CpuSet, Priority};

/// In the partitioned layout: to another instance.
pub(super) fn between_instances<S: BenchBoard>(objects: &'static Objects<S>) {
    alone(objects, traveller);
    pair(objects, mover, keep_busy);
}

/// In the gathered layout: by affinity.
pub(super) fn within_an_instance<S: BenchBoard>(objects: &'static Objects<S>) {
    alone(objects, wanderer);
    pair(objects, shifter, keep_busy);
}

/// The caller moves itself, there and back.
#[inline(never)]
fn traveller<S: BenchBoard>(_: &'static Objects<S>) {
    let (here, there) = (home::<S>(0), home::<S>(1));
    let (priority, caller) = (Priority::from_stored(USUAL), AnyThread::<S>::current());
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        begin!("move-self");
        let moved = caller.move_to(there, priority);
        end!("move-self");
        expect(moved);
        S::busy(SETTLE);
        begin!("move-self-back");
        let moved = caller.move_to(here, priority);
        end!("move-self-back");
        expect(moved);
    }
}

/// A thread that runs on processor 1 is moved to processor 2, which is idle, and back.
#[inline(never)]
fn mover<S: BenchBoard>(objects: &'static Objects<S>) {
    let (from, to) = (home::<S>(1), home::<S>(2));
    let priority = Priority::from_stored(URGENT);
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let moved = reach!("move-other", objects.far.move_to(to, priority));
        expect(moved);
        S::busy(SETTLE);
        let moved = reach!("move-other-back", objects.far.move_to(from, priority));
        expect(moved);
    }
    objects.done.store(true, Relaxed);
}

#[inline(never)]
fn wanderer<S: BenchBoard>(_: &'static Objects<S>) {
    let (here, there) = (CpuSet::of(cpu(0)), CpuSet::of(cpu(1)));
    let caller = AnyThread::<S>::current();
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        begin!("migrate-self");
        let moved = caller.set_affinity(there);
        end!("migrate-self");
        expect(moved);
        S::busy(SETTLE);
        begin!("migrate-self-back");
        let moved = caller.set_affinity(here);
        end!("migrate-self-back");
        expect(moved);
    }
}

#[inline(never)]
fn shifter<S: BenchBoard>(objects: &'static Objects<S>) {
    let (from, to) = (CpuSet::of(cpu(1)), CpuSet::of(cpu(2)));
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let moved = reach!("migrate-other", objects.far.set_affinity(to));
        expect(moved);
        S::busy(SETTLE);
        let moved = reach!("migrate-other-back", objects.far.set_affinity(from));
        expect(moved);
    }
    objects.done.store(true, Relaxed);
}
