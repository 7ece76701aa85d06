//! Owns: `pthread_once`: a function is called once, and threads that come meanwhile wait.
//! Must never know: the effects of the function.

use super::cancel::{Cleanup, taktos_posix_cleanup_pop, taktos_posix_cleanup_push};
use super::errno::Errno;
use super::signal::action::at_call;
use crate::cmsis::interface;
use crate::os::{in_handler, os};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use taktos::Timeout;

/// `pthread_once_t`.
#[repr(transparent)]
pub struct Once(Cell<c_int>);

const NEW: c_int = 0;
const RUNS: c_int = 1;
const DONE: c_int = 2;

/// Sets the state of a control after its function has ended, and wakes its waiters.
fn end(once: &Once, state: c_int) {
    let shared = &os().posix;
    let _ = shared.once.lock(Timeout::FOREVER);
    once.0.set(state);
    let _ = shared.once_done.broadcast();
    let _ = shared.once.unlock();
}

/// The thread was cancelled in the function: it counts as never called.
unsafe extern "C" fn give_up(once: *mut c_void) {
    // SAFETY: `pthread_once` has put it there.
    end(unsafe { &*once.cast::<Once>() }, NEW);
}

interface! {
    /// Calls the function unless it was called for this control; waits for one that runs. `EPERM`
    /// in a handler.
    fn pthread_once(once: *mut Once, function: Option<unsafe extern "C" fn()>) -> c_int {
        at_call();
        // SAFETY: the caller guarantees that `once` is null or valid.
        let (Some(control), Some(function)) = (unsafe { once.as_ref() }, function) else {
            return Errno::INVAL.0;
        };
        if control.0.get() == DONE {
            return 0;
        }
        if in_handler() {
            return Errno::PERM.0;
        }
        let shared = &os().posix;
        let _ = shared.once.lock(Timeout::FOREVER);
        while control.0.get() == RUNS {
            let _ = shared.once_done.wait(&shared.once, Timeout::FOREVER);
        }
        let is_first = control.0.get() == NEW;
        if is_first {
            control.0.set(RUNS);
        }
        let _ = shared.once.unlock();
        if is_first {
            let mut cleanup = Cleanup::new(give_up, once.cast());
            // SAFETY: the handler is this function's, and goes before it.
            unsafe {
                taktos_posix_cleanup_push(&raw mut cleanup);
                function();
                taktos_posix_cleanup_pop(&raw mut cleanup, 0);
            }
            end(control, DONE);
        }
        0
    }
}
