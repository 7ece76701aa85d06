//! Owns: the objects that cases work on, and how they are made as new.

use super::dependents::{Dependents, Made, Served};
use super::device::{self, Hardware, Line, Loop};
use super::{Log, SuiteBoard, UNIT, heap, mailbox, names, pipe, pool, stores};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use portable_atomic::{AtomicPtr, AtomicU32};
use taktos_kernel::{
    AlarmClock, Condition, Error, EventFlags, Fifo, Heap, Kernel, Lifo, Mailbox, MessageQueue,
    Mutex, Names, Period, Pipe, Pool, Priority, Protocol, Rule, Semaphore, Stack, System, Thread,
    TimerDevice, Watchdog, WorkQueue,
};

/// The bytes of a helper's stack.
pub const STACK: usize = 512 * size_of::<usize>();
/// How many helpers there are.
pub const THREADS: usize = 6;

pub(super) const NAMES: [&str; THREADS] = ["one", "two", "three", "four", "five", "six"];

/// The ceiling of [`Objects::ceiling`].
pub(super) const CEILING: u8 = 10;

/// Objects of the cases. A board has them, in a static.
pub struct Objects<S: System> {
    threads: [Thread<S, STACK>; THREADS],
    /// An idle thread.
    pub(super) sleeper: Thread<S, STACK>,
    /// Whether it sets the time forward to the next time-out.
    pub(super) jumps: AtomicBool,
    pub(super) log: Log,
    /// A number that belongs to the case.
    pub(super) number: AtomicU32,
    pub(super) semaphore: Semaphore<S>,
    pub(super) other_semaphore: Semaphore<S>,
    pub(super) mutexes: [Mutex<S>; 3],
    pub(super) recursive: Mutex<S>,
    pub(super) plain: Mutex<S>,
    pub(super) ceiling: Mutex<S>,
    pub(super) condition: Condition<S>,
    pub(super) events: EventFlags<S>,
    pub(super) queue: MessageQueue<S, u32, { stores::ROOM }>,
    pub(super) fifo: Fifo<S, u32, { stores::ROOM }>,
    pub(super) lifo: Lifo<S, u32, { stores::ROOM }>,
    pub(super) stack: Stack<S, { stores::ROOM }>,
    pub(super) mailbox: Mailbox<S, u32, { mailbox::SLOTS }>,
    pub(super) pipe: Pipe<S, { pipe::BUFFER }>,
    pub(super) pool: Pool<S, { pool::SIZE }, { pool::BLOCKS }>,
    pub(super) heap: Heap<S, { heap::BYTES }>,
    /// A leaked block of the heap.
    pub(super) kept: AtomicPtr<u8>,
    pub(super) periods: [Period<S>; 2],
    /// Its deadline is one unit after the release.
    pub(super) constrained: Period<S>,
    pub(super) clock: AlarmClock<S>,
    pub(super) work: WorkQueue<S>,
    pub(super) names: Names<S, { names::ROOM }>,
    pub(super) timer: TimerDevice<S>,
    pub(super) line: Line<S>,
    pub(super) watchdog: Watchdog<S, Hardware, { device::PARTS }>,
    dependents: Made<Dependents<S>>,
    served: Made<Served<S>>,
}

impl<S: System> Objects<S> {
    /// The objects before the suite.
    pub const fn new() -> Self {
        let ceiling = Protocol::Ceiling(Priority::from_stored(CEILING));
        Self {
            threads: [const { Thread::new("helper") }; THREADS],
            sleeper: Thread::new("sleeper"),
            jumps: AtomicBool::new(false),
            log: Log::new(),
            number: AtomicU32::new(0),
            semaphore: Semaphore::new(0),
            other_semaphore: Semaphore::new(0),
            mutexes: [const { Mutex::new() }; 3],
            recursive: Mutex::new().recursive(),
            plain: Mutex::with_protocol(Protocol::None),
            ceiling: Mutex::with_protocol(ceiling),
            condition: Condition::new(),
            events: EventFlags::new(0),
            queue: MessageQueue::new(),
            fifo: Fifo::new(),
            lifo: Lifo::new(),
            stack: Stack::new(),
            mailbox: Mailbox::new(),
            pipe: Pipe::new(),
            pool: Pool::new(),
            heap: Heap::new(),
            kept: AtomicPtr::new(ptr::null_mut()),
            periods: [Period::new("left"), Period::new("right")],
            constrained: Period::new("constrained").with_deadline(UNIT),
            clock: AlarmClock::new(),
            work: WorkQueue::new(),
            names: Names::new(),
            timer: TimerDevice::new(),
            line: Line::new(Loop::new()),
            watchdog: Watchdog::new(Hardware::new()),
            dependents: Made::new(),
            served: Made::new(),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: SuiteBoard> Objects<S> {
    /// The helper `index`, from 0.
    pub(super) fn thread(&'static self, index: usize) -> &'static Thread<S, STACK> {
        &self.threads[index]
    }

    /// Returns the objects that refer to these.
    pub(super) fn dependents(&'static self) -> &'static Dependents<S> {
        self.dependents.get_or_make(|| Dependents::of(self))
    }

    /// Returns the objects that refer to those.
    pub(super) fn served(&'static self) -> &'static Served<S> {
        self.served.get_or_make(|| Served::of(self))
    }

    /// The number that belongs to the case.
    pub(super) fn number(&self) -> u32 {
        self.number.load(Relaxed)
    }

    /// Sets the number that belongs to the case.
    pub(super) fn set_number(&self, number: u32) {
        self.number.store(number, Relaxed);
    }

    /// Makes everything as new: no helper exists, semaphores have no permits, mutexes are free.
    pub(super) fn reset(&'static self) {
        for thread in &self.threads {
            // Those that do not exist answer so.
            let _ = thread.delete();
        }
        for semaphore in [&self.semaphore, &self.other_semaphore] {
            renew_semaphore(semaphore, 0, u32::MAX);
        }
        for mutex in &self.mutexes {
            renew_mutex(mutex);
        }
        renew_mutex(&self.recursive);
        renew_mutex(&self.plain);
        renew_mutex(&self.ceiling);
        as_new(self.condition.delete(), || self.condition.renew());
        as_new(self.events.delete(), || self.events.renew(0));
        as_new(self.queue.delete(), || self.queue.renew());
        as_new(self.fifo.delete(), || self.fifo.renew());
        as_new(self.lifo.delete(), || self.lifo.renew());
        as_new(self.stack.delete(), || self.stack.renew());
        as_new(self.mailbox.delete(), || self.mailbox.renew());
        as_new(self.pipe.delete(), || self.pipe.renew());
        as_new(self.pool.delete(), || self.pool.renew());
        as_new(self.heap.delete(), || self.heap.renew());
        for period in self.periods.iter().chain([&self.constrained]) {
            let _ = period.delete();
        }
        for alarm in &self.served().alarms {
            as_new(alarm.delete(), || alarm.renew());
        }
        for work in &self.dependents().works {
            work.cancel();
        }
        as_new(self.clock.delete(), || self.clock.renew());
        as_new(self.work.delete(), || self.work.renew());
        as_new(self.names.delete(), || self.names.renew());
        for device in [&self.dependents().timer, &self.dependents().line] {
            as_new(device.delete(), || device.renew());
        }
        Kernel::<S>::set_send_rule(Rule::Sound);
        self.log.take();
        self.jumps.store(false, Relaxed);
        self.set_number(0);
    }
}

/// Renews what has just been deleted, now or before.
fn as_new(_: Result<(), Error>, renew: impl FnOnce() -> Result<(), Error>) {
    let renewed = renew();
    debug_assert!(renewed.is_ok());
}

/// Makes a semaphore as new, deleted or not.
pub(super) fn renew_semaphore<S: System>(semaphore: &'static Semaphore<S>, count: u32, limit: u32) {
    let _ = semaphore.delete();
    let renewed = semaphore.renew(count, limit);
    debug_assert!(renewed.is_ok());
}

fn renew_mutex<S: SuiteBoard>(mutex: &'static Mutex<S>) {
    while mutex.unlock().is_ok() {}
    let _ = mutex.delete();
    let renewed = mutex.renew();
    debug_assert!(renewed.is_ok());
}
