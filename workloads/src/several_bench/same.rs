//! Owns: the operations of [`bench`] on one processor of the first instance, while its others are
//! busy. Must never know: the operations.

use super::layout::{Layout, Told};
use super::{BenchBoard, Entry, Objects, PROCESSORS, SETTLE, USUAL, cpu, end_of, expect, round};
use crate::bench;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use taktos_kernel::{AnyThread, CpuSet, Duration, Instant, System};

/// Deadline for a unit of priority, in nanoseconds: all deadlines are after the end of the run.
const DEADLINE: u64 = 1_000_000_000_000;
/// A budget that no run uses up.
const BUDGET: Duration = Duration::from_nanos(DEADLINE);

/// Runs them all on processor 0, in a round that is named after the layout and its `state`.
pub(super) fn run<S: BenchBoard>(
    layout: &Layout,
    objects: &'static Objects<S>,
    operations: &'static bench::Objects<S>,
    state: &str,
) {
    let processors = layout.processors();
    objects.arrived.store(0, Relaxed);
    objects.expected.store(processors, Relaxed);
    occupy(objects, processors, make_room, |hog| {
        tell_urgency(layout.told, hog);
    });
    round::<S>(format_args!("part=same layout={}{state}", layout.name));
    bench::create(operations, |thread| tell(layout.told, thread));
    bench::run(operations);
    bench::clear(operations);
    release(objects, processors);
}

/// Lets `processors` processors of the caller's instance execute threads that are more urgent than
/// all others, until [`release`]. Each gets its processor, if it is to have one, and the settings
/// that `tell` gives it.
pub(super) fn occupy<S: BenchBoard>(
    objects: &'static Objects<S>,
    processors: usize,
    entry: Entry<S>,
    tell: impl Fn(&'static AnyThread<S>),
) {
    objects.released.store(false, Relaxed);
    // From the last processor on: what is measured is on the first ones.
    let numbers = (0..PROCESSORS).rev();
    for (hog, number) in objects.hogs[..processors].iter().zip(numbers) {
        expect(hog.create());
        if objects.by_affinity.load(Relaxed) {
            expect(hog.set_affinity(CpuSet::of(cpu(number))));
        }
        tell(hog);
        expect(hog.start_with(entry, objects));
    }
    S::busy(SETTLE);
}

/// The end of [`occupy`].
pub(super) fn release<S: System>(objects: &'static Objects<S>, processors: usize) {
    objects.released.store(true, Relaxed);
    for hog in &objects.hogs[..processors] {
        end_of(hog);
    }
}

/// Leaves the first processor when all processors are occupied: so a less urgent thread continues
/// there.
fn make_room<S: BenchBoard>(objects: &'static Objects<S>) {
    objects.arrived.fetch_add(1, AcqRel);
    while objects.arrived.load(Acquire) < objects.expected.load(Relaxed) {
        S::busy(4);
    }
    if AnyThread::<S>::processor().index() != 0 {
        until_released(objects);
    }
}

pub(super) fn until_released<S: BenchBoard>(objects: &'static Objects<S>) {
    while !objects.released.load(Relaxed) {
        S::busy(64);
    }
}

fn tell<S: System>(told: Told, thread: &'static AnyThread<S>) {
    tell_urgency(told, thread);
    if told.is_affinity() {
        let processors = if told == Told::Bound { 1 } else { 2 };
        expect(thread.set_affinity(CpuSet::first(processors)));
    }
}

/// The more urgent by its priority, the earlier its deadline, which the least urgent ones share.
fn tell_urgency<S: System>(told: Told, thread: &'static AnyThread<S>) {
    let priority = thread.priorities().0.level();
    let deadline = (1 + u64::from(priority)) * DEADLINE;
    match told {
        Told::Nothing | Told::Affinity => {}
        Told::Deadlines | Told::Bound => expect(thread.release_job(Instant::from_nanos(deadline))),
        Told::Servers => {
            // Later than all deadlines that are distinguished.
            let last = priority >= USUAL;
            let period = if last { u64::MAX } else { deadline };
            expect(thread.set_server(BUDGET, Duration::from_nanos(period)));
        }
    }
}
