//! More processors than two at the lock, so that some wait in its queue: threads of the host, which
//! meet as they will.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;
use taktos_lock::QueuedLock;

/// Each turn of a thread that waits takes a switch of the host, which other work there delays.
const TURNS: usize = 4_000;

/// Lets `processors` threads take `lock` in turns; no thread sees another one inside, and none is
/// left waiting.
fn meet(lock: &QueuedLock, processors: usize) {
    let (inside, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let take_turns = || {
        for _ in 0..TURNS {
            lock.lock(thread::yield_now);
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "two are inside");
            // Not an addition in one step: it is the lock that makes it one.
            turns.store(turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            inside.fetch_sub(1, Ordering::Relaxed);
            lock.unlock();
        }
    };
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(take_turns);
        }
    });
    assert_eq!(turns.into_inner(), processors * TURNS);
    lock.lock(|| panic!("the lock is free, and somebody is thought to wait"));
    lock.unlock();
}

#[test]
fn many_at_once() {
    for processors in [2, 3, 4, 8] {
        meet(&QueuedLock::new(), processors);
    }
}

#[test]
fn numbers_wrap_while_processors_wait() {
    let last = || AtomicU32::new(u32::MAX - 100);
    meet(
        &QueuedLock::with_words(AtomicU32::new(0), last(), last()),
        5,
    );
}
