//! Owns: the objects of the stress test, and what is known of them from outside. Must never know:
//! what is done to them.

use super::Plan;
use core::fmt::Arguments;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{
    ClusterMutex, ClusterProtocol, Condition, EventFlags, MessageQueue, Mutex, Priority, Protocol,
    Semaphore, System, Thread,
};

/// How many workers there are.
pub const WORKERS: usize = 12;
/// The bytes of a worker's stack.
const STACK: usize = 512 * size_of::<usize>();

pub(super) const SEMAPHORES: usize = 2;
pub(super) const MUTEXES: usize = 4;
pub(super) const LOCKS: usize = 5;
/// The most urgent worker's priority; and the ceilings of all.
pub(super) const MOST_URGENT: u8 = 8;
pub(super) const CEILING: u8 = 6;
/// How many priorities the workers have.
pub(super) const LEVELS: u8 = 16;

/// A thread of the stress test.
pub(super) struct Worker<S: System> {
    pub thread: Thread<S, STACK>,
    /// State of its random numbers.
    pub chance: AtomicU64,
    /// How many operations it has done, in all its lives.
    pub operations: AtomicU64,
    /// In which life it is, twice; odd while it is being ended: what it does then counts as a
    /// remainder of that life.
    pub life: AtomicU32,
    /// The operation that it is in.
    pub at: AtomicU32,
    pub index: AtomicU32,
}

/// Worker in a place where only one may be: 0 for none, otherwise its number plus one and its life.
pub(super) struct Inside(AtomicU64);

/// Counts of operations and events.
pub(super) struct Numbers {
    pub refused: AtomicU64,
    pub timeouts: AtomicU64,
    pub deletions: AtomicU64,
    pub suspensions: AtomicU64,
    pub moves: AtomicU64,
    pub removals: AtomicU64,
    pub checks: AtomicU64,
}

/// Objects of the stress test. A board has them, in a static.
pub struct StormObjects<S: System> {
    pub(super) workers: [Worker<S>; WORKERS],
    pub(super) semaphores: [Semaphore<S>; SEMAPHORES],
    pub(super) mutexes: [Mutex<S>; MUTEXES],
    pub(super) locks: [ClusterMutex<S>; LOCKS],
    pub(super) condition: Condition<S>,
    pub(super) events: EventFlags<S>,
    pub(super) queue: MessageQueue<S, [u32; 2], 4>,
    /// One for each mutex, one for each lock.
    pub(super) inside: [Inside; MUTEXES + LOCKS],
    pub(super) numbers: Numbers,
    pub(super) seed: AtomicU64,
    calm: AtomicU64,
    stops: AtomicBool,
    failed: AtomicBool,
}

impl<S: System> StormObjects<S> {
    /// The objects before a stress test. Only one uses them.
    pub const fn new() -> Self {
        let ceiling = Priority::from_stored(CEILING);
        Self {
            workers: [const { Worker::new() }; WORKERS],
            semaphores: [const { Semaphore::new(1) }; SEMAPHORES],
            mutexes: [
                Mutex::new(),
                Mutex::new().recursive(),
                Mutex::with_protocol(Protocol::None),
                Mutex::with_protocol(Protocol::Ceiling(ceiling)),
            ],
            locks: [
                ClusterMutex::new(ClusterProtocol::None),
                ClusterMutex::new(ClusterProtocol::Inheritance),
                ClusterMutex::new(ClusterProtocol::Omip),
                ClusterMutex::new(ClusterProtocol::Ceiling(ceiling)),
                ClusterMutex::new(ClusterProtocol::MrsP(ceiling)),
            ],
            condition: Condition::new(),
            events: EventFlags::new(0),
            queue: MessageQueue::new(),
            inside: [const { Inside(AtomicU64::new(0)) }; MUTEXES + LOCKS],
            numbers: Numbers {
                refused: AtomicU64::new(0),
                timeouts: AtomicU64::new(0),
                deletions: AtomicU64::new(0),
                suspensions: AtomicU64::new(0),
                moves: AtomicU64::new(0),
                removals: AtomicU64::new(0),
                checks: AtomicU64::new(0),
            },
            seed: AtomicU64::new(0),
            calm: AtomicU64::new(1),
            stops: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn begin(&self, plan: Plan) {
        let seed = plan.seed;
        self.seed.store(seed, Relaxed);
        self.calm.store(plan.calm.max(1), Relaxed);
        for (index, worker) in self.workers.iter().enumerate() {
            worker.index.store(index as u32, Relaxed);
            let own = (index as u64 + 1).wrapping_mul(0xA076_1D64_78BD_642F);
            worker.chance.store(seed ^ own, Relaxed);
        }
    }

    /// Returns the number of operations of which one may span instances, whether workers or the
    /// controlling thread do it.
    pub(super) fn calm(&self) -> u64 {
        self.calm.load(Relaxed)
    }

    pub(super) fn operations(&self) -> u64 {
        let each = self.workers.iter().map(|w| w.operations.load(Relaxed));
        each.sum()
    }

    pub(super) fn stop(&self) {
        self.stops.store(true, Relaxed);
    }

    pub(super) fn stops(&self) -> bool {
        self.stops.load(Relaxed)
    }

    pub(super) fn failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// Notes that an invariant is violated: the first few are reported.
    pub(super) fn fail<T: System>(&self, what: Arguments<'_>) {
        self.failed.store(true, Relaxed);
        print::<T>(format_args!(
            "FAILED storm, seed {}: {what}\n",
            self.seed.load(Relaxed)
        ));
    }

    fn life(&self, worker: usize) -> u32 {
        self.workers[worker].life.load(Relaxed)
    }

    /// Enters `worker` in a place where it must be alone. Returns the worker that was found there
    /// in its present life: there should be none. A worker that was ended inside could not mark
    /// that it left.
    pub(super) fn enter(&self, place: usize, worker: usize) -> Option<usize> {
        let mark = (worker as u64 + 1) << 32 | u64::from(self.life(worker));
        let found = self.inside[place].0.swap(mark, Relaxed);
        let other = (found >> 32) as usize;
        let life = found as u32;
        (other != 0 && life.is_multiple_of(2) && life == self.life(other - 1)).then(|| other - 1)
    }

    /// `worker` leaves; whether its mark was still there.
    pub(super) fn leave(&self, place: usize, worker: usize) -> bool {
        let found = self.inside[place].0.swap(0, Relaxed);
        (found >> 32) as usize == worker + 1
    }
}

impl<S: System> Default for StormObjects<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System> Worker<S> {
    const fn new() -> Self {
        Self {
            thread: Thread::new("worker"),
            chance: AtomicU64::new(0),
            operations: AtomicU64::new(0),
            life: AtomicU32::new(0),
            at: AtomicU32::new(0),
            index: AtomicU32::new(0),
        }
    }
}
