//! Owns: the table of the program's threads with statics that are all zeros until the start
//! (`#[taktos::thread]`). Must never know: the threads.

#![expect(unsafe_code, reason = "a table between two symbols of the linker's")]

use crate::Board;
use core::slice;
use taktos_kernel::Plan;

unsafe extern "C" {
    // The linker's script `plans.x` of `taktos-build` defines both.
    /// The table's beginning.
    static _taktos_plans: u8;
    /// Its end.
    static _taktos_plans_end: u8;
}

/// Makes each thread of the table one that does not exist yet.
pub(crate) fn settle() {
    let (begin, end) = (&raw const _taktos_plans, &raw const _taktos_plans_end);
    let count = (end.addr() - begin.addr()) / size_of::<Plan<Board>>();
    // SAFETY: lines of the section `.taktos.plans` alone are between the symbols, and the board
    // calls this once, before the kernel starts.
    unsafe { Plan::<Board>::settle_all(slice::from_raw_parts(begin.cast(), count)) };
}
