//! Owns: how an interrupt ends, and the stacks of handlers and of reports of faults, of the one
//! processor. Must never know: what is done on them.

pub(crate) use crate::interrupt::dispatch;
use core::mem::offset_of;
use taktos_arch_common::{FaultStack, HandlerStack};
use taktos_machine::Processor;

pub(crate) static HANDLER_STACK: HandlerStack = HandlerStack::NEW;

pub(crate) static FAULTS: FaultStack = FaultStack::NEW;

/// The end of an interrupt, after `dispatch`: goes to the label 2 if another thread is to run.
macro_rules! branch_if_another {
    () => {
        "ld t0, 0(tp)
         ld t1, 8(tp)
         bne t0, t1, 2f"
    };
}

const _: () = assert!(offset_of!(Processor, current) == 0 && offset_of!(Processor, heir) == 8);

/// Where the registers of a fault are collected, in t0. The code around is in `on_fault_stack!`.
macro_rules! fault_stack {
    () => {
        "la t0, {stack} + {offset}"
    };
}

/// Code of a naked function that names the stack by `fault_stack!`.
macro_rules! on_fault_stack {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            stack = sym $crate::processors::entry::FAULTS,
            offset = const taktos_arch_common::FaultStack::SIZE - $crate::trap::COLLECTED,
        )
    };
}

pub(crate) use {branch_if_another, fault_stack, on_fault_stack};
