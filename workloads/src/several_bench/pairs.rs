//! Owns: the loop in which one to four pairs of threads give each other semaphores at once, each
//! pair in an instance of its own.
//! Must never know: how it is counted.
//!
//! The pairs have nothing in common but the kernel: they lose to each other what its one lock
//! costs.

use super::{BenchBoard, Objects, PROCESSORS, STACK, USUAL, end_of, expect, put, round};
use crate::mark::{begin, end};
use core::sync::atomic::{
    AtomicU32, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed,
};
use taktos_kernel::{AnyThread, Priority, Semaphore, System, Thread, Timeout};

/// How often each pair goes there and back.
pub const TRIPS: usize = 500;
/// Turns of the busy loop before each give: two instructions each.
pub const WORK: [u32; 2] = [0, 100];

/// Objects of the pairs in addition to threads. A board has them in a static.
pub struct Pairs<S> {
    /// The semaphores of the pair on each processor: there, and back.
    semaphores: [[Semaphore<S>; 2]; PROCESSORS],
    /// How many turns of the busy loop each thread makes before it gives.
    turns: AtomicU32,
    /// How many pairs there are in this round, and how many of them have come.
    expected: AtomicUsize,
    arrived: AtomicUsize,
}

impl<S: System> Pairs<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            semaphores: [const { [const { Semaphore::new(0) }; 2] }; PROCESSORS],
            turns: AtomicU32::new(0),
            expected: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
        }
    }
}

impl<S: System> Default for Pairs<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// One pair, and so on up to one on each processor; with each amount of work.
pub(super) fn run<S: BenchBoard>(objects: &'static Objects<S>, pairs: &'static Pairs<S>) {
    for turns in WORK {
        pairs.turns.store(turns, Relaxed);
        for count in 1..=PROCESSORS {
            pairs.arrived.store(0, Relaxed);
            pairs.expected.store(count, Relaxed);
            round::<S>(format_args!("part=pairs pairs={count} turns={turns}"));
            let threads = || objects.workers.iter().zip(&objects.hogs).take(count);
            let begin = |thread: &'static Thread<S, STACK>, number, entry: fn(_)| {
                expect(thread.create());
                put(objects, thread, number);
                expect(thread.start_with(entry, pairs));
            };
            // The caller's own processor comes last: it is away from here then.
            for (number, (near, far)) in threads().enumerate().rev() {
                begin(far, number, give_back::<S>);
                begin(near, number, go::<S>);
            }
            for (near, far) in threads() {
                end_of(near);
                end_of(far);
            }
        }
    }
}

#[inline(never)]
fn go<S: BenchBoard>(pairs: &'static Pairs<S>) {
    let [there, back] = pairs.own();
    let turns = pairs.turns.load(Relaxed);
    pairs.arrived.fetch_add(1, AcqRel);
    while pairs.arrived.load(Acquire) < pairs.expected.load(Relaxed) {
        S::busy(4);
    }
    for _ in 0..TRIPS {
        begin!("round-trip");
        work::<S>(turns);
        let given = there.give();
        let taken = back.take(Timeout::FOREVER);
        end!("round-trip");
        expect(given);
        expect(taken);
    }
}

/// The other thread of the pair, which is as urgent.
#[inline(never)]
fn give_back<S: BenchBoard>(pairs: &'static Pairs<S>) {
    expect(AnyThread::<S>::current().set_priority(Priority::from_stored(USUAL)));
    let [there, back] = pairs.own();
    let turns = pairs.turns.load(Relaxed);
    for _ in 0..TRIPS {
        expect(there.take(Timeout::FOREVER));
        work::<S>(turns);
        expect(back.give());
    }
}

impl<S: BenchBoard> Pairs<S> {
    /// Those of the caller's processor, which it does not leave.
    fn own(&'static self) -> &'static [Semaphore<S>; 2] {
        &self.semaphores[AnyThread::<S>::processor().index()]
    }
}

#[inline(always)]
fn work<S: BenchBoard>(turns: u32) {
    if turns > 0 {
        S::busy(turns);
    }
}
