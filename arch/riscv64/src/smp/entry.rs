//! Owns: how an interrupt ends, and where reports of faults find their stack, on one of several
//! processors. Must never know: what is done there.

use super::Hart;
use super::state::own;
use taktos_arch_common::choose_after;

/// Serves an interrupt. Says whether another thread is to run: then the one lock is held.
///
/// # Safety
/// As of [`dispatch`](crate::interrupt::dispatch).
pub(crate) unsafe extern "C" fn dispatch(cause: usize) -> usize {
    // SAFETY: the caller's.
    unsafe { crate::interrupt::dispatch(cause) };
    let processor = &own().processor;
    let current = processor.current.get();
    // SAFETY: a whole word, which another processor may be writing: then it calls this one
    // afterwards.
    if unsafe { processor.heir.as_ptr().read_volatile() } == current {
        return 0;
    }
    // SAFETY: after `dispatch` interrupts are masked; a handler gives back the lock that it takes.
    unsafe { choose_after::<Hart>(processor, current) }
}

/// The end of an interrupt, after `dispatch`: goes to the label 2 if another thread is to run.
macro_rules! branch_if_another {
    () => {
        "bnez a0, 2f"
    };
}

/// Where the registers of a fault are collected, in t0. The code around is in `on_fault_stack!`.
macro_rules! fault_stack {
    () => {
        "ld t0, {stack}(tp)"
    };
}

/// Code of a naked function that names the stack by `fault_stack!`.
macro_rules! on_fault_stack {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            stack = const core::mem::offset_of!($crate::state::State, fault_stack),
        )
    };
}

pub(crate) use {branch_if_another, fault_stack, on_fault_stack};
