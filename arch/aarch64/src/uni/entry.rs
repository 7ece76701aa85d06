//! Owns: how an interrupt ends, and the stacks of handlers and of reports of faults, of the one
//! processor. Must never know: what is done on them.

use taktos_arch_common::{FaultStack, HandlerStack};

pub(crate) static HANDLER_STACK: HandlerStack = HandlerStack::NEW;

pub(crate) static FAULTS: FaultStack = FaultStack::NEW;

/// Where the stack for faults begins, in x0. The code around is in `on_fault_stack!`.
macro_rules! fault_stack {
    () => {
        "adrp x0, {stack}
         add x0, x0, :lo12:{stack}
         add x0, x0, #{size}"
    };
}

/// Code of a naked function that names the stack by `fault_stack!`.
macro_rules! on_fault_stack {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            stack = sym $crate::processors::entry::FAULTS,
            size = const taktos_arch_common::FaultStack::SIZE,
        )
    };
}

// An interrupt that has compared heir and current thread ends with that.
pub(crate) use core::arch::naked_asm as with_choice;
pub(crate) use taktos_arch_common::nothing as look_again;
pub(crate) use {fault_stack, on_fault_stack};
