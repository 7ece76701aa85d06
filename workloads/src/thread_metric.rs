//! Owns: the seven tests of Thread-Metric, in words of its own: what a program does all day, an
//! iteration at a time. Must never know: how they are counted, or what other kernels need.
//!
//! A mark reaches from the beginning of an iteration of the first thread to its end, the test's
//! counter included: where five threads take turns, that is one of each.

use crate::mark::{begin, end};
use crate::spare::SpareInterrupt;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{
    AnyThread, Interrupt, MessageQueue, Pool, Priority, Semaphore, System, Thread, Timeout,
};

/// How often each test goes round.
const REPETITIONS: usize = 1001;
const STACK: usize = 256 * size_of::<usize>();
const THREADS: usize = 5;
/// The least urgent of the threads.
const LEAST: u8 = 12;
/// The block of the test of memory, in bytes, and how many there are.
const BLOCK: usize = 128;
const BLOCKS: usize = 16;

/// Objects of the tests. A board has them in a static. Small ones come first, where one instruction
/// reaches them.
#[repr(C)]
pub struct Objects<S: System> {
    counters: [AtomicU32; THREADS],
    /// Action of the interrupt: 0 gives the semaphore, 1 resumes the second thread.
    resumes: AtomicU32,
    semaphore: Semaphore<S>,
    messages: MessageQueue<S, [u32; 4], 10>,
    memory: Pool<S, BLOCK, BLOCKS>,
    threads: [Thread<S, STACK>; THREADS],
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            threads: [const { Thread::new("metric") }; THREADS],
            counters: [const { AtomicU32::new(0) }; THREADS],
            semaphore: Semaphore::new(0),
            messages: MessageQueue::new(),
            memory: Pool::new(),
            resumes: AtomicU32::new(0),
        }
    }

    /// One more iteration of a thread.
    #[inline(always)]
    fn count(&self, thread: usize) {
        let counter = &self.counters[thread];
        counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

type Entry<S> = fn(&'static Objects<S>);

/// Runs all tests, one after the other. Called by a thread less urgent than all of theirs.
pub fn run<S: SpareInterrupt>(objects: &'static Objects<S>) {
    let turns: [Entry<S>; THREADS] = [
        yield_marked,
        yields::<S, 1>,
        yields::<S, 2>,
        yields::<S, 3>,
        yields::<S, 4>,
    ];
    all(objects, &turns, |_| LEAST);
    let chain: [Entry<S>; THREADS] = [
        resume_marked,
        resumes_and_suspends::<S, 1>,
        resumes_and_suspends::<S, 2>,
        resumes_and_suspends::<S, 3>,
        suspends::<S, 4>,
    ];
    all(objects, &chain, |index| LEAST - index);
    all(objects, &[pend_and_take], |_| LEAST);
    objects.resumes.store(1, Relaxed);
    all(
        objects,
        &[pend_and_be_preempted, suspends::<S, 1>],
        |index| LEAST - index,
    );
    all(objects, &[send_and_receive], |_| LEAST);
    expect(objects.semaphore.give());
    all(objects, &[take_and_give], |_| LEAST);
    all(objects, &[allocate_and_free], |_| LEAST);
    S::write("all tests done\n");
}

/// The handler of the board's spare interrupt.
#[inline(always)]
pub fn interrupt<S: System>(objects: &'static Objects<S>, interrupt: &Interrupt<S>) {
    if objects.resumes.load(Relaxed) == 0 {
        expect(objects.semaphore.give_in(interrupt));
    } else {
        expect(objects.threads[1].resume_in(interrupt));
    }
}

/// Makes a thread of each entry, the first with the mark, and waits for the end of the first; the
/// others are deleted then. None runs before all are ready, or after the first's end: this thread
/// is above them.
fn all<S: System>(objects: &'static Objects<S>, entries: &[Entry<S>], level: impl Fn(u8) -> u8) {
    let main = AnyThread::<S>::current();
    let (own, _) = main.priorities();
    expect(main.set_priority(Priority::MOST_URGENT));
    let threads = objects.threads.iter().zip(entries);
    for (index, (thread, entry)) in threads.enumerate() {
        let level = Priority::new(level(index as u8)).unwrap_or(Priority::LEAST_URGENT);
        expect(thread.create_as("metric", level));
        expect(thread.start_with(*entry, objects));
    }
    expect(objects.threads[0].join(Timeout::FOREVER));
    for thread in &objects.threads[..entries.len()] {
        expect(thread.delete());
    }
    expect(main.set_priority(own));
}

#[inline(always)]
fn expect<T, E>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => failed(),
    }
}

#[cold]
#[inline(never)]
fn failed() -> ! {
    panic!("a call of a test failed")
}

/// Cooperative: threads of one priority yield, round and round.
#[inline(never)]
fn yield_marked<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("cooperative");
        AnyThread::<S>::yield_now();
        objects.count(0);
        end!("cooperative");
    }
}

#[inline(never)]
fn yields<S: System, const I: usize>(objects: &'static Objects<S>) {
    loop {
        AnyThread::<S>::yield_now();
        objects.count(I);
    }
}

/// Preemptive: each resumes a more urgent one and suspends itself, but for the first, which begins
/// again, and the last.
#[inline(never)]
fn resume_marked<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("preemptive");
        expect(objects.threads[1].resume());
        objects.count(0);
        end!("preemptive");
    }
}

#[inline(never)]
fn resumes_and_suspends<S: System, const I: usize>(objects: &'static Objects<S>) {
    loop {
        expect(objects.threads[I].suspend());
        expect(objects.threads[I + 1].resume());
        objects.count(I);
    }
}

#[inline(never)]
fn suspends<S: System, const I: usize>(objects: &'static Objects<S>) {
    loop {
        expect(objects.threads[I].suspend());
        objects.count(I);
    }
}

/// Interrupt: the handler gives a semaphore that the thread then takes.
#[inline(never)]
fn pend_and_take<S: SpareInterrupt>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("interrupt");
        S::pend_interrupt();
        expect(objects.semaphore.take(Timeout::FOREVER));
        objects.count(0);
        end!("interrupt");
    }
}

/// Interrupt, preempting: the handler resumes a more urgent thread, which suspends itself.
#[inline(never)]
fn pend_and_be_preempted<S: SpareInterrupt>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let before = objects.counters[1].load(Relaxed);
        begin!("interrupt-preempting");
        S::pend_interrupt();
        let [own, second] = [0, 1].map(|thread: usize| objects.counters[thread].load(Relaxed));
        if second == before {
            wait_for_second(objects, before);
        }
        objects.counters[0].store(own.wrapping_add(1), Relaxed);
        end!("interrupt-preempting");
    }
}

/// The interrupt comes a few instructions later.
#[cold]
#[inline(never)]
fn wait_for_second<S: System>(objects: &'static Objects<S>, before: u32) {
    while objects.counters[1].load(Relaxed) == before {}
}

/// Message: one thread sends 16 bytes through a queue, and receives them.
#[inline(never)]
fn send_and_receive<S: System>(objects: &'static Objects<S>) {
    let mut message = [0u32; 4];
    for number in 0..REPETITIONS {
        message[3] = number as u32;
        begin!("message");
        objects.count(0);
        expect(objects.messages.send(&message, Timeout::FOREVER));
        let received = expect(objects.messages.receive(Timeout::FOREVER));
        end!("message");
        if received != message {
            failed();
        }
    }
}

/// Synchronisation: one thread takes a semaphore, and gives it.
#[inline(never)]
fn take_and_give<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("synchronisation");
        expect(objects.semaphore.take(Timeout::FOREVER));
        expect(objects.semaphore.give());
        objects.count(0);
        end!("synchronisation");
    }
}

/// Memory: one thread allocates a block, and frees it.
#[inline(never)]
fn allocate_and_free<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("memory");
        drop(expect(objects.memory.allocate(Timeout::FOREVER)));
        objects.count(0);
        end!("memory");
    }
}
