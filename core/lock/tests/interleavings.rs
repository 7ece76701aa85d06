//! The lock, and what the machines build upon it, in every order of events that the memory model
//! allows.
//!
//! loom runs each test once for every such order (CDSChecker: Norris and Demsky, OOPSLA 2013), and
//! finds accesses that race. The models have the steps of the machines' paths: where a path
//! changes, its model is to change. More than two that want the lock at once are beyond it:
//! `queue.rs` has those.

mod words;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;
use std::cell::Cell;
use taktos_lock::Word;
use words::{Guarded, Lock, Loom};

/// As `loom::model`, for numbers of waits with which all orders would take hours. Only orders with
/// few switches from a thread that could continue are tried (Musuvathi and Qadeer, "Iterative
/// context bounding for systematic testing of multithreaded programs", PLDI 2007: few are enough
/// for nearly all faults).
fn model_of_few_switches(test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(4);
    model.check(test);
}

#[test]
fn one_at_a_time_and_nobody_is_forgotten() {
    loom::model(|| {
        let shared = Arc::new((Lock::of_words(), Guarded::new(0)));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    shared.0.lock(thread::yield_now);
                    shared.1.change(|count| *count += 1);
                    shared.0.unlock();
                })
            })
            .collect();
        for other in others {
            other.join().expect("the other comes to its end");
        }
        shared.0.lock(|| panic!("nobody has it"));
        shared.1.change(|count| assert_eq!(*count, 2));
    });
}

/// Pairs that no other thread disturbs, and pairs that meet, in whatever order they follow each
/// other. In the end the lock is as cheap to take as in the beginning.
#[test]
fn pairs_follow_each_other() {
    model_of_few_switches(|| {
        let word = Loom::zero();
        let lock = Lock::with_words(word.clone(), Loom::zero(), Loom::zero());
        let shared = Arc::new((lock, Guarded::new(0)));
        let twice = |shared: &(Lock, Guarded)| {
            for _ in 0..2 {
                shared.0.lock(thread::yield_now);
                shared.1.change(|count| *count += 1);
                shared.0.unlock();
            }
        };
        let other = {
            let shared = shared.clone();
            thread::spawn(move || twice(&shared))
        };
        twice(&shared);
        other.join().expect("the other comes to its end");
        shared.1.change(|count| assert_eq!(*count, 4));
        assert_eq!(word.acquire(), 0, "nobody has it, nobody waits");
    });
}

/// A processor that gives the lock back and requests it again at once is served after the one that
/// waits.
#[test]
fn first_come_first_served() {
    loom::model(|| {
        let shared = Arc::new((Lock::of_words(), AtomicBool::new(false), Guarded::new(0)));
        shared.0.lock(thread::yield_now);
        let first = {
            let shared = shared.clone();
            thread::spawn(move || {
                let told = Cell::new(false);
                shared.0.lock(|| {
                    if !told.replace(true) {
                        shared.1.store(true, Ordering::Release);
                    }
                    thread::yield_now();
                });
                shared.2.change(|order| *order = *order * 10 + 1);
                shared.0.unlock();
            })
        };
        await_call(&shared.1);
        shared.0.unlock();
        shared.0.lock(thread::yield_now);
        shared.2.change(|order| *order = *order * 10 + 2);
        shared.0.unlock();
        first.join().expect("the first comes to its end");
        shared.2.change(|order| assert_eq!(*order, 12));
    });
}

/// Waits for a call, and takes it.
fn await_call(called: &AtomicBool) {
    while !called.load(Ordering::Acquire) {
        thread::yield_now();
    }
    called.store(false, Ordering::Relaxed);
}

/// Two processors and a thread that goes from one to the other. The registers are a cell that is
/// written when the thread is saved, and read when it is loaded. The lock is given back by the
/// tail of the switch, after the saving.
struct Migration {
    lock: Lock,
    /// The thread's registers, in its control block.
    saved: Guarded,
    /// Where its registers are: a processor's number plus one; 0 when they are saved.
    live_on: Guarded,
    /// Whether processor 1 was called.
    called: AtomicBool,
}

#[test]
fn a_thread_is_loaded_only_when_it_is_saved_whole() {
    loom::model(|| {
        let world = Arc::new(Migration {
            lock: Lock::of_words(),
            saved: Guarded::new(0),
            live_on: Guarded::new(1),
            called: AtomicBool::new(false),
        });
        let other = {
            let world = world.clone();
            thread::spawn(move || {
                // Processor 1: an interrupt ends, and another is to run: it takes the lock and
                // chooses.
                loop {
                    await_call(&world.called);
                    world.lock.lock(thread::yield_now);
                    let mut free = false;
                    world.live_on.change(|place| {
                        free = *place == 0;
                        if free {
                            *place = 2;
                        }
                    });
                    if free {
                        world.saved.change(|registers| assert_eq!(*registers, 42));
                        world.lock.unlock();
                        return;
                    }
                    // The idle thread, until it is called again.
                    world.lock.unlock();
                }
            })
        };
        // Processor 0: another decides that the thread continues there, and calls; it has not been
        // saved yet.
        world.lock.lock(thread::yield_now);
        world.called.store(true, Ordering::Release);
        world.lock.unlock();
        // Then processor 0 switches away: it lets the thread go, calls the processor that waits,
        // and saves. The tail gives the lock back.
        world.lock.lock(thread::yield_now);
        world.live_on.change(|place| *place = 0);
        world.called.store(true, Ordering::Release);
        world.saved.change(|registers| *registers = 42);
        world.lock.unlock();
        other.join().expect("the other loads the thread");
    });
}

/// The heir of a processor, null (0) where a decision is due; and its interrupt.
#[test]
fn a_processor_that_was_called_sees_that_a_decision_is_due() {
    const CURRENT: usize = 7;
    loom::model(|| {
        let world = Arc::new((
            Lock::of_words(),
            AtomicUsize::new(CURRENT),
            AtomicBool::new(false),
        ));
        let sleeper = {
            let world = world.clone();
            thread::spawn(move || {
                // It waits for an interrupt: one that came before the wait ends the wait at once.
                await_call(&world.2);
                // The interrupt's end reads the heir without the lock.
                let heir = world.1.load(Ordering::Relaxed);
                assert_ne!(
                    heir, CURRENT,
                    "the call came, and what it was for is not to be seen"
                );
                world.0.lock(thread::yield_now);
                assert_eq!(world.1.load(Ordering::Relaxed), 0);
                world.1.store(CURRENT + 1, Ordering::Relaxed);
                world.0.unlock();
            })
        };
        world.0.lock(thread::yield_now);
        world.1.store(0, Ordering::Relaxed);
        // The barrier of `Machine::call`.
        world.2.store(true, Ordering::Release);
        world.0.unlock();
        sleeper.join().expect("the sleeper sees it");
    });
}

/// A thread enters the kernel while another processor decides that it runs no more: it is
/// preempted before it does anything.
#[test]
fn a_thread_that_was_taken_off_gives_way_before_it_enters() {
    loom::model(|| {
        // Whether the thread is ready, and whether its processor is to look again.
        let world = Arc::new((Lock::of_words(), Guarded::new(1), AtomicBool::new(false)));
        let thread = {
            let world = world.clone();
            thread::spawn(move || {
                world.0.lock(thread::yield_now);
                let due = world.2.load(Ordering::Relaxed);
                world.1.change(|ready| {
                    // The invariant of the kernel's sections: a thread in one that need not switch
                    // away is ready.
                    assert!(
                        due || *ready == 1,
                        "a thread that was taken off is in the kernel"
                    );
                });
                world.0.unlock();
            })
        };
        world.0.lock(thread::yield_now);
        world.1.change(|ready| *ready = 0);
        world.2.store(true, Ordering::Relaxed);
        world.0.unlock();
        thread.join().expect("the thread comes to its end");
    });
}

/// A closed instance of two processors: the heirs of the processors, and their calls.
struct Closed {
    lock: Lock,
    /// The heir of processor 1; 0 for its idle thread, 1 for the thread that waits for a message.
    heir: AtomicUsize,
    called: AtomicBool,
    /// Whether the thread waits.
    waits: Guarded,
    /// The thread's registers, in its control block: 42 where they are saved.
    registers: Guarded,
    /// The word of its message, which its owner touches with interrupts masked and without the
    /// lock.
    word: Guarded,
}

/// A thread waits on processor 0. A message from there wakes the thread and gives it the seat of
/// processor 1. Processor 1 loads it without a check of where its registers are: an owner's are
/// nowhere, or on its own processor. There the thread reads its word without the lock, writes the
/// next one, and waits again; the next sender reads that word under the lock.
#[test]
fn a_thread_is_handed_over_with_its_word() {
    model_of_few_switches(|| {
        let world = Arc::new(Closed {
            lock: Lock::of_words(),
            heir: AtomicUsize::new(0),
            called: AtomicBool::new(false),
            waits: Guarded::new(0),
            registers: Guarded::new(0),
            word: Guarded::new(0),
        });
        let other = {
            let world = world.clone();
            thread::spawn(move || processor_of_the_receiver(&world))
        };
        // Processor 0 runs the thread, which writes its own word, and waits: its registers are
        // saved before the tail of the switch gives the lock back.
        world.word.change(|word| *word = 5);
        world.lock.lock(thread::yield_now);
        world.waits.change(|waits| *waits = 1);
        world.registers.change(|registers| *registers = 42);
        world.lock.unlock();
        // Another thread there sends: the heir is known at once, and its processor is called.
        world.lock.lock(thread::yield_now);
        world.word.change(|word| {
            assert_eq!(*word, 5);
            *word = 6;
        });
        world.waits.change(|waits| *waits = 0);
        world.heir.store(1, Ordering::Relaxed);
        world.called.store(true, Ordering::Release);
        world.lock.unlock();
        // And takes the answer, if it is there.
        world.lock.lock(thread::yield_now);
        let mut waits = 0;
        world.waits.change(|found| waits = *found);
        if waits == 1 {
            world.word.change(|word| assert_eq!(*word, 7));
        }
        world.lock.unlock();
        other.join().expect("the other loads the thread");
    });
}

fn processor_of_the_receiver(world: &Closed) {
    await_call(&world.called);
    // The interrupt's end looks without the lock, and takes it where another is to run.
    assert_eq!(world.heir.load(Ordering::Relaxed), 1);
    world.lock.lock(thread::yield_now);
    world.registers.change(|registers| {
        assert_eq!(*registers, 42, "saved whole");
        *registers = 0;
    });
    world.lock.unlock();
    // The thread runs here, and no other thread touches its word.
    world.word.change(|word| {
        assert_eq!(*word, 6);
        *word = 7;
    });
    world.lock.lock(thread::yield_now);
    world.waits.change(|waits| *waits = 1);
    world.registers.change(|registers| *registers = 42);
    world.lock.unlock();
}
