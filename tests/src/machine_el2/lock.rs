//! Owns: the lock of a partition's devices, on the host.
//! Must never know: what it guards.
//!
//! One thread plays all processors, and no processor acts between two steps of another one: a lock
//! that is taken twice would never be given back, and one that is kept is seen by the rig.
#![expect(unsafe_code, reason = "the trait of locks is unsafe to implement")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use lock_api::{GuardNoSend, RawMutex};

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// How many of these locks are held by this host thread: 0 or 1.
pub(super) fn held() -> usize {
    HELD.get()
}

/// A lock that panics if it is taken while this host thread has one already.
#[derive(Debug)]
pub struct OneAtATime(AtomicBool);

// SAFETY: the second one that takes it panics instead.
unsafe impl RawMutex for OneAtATime {
    const INIT: Self = Self(AtomicBool::new(false));
    type GuardMarker = GuardNoSend;

    fn lock(&self) {
        assert!(self.try_lock(), "a partition's lock is taken twice");
        assert_eq!(HELD.replace(1), 0, "a processor has one partition's lock");
    }

    fn try_lock(&self) -> bool {
        !self.0.swap(true, Ordering::Acquire)
    }

    unsafe fn unlock(&self) {
        HELD.set(0);
        self.0.store(false, Ordering::Release);
    }
}
