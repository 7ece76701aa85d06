//! Owns: interrupts that come while a thread of a partition runs, and its way to another thread behind them.
//! Must never know: which interrupt, why another thread goes on.

use super::entry::leave;
use super::state::{INTERRUPTED, OFFSET, PC, REST, STACK};
use crate::interrupt::dispatch;
use crate::processors::entry::{look_again, with_choice};
use crate::switch::CALL_FRAME;
use crate::vectors::{end_interrupt, keep_registers};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::Processor;

/// An interrupt while a thread of a partition ran.
#[unsafe(naked)]
pub extern "C" fn interrupt() {
    with_choice!(
        keep_registers!(),
        "bl {dispatch}",
        // Current and heir.
        "mrs x0, tpidr_el1",
        "ldp x0, x1, [x0, #{current}]",
        "cmp x0, x1",
        look_again!(),
        end_interrupt!(),
        dispatch = sym dispatch,
        preempt = sym preempt,
        current = const offset_of!(Processor, current),
    )
}

/// The rest of an interrupt after which another thread runs. All registers are the thread's, and nothing is left on the handlers' stack,
/// below which nobody writes meanwhile.
#[unsafe(naked)]
extern "C" fn preempt() {
    naked_asm!(
        "stp x0, x1, [sp, #-16]",
        "mrs x0, tpidr_el1",
        "ldr x0, [x0, #{current}]",
        "add x0, x0, #{state}",
        "stp x19, x29, [x0]",
        "add x1, x0, #{rest}",
        "stp x2, x3, [x1, #16]",
        "stp x4, x5, [x1, #32]",
        "stp x6, x7, [x1, #48]",
        "stp x8, x9, [x1, #64]",
        "stp x10, x11, [x1, #80]",
        "stp x12, x13, [x1, #96]",
        "stp x14, x15, [x1, #112]",
        "stp x16, x17, [x1, #128]",
        "stp x18, x20, [x1, #144]",
        "stp x21, x22, [x1, #160]",
        "stp x23, x24, [x1, #176]",
        "stp x25, x26, [x1, #192]",
        "stp x27, x28, [x1, #208]",
        "str x30, [x1, #224]",
        "ldp x2, x3, [sp, #-16]",
        "stp x2, x3, [x1]",
        "mrs x2, sp_el0",
        "mrs x3, tpidr_el0",
        "stp x2, x3, [x0, #{stack}]",
        "mrs x2, elr_el1",
        "mrs x3, spsr_el1",
        "orr x3, x3, #{interrupted}",
        "stp x2, x3, [x0, #{pc}]",
        "msr spsel, #0",
        "mov sp, x0",
        "mrs x7, tpidr_el1",
        "ldr x1, [x7, #{current}]",
        "ldr x0, [x7, #{heir}]",
        // For a whole slice.
        "mov w23, #0",
        "b {leave}",
        leave = sym leave,
        state = const OFFSET,
        rest = const CALL_FRAME + REST,
        stack = const CALL_FRAME + STACK,
        pc = const CALL_FRAME + PC,
        interrupted = const 1_u64 << INTERRUPTED,
        current = const offset_of!(Processor, current),
        heir = const offset_of!(Processor, heir),
    )
}
