//! Owns: how a thread of a partition goes on. Must never know: why.
//!
//! All that is loaded into registers here is the thread's own, or nothing.

use super::state::{CONTROL_BLOCK, INTERRUPTED, PARTITION, PC, REST, STACK};
use crate::processors::user::{compare_map, load_map, with_loaded};
use crate::switch::CALL_FRAME;
use core::mem::offset_of;
use taktos_machine::Context;

/// Where the second word of a thread's message lies in its control block, and behind it who sent it. The kernel's.
const ARGUMENT: i32 = 56;

/// Clears what a call's answer is not in, of the registers that functions need not keep.
macro_rules! clear_rest {
    () => {
        ".irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,30
         mov x\\n, xzr
         .endr"
    };
}

/// Clears those that functions keep, but x19 and x29, which are the thread's own.
macro_rules! clear_own {
    () => {
        ".irp n, 20,21,22,23,24,25,26,27,28
         mov x\\n, xzr
         .endr"
    };
}

pub(crate) use {clear_own, clear_rest};

/// Where the saved frame of a thread of a partition leads: x0 and x1 are its answer, x19 and x29 its own, the stack pointer leads behind
/// the frame.
#[unsafe(naked)]
pub extern "C" fn resume() {
    with_loaded!(
        "ldur x11, [sp, #{partition}]",
        compare_map!(),
        "b.ne 5f",
        "1:",
        "tbnz x10, #{interrupted}, 6f",
        // Behind a call.
        "msr elr_el1, x9",
        "msr spsr_el1, x10",
        "ldp x2, x3, [sp, #{argument}]",
        "cbnz x0, 4f",
        "2:",
        "ldp x9, x10, [sp, #{stack}]",
        "msr tpidr_el0, x10",
        "mov sp, x9",
        clear_rest!(),
        clear_own!(),
        "eret",
        "4:",
        "stur xzr, [sp, #{status}]",
        "b 2b",
        // Of another partition than what is loaded. The return is what has the new map count.
        "5:",
        load_map!(),
        "b 1b",
        // As it was interrupted.
        "6:",
        "and x10, x10, #{state}",
        "msr elr_el1, x9",
        "msr spsr_el1, x10",
        "mov x30, sp",
        "ldp x9, x10, [sp, #{stack}]",
        "msr tpidr_el0, x10",
        "mov sp, x9",
        "add x30, x30, #{rest}",
        "ldp x0, x1, [x30]",
        "ldp x2, x3, [x30, #16]",
        "ldp x4, x5, [x30, #32]",
        "ldp x6, x7, [x30, #48]",
        "ldp x8, x9, [x30, #64]",
        "ldp x10, x11, [x30, #80]",
        "ldp x12, x13, [x30, #96]",
        "ldp x14, x15, [x30, #112]",
        "ldp x16, x17, [x30, #128]",
        "ldp x18, x20, [x30, #144]",
        "ldp x21, x22, [x30, #160]",
        "ldp x23, x24, [x30, #176]",
        "ldp x25, x26, [x30, #192]",
        "ldp x27, x28, [x30, #208]",
        "ldr x30, [x30, #224]",
        "eret",
        partition = const PARTITION as i32 - CALL_FRAME as i32,
        pc = const PC,
        interrupted = const INTERRUPTED,
        state = const !(1_u64 << INTERRUPTED),
        argument = const CONTROL_BLOCK + ARGUMENT,
        status = const CONTROL_BLOCK + offset_of!(Context, status) as i32,
        stack = const STACK,
        rest = const REST,
    )
}
