//! Owns: the virtual time of a world with one processor.
//! Must never know: the running thread.

use crate::agenda::{Agenda, Due};
use std::cell::Cell;

/// The clock of one world, and what is due in it; all times in nanoseconds.
pub struct Clock {
    /// The present time.
    pub now: Cell<u64>,
    /// Events that are due.
    pub agenda: Agenda,
}

impl Clock {
    /// A clock at the start of time.
    pub const fn new() -> Self {
        Self {
            now: Cell::new(0),
            agenda: Agenda::new(),
        }
    }

    /// Goes back to the start and forgets what was due.
    pub fn reset(&self) {
        self.now.set(0);
        self.agenda.reset();
    }

    /// Advances to `at`, unless that has passed.
    pub fn advance(&self, at: u64) {
        self.now.set(self.now.get().max(at));
    }

    /// Takes what is due by now.
    pub fn take_due(&self) -> Option<Due> {
        self.agenda.take_due(self.now.get())
    }
}
