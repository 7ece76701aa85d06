//! Owns: faults of threads of partitions: their reports.
//! Must never know: what a partition does about it.

use super::state;
use crate::fault::{LOAD_PAGE, STORE_PAGE, classify};
use crate::processors::own;
use crate::processors::user::keep_turn;
use taktos_arch_common::report_user_fault;
use taktos_machine::{Cause, Context};

/// A word that the processor watches for debuggers (privileged architecture, `scause`).
const BREAKPOINT: usize = 3;

/// Reports the fault of the running thread to the kernel, with the registers in its state; returns
/// the thread that resumes. On several processors the lock is held then. Returns null and reports
/// nothing if other processors have decided that the thread is preempted.
pub extern "C" fn fault(cause: usize, value: usize) -> *const Context {
    if !keep_turn() {
        return core::ptr::null();
    }
    // SAFETY: a thread runs, and its context stays where it is.
    let current = unsafe { &*own().current.get() };
    let (told, registers) = (told(cause, value), state::of(current).registers());
    // SAFETY: called in the handler of the fault of the thread that runs.
    unsafe { report_user_fault(told, Some(&registers)) }
}

/// The cause and the address. An access of a partition's thread to memory that is not its own is no
/// guard's matter, as the guard may be of a thread with privilege.
fn told(cause: usize, value: usize) -> (Cause, Option<usize>) {
    match cause {
        LOAD_PAGE | STORE_PAGE => (Cause::DataAccess, Some(value)),
        BREAKPOINT => (Cause::UndefinedInstruction, None),
        _ => classify(cause, value),
    }
}
