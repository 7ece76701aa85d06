//! Owns: how a thread of a partition resumes. Must never know: why.
//!
//! All that is loaded into registers here is the thread's own, or nothing.

use super::state::{CONTROL_BLOCK, INTERRUPTED, PARTITION, PC, REST, STACK};
use crate::processors::user::{compare_map, load_map, with_loaded};
use crate::registers::{x2_to_x17, x18_to_x28};
use crate::switch::CALL_FRAME;
use core::mem::offset_of;
use taktos_machine::Context;

/// Offset of the second word of a thread's message in its control block; the sender follows it.
/// Defined by the kernel.
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

/// Resumes a thread of a partition; its saved frame leads here. The result is in x0 and x1; x19 and
/// x29 are the thread's own; the stack pointer leads to the end of the frame.
#[unsafe(naked)]
pub extern "C" fn resume() {
    with_loaded!(
        "ldur x11, [sp, #{partition}]",
        compare_map!(),
        "b.ne 5f",
        "1:",
        "tbnz x10, #{interrupted}, 6f",
        // After a call.
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
        x2_to_x17!("ldp", "x30, #"),
        x18_to_x28!("ldp", "x30, #"),
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
