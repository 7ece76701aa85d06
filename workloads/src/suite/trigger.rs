//! Owns: how a board that has an interrupt to spare runs a case's handler in it.
//! Must never know: which interrupt, or how it is made pending.
#![expect(unsafe_code, reason = "a function that an interrupt reads")]

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Action of an interrupt, and whether it was done. A board has one, in a static.
pub struct Trigger {
    act: Cell<fn()>,
    served: AtomicBool,
}

// SAFETY: `act` is one word, written by one thread before the interrupt and read in the interrupt.
unsafe impl Sync for Trigger {}

impl Trigger {
    /// Nothing to do.
    pub const fn new() -> Self {
        Self {
            act: Cell::new(|| ()),
            served: AtomicBool::new(false),
        }
    }

    /// Runs `act` in the interrupt that `pend` makes pending, and waits until it has run.
    pub fn run(&self, act: fn(), pend: impl FnOnce()) {
        self.act.set(act);
        self.served.store(false, Relaxed);
        pend();
        while !self.served.load(Relaxed) {
            core::hint::spin_loop();
        }
    }

    /// Does the work of the interrupt's handler.
    pub fn serve(&self) {
        (self.act.get())();
        self.served.store(true, Relaxed);
    }
}

impl Default for Trigger {
    fn default() -> Self {
        Self::new()
    }
}
