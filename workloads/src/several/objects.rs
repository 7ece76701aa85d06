//! Owns: the objects that cases work on, the helpers, and how all are made as new.

use super::{MAIN, PROCESSORS, SIDE, SeveralBoard, WORK};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use taktos_kernel::{
    AnyThread, ClusterMutex, ClusterProtocol, Condition, Cpu, CpuSet, Error, EventFlags, Heap,
    Instance, Kernel, MessageQueue, Mutex, Pipe, Pool, Priority, Semaphore, System, Thread,
};

/// The bytes of a helper's stack.
pub const STACK: usize = 768 * size_of::<usize>();
/// How many helpers there are.
pub const HELPERS: usize = 8;
/// How many messages the queue holds.
pub(super) const ROOM: usize = 3;
/// The bytes of the heap: 16 units of four words.
pub(super) const HEAP: usize = 64 * size_of::<usize>();
/// The ceiling of [`Objects::ceiling`] and [`Objects::mrsp`].
pub(super) const CEILING: u8 = 6;

/// A thread that cases start, and its reports.
pub struct Helper<S: System> {
    thread: Thread<S, STACK>,
    /// Its own number.
    index: AtomicU32,
    ticks: AtomicU32,
    seen: AtomicU32,
    place: AtomicU32,
    value: AtomicU32,
}

impl<S: System> Helper<S> {
    const fn new() -> Self {
        Self {
            thread: Thread::new("helper"),
            index: AtomicU32::new(0),
            ticks: AtomicU32::new(0),
            seen: AtomicU32::new(0),
            place: AtomicU32::new(0),
            value: AtomicU32::new(0),
        }
    }

    /// The thread.
    pub fn thread(&'static self) -> &'static Thread<S, STACK> {
        &self.thread
    }

    /// Its number, from 0.
    pub fn index(&self) -> usize {
        self.index.load(SeqCst) as usize
    }

    /// How often it has ticked.
    pub fn ticks(&self) -> u32 {
        self.ticks.load(SeqCst)
    }

    /// The processors on which it has ticked.
    pub fn seen(&self) -> CpuSet {
        CpuSet::from_bits(self.seen.load(SeqCst).into())
    }

    /// Forgets where it has ticked.
    pub fn forget(&self) {
        self.seen.store(0, SeqCst);
    }

    /// As how many-th of all helpers it took its place, from 1; 0 if it did not.
    pub fn place(&self) -> u32 {
        self.place.load(SeqCst)
    }

    /// Returns the last value that it reported.
    pub fn value(&self) -> u32 {
        self.value.load(SeqCst)
    }

    /// Reports a value.
    pub fn tell(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Reports how a call ended: 1 for success, otherwise 16 + the error's number.
    pub fn tell_result<T>(&self, result: Result<T, Error>) {
        self.tell(told(result));
    }

    /// Forgets all that it reported.
    pub(super) fn reset(&self) {
        for word in [&self.ticks, &self.seen, &self.place, &self.value] {
            word.store(0, SeqCst);
        }
    }
}

/// Returns how a call ended, as [`Helper::tell_result`] reports it.
pub(super) fn told<T>(result: Result<T, Error>) -> u32 {
    match result {
        Ok(_) => 1,
        Err(error) => 16 + error as u32,
    }
}

impl<S: SeveralBoard> Helper<S> {
    /// It runs, on this processor.
    pub fn tick(&self) {
        let here = 1 << AnyThread::<S>::processor().index();
        self.seen.fetch_or(here, SeqCst);
        self.ticks.fetch_add(1, SeqCst);
    }

    /// It takes the next place.
    pub fn take_place(&self) {
        let place = S::objects().places.fetch_add(1, SeqCst) + 1;
        self.place.store(place, SeqCst);
    }

    /// Ticks for ever.
    pub fn spin(&self) -> ! {
        loop {
            self.tick();
            S::pause();
        }
    }

    /// Ticks until the case's number is at least `number`.
    pub fn spin_until(&self, number: u32) {
        while S::objects().number() < number {
            self.tick();
            S::pause();
        }
    }
}

/// Objects of the cases. A board has them, in a static.
pub struct Objects<S: System> {
    helpers: [Helper<S>; HELPERS],
    places: AtomicU32,
    number: AtomicU32,
    /// A number that is changed without any protection of its own.
    pub(super) plain_number: AtomicU32,
    pub(super) semaphores: [Semaphore<S>; 3],
    pub(super) mutex: Mutex<S>,
    pub(super) condition: Condition<S>,
    pub(super) events: EventFlags<S>,
    pub(super) queue: MessageQueue<S, u32, ROOM>,
    pub(super) pipe: Pipe<S, 16>,
    pub(super) pool: Pool<S, 16, 2>,
    pub(super) heap: Heap<S, HEAP>,
    pub(super) cluster: [ClusterMutex<S>; 5],
}

impl<S: System> Objects<S> {
    /// The objects before the suite.
    pub const fn new() -> Self {
        let ceiling = Priority::from_stored(CEILING);
        Self {
            helpers: [const { Helper::new() }; HELPERS],
            places: AtomicU32::new(0),
            number: AtomicU32::new(0),
            plain_number: AtomicU32::new(0),
            semaphores: [const { Semaphore::new(0) }; 3],
            mutex: Mutex::new(),
            condition: Condition::new(),
            events: EventFlags::new(0),
            queue: MessageQueue::new(),
            pipe: Pipe::new(),
            pool: Pool::new(),
            heap: Heap::new(),
            cluster: [
                ClusterMutex::new(ClusterProtocol::None),
                ClusterMutex::new(ClusterProtocol::Inheritance),
                ClusterMutex::new(ClusterProtocol::Omip),
                ClusterMutex::new(ClusterProtocol::Ceiling(ceiling)),
                ClusterMutex::new(ClusterProtocol::MrsP(ceiling)),
            ],
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: SeveralBoard> Objects<S> {
    /// The helper `index`.
    pub(super) fn helper(&'static self, index: usize) -> &'static Helper<S> {
        &self.helpers[index]
    }

    /// The case's number.
    pub(super) fn number(&self) -> u32 {
        self.number.load(SeqCst)
    }

    /// Sets the case's number.
    pub(super) fn set_number(&self, number: u32) {
        self.number.store(number, SeqCst);
    }

    /// Adds one to the case's number.
    pub(super) fn count(&self) {
        self.number.fetch_add(1, SeqCst);
    }

    /// Makes everything as new; says whether that could be done.
    pub(super) fn reset(&'static self) -> Result<(), Error> {
        for (index, helper) in self.helpers.iter().enumerate() {
            // Those that do not exist answer so.
            let _ = helper.thread().delete();
            helper.index.store(index as u32, SeqCst);
        }
        // Others may be on their way from their processors still.
        super::busy::<S>(1);
        self.helpers.iter().for_each(Helper::reset);
        give_all_to_work::<S>()?;
        for semaphore in &self.semaphores {
            let _ = semaphore.delete();
            semaphore.renew(0, u32::MAX)?;
        }
        self.mutex.delete()?;
        self.mutex.renew()?;
        self.condition.delete()?;
        self.condition.renew()?;
        self.events.delete()?;
        self.events.renew(0)?;
        self.queue.delete()?;
        self.queue.renew()?;
        self.pipe.delete()?;
        self.pipe.renew()?;
        self.pool.delete()?;
        self.pool.renew()?;
        self.heap.delete()?;
        self.heap.renew()?;
        for mutex in &self.cluster {
            mutex.delete()?;
            mutex.renew()?;
        }
        for word in [&self.places, &self.number, &self.plain_number] {
            word.store(0, SeqCst);
        }
        Ok(())
    }
}

/// The instance of this name.
pub(super) fn instance<S: System>(name: [u8; 4]) -> Result<Instance, Error> {
    Kernel::<S>::instance_named(name)
}

/// All processors, by their numbers.
pub(super) fn all_processors() -> impl Iterator<Item = Cpu> {
    (0..PROCESSORS).filter_map(Cpu::new)
}

/// Moves the processor from one instance to the other.
pub(super) fn hand_over<S: System>(
    processor: Cpu,
    from: [u8; 4],
    to: [u8; 4],
) -> Result<(), Error> {
    Kernel::<S>::remove_processor(instance::<S>(from)?, processor)?;
    Kernel::<S>::add_processor(instance::<S>(to)?, processor)
}

/// Gives all processors to [`WORK`].
fn give_all_to_work<S: System>() -> Result<(), Error> {
    let (work, side) = (instance::<S>(WORK)?, instance::<S>(SIDE)?);
    for processor in all_processors() {
        if Kernel::<S>::processors(side)?.contains(processor) {
            Kernel::<S>::remove_processor(side, processor)?;
        }
        if !Kernel::<S>::processors(work)?.contains(processor) {
            Kernel::<S>::add_processor(work, processor)?;
        }
    }
    let main = AnyThread::<S>::current();
    main.set_priority(Priority::from_stored(MAIN))
}
