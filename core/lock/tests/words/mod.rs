//! Owns: the lock with loom's words, and data that it guards. The tests that run every order of
//! events take this file as a module.

use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicU32;
use taktos_lock::QueuedLock;

/// Shared, so that a test can read a word of its lock.
#[derive(Clone)]
pub struct Loom(std::sync::Arc<AtomicU32>);

taktos_lock::word!(
    Loom,
    Self(std::sync::Arc::new(AtomicU32::new(0))),
    |self| self.0
);

pub type Lock = QueuedLock<Loom>;

/// The data that the lock guards, with loom's check that no two threads are there at once.
pub struct Guarded<T = usize>(UnsafeCell<T>);

impl<T> Guarded<T> {
    pub fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The caller holds the lock.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        self.0.with_mut(|value| {
            #[expect(unsafe_code, reason = "loom's cell, which checks the access")]
            // SAFETY: loom fails the test if another access is going on.
            change(unsafe { &mut *value })
        })
    }
}
