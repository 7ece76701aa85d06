//! Owns: the loop in which one to four processors contend for one lock, for each kind of lock.
//! Must never know: how it is counted.
//!
//! Each contender locks, is busy for [`INSIDE`] turns, unlocks, and is busy for as many turns
//! outside: so one is alone half of the time, two want it all of the time, and with more of them it
//! is contended whenever it is given up.

use super::round;
use super::{BenchBoard, CEILING, Entry, Objects, PROCESSORS, begin_on, end_of, expect, home};
use crate::mark::{begin, end};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use taktos_kernel::{ClusterMutex, Mutex, Priority, System, Timeout};
use taktos_machine::Machine;

/// Turns of the busy loop with the lock, and without it between two locks: two instructions each.
pub const INSIDE: u32 = 1_000;
/// How often each contender locks.
pub const SECTIONS: usize = 200;

/// A kind of lock: its name, and what a contender for it does.
pub(super) struct Kind<S: BenchBoard>(&'static str, Entry<S>);

/// The kinds that the partitioned layout is for.
pub(super) fn partitioned<S: BenchBoard>() -> [Kind<S>; 8] {
    [
        Kind("kernel", |o| contend::<S, _>(o, &KernelLock)),
        Kind("mutex-none", |o| contend::<S, _>(o, &o.mutexes[0])),
        Kind("mutex-inheritance", |o| contend::<S, _>(o, &o.mutexes[1])),
        Kind("mutex-ceiling", |o| contend::<S, _>(o, &o.mutexes[2])),
        Kind("cluster-none", |o| contend::<S, _>(o, &o.cluster[0])),
        Kind("cluster-inheritance", |o| contend::<S, _>(o, &o.cluster[1])),
        Kind("cluster-omip", |o| contend::<S, _>(o, &o.cluster[2])),
        Kind("cluster-mrsp", |o| contend::<S, _>(o, &o.cluster[3])),
    ]
}

/// Returns the kind that only threads of one instance can share.
pub(super) fn within_an_instance<S: BenchBoard>() -> [Kind<S>; 1] {
    [Kind("cluster-ceiling", |o| {
        contend::<S, _>(o, &o.cluster[4])
    })]
}

/// Each of these kinds, with one contender, and so on up to one on each processor.
pub(super) fn run<S: BenchBoard, const N: usize>(
    objects: &'static Objects<S>,
    kinds: [Kind<S>; N],
) {
    if N > 1 {
        give_ceilings(objects);
    }
    for Kind(name, entry) in kinds {
        for contenders in 1..=PROCESSORS {
            objects.arrived.store(0, Relaxed);
            objects.expected.store(contenders, Relaxed);
            round::<S>(format_args!(
                "part=locks lock={name} processors={contenders}"
            ));
            let workers = &objects.workers[..contenders];
            // The caller's own processor comes last: it is away from here then.
            for (number, worker) in workers.iter().enumerate().rev() {
                begin_on(objects, worker, number, entry);
            }
            for worker in workers {
                end_of(worker);
            }
        }
    }
}

/// Without one, the ceiling of another instance is the most urgent priority.
fn give_ceilings<S: BenchBoard>(objects: &'static Objects<S>) {
    let mrsp = &objects.cluster[3];
    expect(mrsp.make());
    for number in 1..PROCESSORS {
        expect(mrsp.set_ceiling(home::<S>(number), Priority::from_stored(CEILING)));
    }
}

#[inline(never)]
fn contend<S: BenchBoard, L: Lock<S>>(objects: &'static Objects<S>, lock: &'static L) {
    objects.arrived.fetch_add(1, AcqRel);
    while objects.arrived.load(Acquire) < objects.expected.load(Relaxed) {
        S::busy(4);
    }
    for _ in 0..SECTIONS {
        begin!("lock");
        let taken = lock.lock();
        end!("lock");
        S::busy(INSIDE);
        begin!("unlock");
        lock.unlock(taken);
        end!("unlock");
        S::busy(INSIDE);
    }
}

/// A lock of any kind.
trait Lock<S> {
    /// State that must be remembered while it is locked.
    type Taken;
    fn lock(&'static self) -> Self::Taken;
    fn unlock(&'static self, taken: Self::Taken);
}

/// The machine's one lock, which is the kernel's own: interrupts are masked with it.
struct KernelLock;

impl<S: System> Lock<S> for KernelLock {
    type Taken = <S::Machine as Machine>::Mask;

    #[inline(always)]
    fn lock(&'static self) -> Self::Taken {
        S::Machine::mask()
    }

    #[inline(always)]
    fn unlock(&'static self, taken: Self::Taken) {
        S::Machine::unmask(taken);
    }
}

impl<S: System> Lock<S> for Mutex<S> {
    type Taken = ();

    #[inline(always)]
    fn lock(&'static self) {
        expect(self.lock(Timeout::FOREVER));
    }

    #[inline(always)]
    fn unlock(&'static self, (): ()) {
        expect(self.unlock());
    }
}

impl<S: System> Lock<S> for ClusterMutex<S> {
    type Taken = ();

    #[inline(always)]
    fn lock(&'static self) {
        expect(self.lock(Timeout::FOREVER));
    }

    #[inline(always)]
    fn unlock(&'static self, (): ()) {
        expect(self.unlock());
    }
}
