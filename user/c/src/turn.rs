//! Owns: turns of threads at what they share outside of the kernel. Must never know: what that is.

use crate::os::{os, surely_in_thread};
use taktos::board::Board;
use taktos::{Error, Mutex, OwnerEnd, Timeout};

/// Something that one thread has at a time, which may take it again.
pub struct Turn(Mutex<Board>);

impl Turn {
    /// A turn that no thread has.
    pub const fn new() -> Self {
        Self(Mutex::new().recursive().when_owner_ends(OwnerEnd::Unlock))
    }

    /// Waits for the turn, where there are threads.
    pub fn take(&'static self) {
        // A cancellation of POSIX threads does not end this wait.
        while os().is_running()
            && surely_in_thread()
            && self.0.lock(Timeout::FOREVER) == Err(Error::Cancelled)
        {}
    }

    /// Ends the turn.
    pub fn end(&'static self) {
        if os().is_running() && surely_in_thread() {
            let _ = self.0.unlock();
        }
    }
}
