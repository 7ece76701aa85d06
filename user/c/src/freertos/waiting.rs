//! Owns: places where tasks wait for their turn to look again, by priority, first come first served
//! among equals. Must never know: what they look at.

use crate::os::masked;
use core::cell::Cell;
use taktos::board::Board;
use taktos::{Error, Semaphore, Timeout};

/// A place where tasks wait. Nothing is handed over: a task that is called looks again, and may
/// find that another was quicker.
pub struct Waiting {
    /// A permit is the turn of one of them.
    turns: Semaphore<Board>,
    /// How many are here, or on their way, and were not called yet.
    expected: Cell<u32>,
}

/// The task that is to be called once the interrupts are let through again, if any.
pub type Called = Option<&'static Waiting>;

impl Waiting {
    /// A place at which no thread waits.
    pub const fn new() -> Self {
        Self {
            turns: Semaphore::new(0),
            expected: Cell::new(0),
        }
    }

    /// The caller is about to wait here. Masked, where it has looked in vain.
    pub fn enter(&self) {
        self.expected.set(self.expected.get() + 1);
    }

    /// The turn of the first of them, if there are any. Masked; [`wake`] does the rest.
    pub fn call(&'static self) -> Called {
        let rest = self.expected.get().checked_sub(1)?;
        self.expected.set(rest);
        Some(self)
    }

    /// Waits for the turn of the caller, which has entered. Errors: as those of a semaphore; the
    /// caller is not expected any more.
    pub fn wait(&'static self, time: Timeout) -> Result<(), Error> {
        let turn = self.turns.take(time);
        if turn.is_err_and(|error| error != Error::Deleted) {
            self.leave();
        }
        turn
    }

    /// Withdraws the caller, which does not wait after all. If it already has a turn, the turn is
    /// taken back, and no thread gets it.
    pub fn leave(&'static self) {
        let was_expected = masked(|| {
            let rest = self.expected.get().checked_sub(1);
            self.expected.set(rest.unwrap_or(0));
            rest.is_some()
        });
        if !was_expected {
            self.turns.take_at_once();
        }
    }

    /// Sends away all waiters: they get `Deleted`.
    pub fn delete(&'static self) {
        let _ = self.turns.delete();
    }
}

/// Wakes the waiter that was called. Allowed in handlers.
pub fn wake(called: Called) {
    if let Some(waiting) = called {
        let _ = waiting.turns.give();
    }
}
