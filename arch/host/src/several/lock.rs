//! Owns: the one lock of a machine with several processors: first come, first served.
//! Must never know: how a processor waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The lock.
pub struct Lock {
    holder: Cell<Option<usize>>,
    waiting: RefCell<VecDeque<usize>>,
}

impl Lock {
    /// Creates a lock without a holder.
    pub const fn new() -> Self {
        Self {
            holder: Cell::new(None),
            waiting: RefCell::new(VecDeque::new()),
        }
    }

    /// Removes the holder and the waiting processors.
    pub fn reset(&self) {
        self.holder.set(None);
        self.waiting.borrow_mut().clear();
    }

    /// Whether `processor` holds it.
    pub fn is_held_by(&self, processor: usize) -> bool {
        self.holder.get() == Some(processor)
    }

    /// Whether `processor` gets it at once; if not, it is the last of those that wait.
    pub fn ask(&self, processor: usize) -> bool {
        if self.holder.get().is_none() {
            self.holder.set(Some(processor));
            return true;
        }
        self.waiting.borrow_mut().push_back(processor);
        false
    }

    /// Releases the lock for its holder. Gives it to the processor that has waited for the longest,
    /// and returns that processor.
    pub fn release(&self) -> Option<usize> {
        let next = self.waiting.borrow_mut().pop_front();
        self.holder.set(next);
        next
    }
}
