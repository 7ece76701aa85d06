//! Owns: faults of threads of partitions: what is told of them.
//! Must never know: what a partition does about it.

use super::state;
use crate::fault::{LOAD_PAGE, STORE_PAGE, classify};
use crate::processors::own;
use crate::processors::user::keep_turn;
use taktos_machine::{Cause, Context, RaisedFault};

#[expect(improper_ctypes, reason = "both sides are of one program")]
unsafe extern "C" {
    /// The program's, by [`partitions!`](crate::partitions).
    fn taktos_user_fault(fault: RaisedFault<'_>) -> *const Context;
}

/// A word that the processor looks at for debuggers (privileged architecture, `scause`).
const BREAKPOINT: usize = 3;

/// Tells the kernel of the fault of the thread that runs, whose registers its state has; says who goes on. On several processors the lock is
/// held then; nobody is told, and nobody goes on, where others have decided that the thread gives way.
pub extern "C" fn fault(cause: usize, value: usize) -> *const Context {
    if !keep_turn() {
        return core::ptr::null();
    }
    // SAFETY: a thread runs, and its context stays where it is.
    let current = unsafe { &*own().current.get() };
    let (cause, address) = told(cause, value);
    let fault = RaisedFault {
        cause,
        address,
        registers: Some(&state::of(current).registers()),
    };
    // SAFETY: called in the handler of the fault of the thread that runs.
    unsafe { taktos_user_fault(fault) }
}

/// The cause and the address. What a thread of a partition touches that is not its own is no guard's matter, as it may be of one with
/// privilege.
fn told(cause: usize, value: usize) -> (Cause, Option<usize>) {
    match cause {
        LOAD_PAGE | STORE_PAGE => (Cause::DataAccess, Some(value)),
        BREAKPOINT => (Cause::UndefinedInstruction, None),
        _ => classify(cause, value),
    }
}
