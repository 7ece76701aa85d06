//! Owns: how a board that has an interrupt to spare runs a case's handler in it.
//! Must never know: which interrupt, or how it is made pending.
#![expect(unsafe_code, reason = "a function that an interrupt reads")]

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What an interrupt is to do, and whether it has. A board has one, in a static.
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

    /// Has `act` run in the interrupt that `pend` makes pending, and waits until it has.
    pub fn run(&self, act: fn(), pend: impl FnOnce()) {
        self.act.set(act);
        self.served.store(false, Relaxed);
        pend();
        while !self.served.load(Relaxed) {
            core::hint::spin_loop();
        }
    }

    /// What the interrupt's handler does.
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
