//! Owns: threads that use all that spans processors and instances, in the second instance: pins,
//! MrsP, OMIP, ceilings, moves by affinity. Must never know: what is measured at the same time.

use super::{BenchBoard, Layout, Objects, PROCESSORS, begin_on, cpu, end_of, expect};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, CpuSet, Timeout};

/// Turns of the busy loop with a lock, and between two rounds of a worker: so the kernel's lock is
/// mostly free.
const WITH_LOCK: u32 = 500;
const BETWEEN: u32 = 50_000;

/// Begins on each processor of the second instance.
pub(super) fn begin<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    objects.done.store(false, Relaxed);
    for number in layout.processors()..PROCESSORS {
        begin_on(objects, &objects.workers[number], number, use_all);
    }
}

/// The end of them.
pub(super) fn end<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    objects.done.store(true, Relaxed);
    for worker in &objects.workers[layout.processors()..] {
        end_of(worker);
    }
}

fn use_all<S: BenchBoard>(objects: &'static Objects<S>) {
    while !objects.done.load(Relaxed) {
        expect(AnyThread::<S>::pin());
        for lock in &objects.cluster[2..] {
            expect(lock.lock(Timeout::FOREVER));
            S::busy(WITH_LOCK);
            expect(lock.unlock());
        }
        expect(AnyThread::<S>::unpin());
        S::busy(BETWEEN);
        let caller = AnyThread::<S>::current();
        expect(caller.set_affinity(CpuSet::of(cpu(PROCESSORS - 1))));
        expect(caller.set_affinity(CpuSet::ALL));
    }
}
