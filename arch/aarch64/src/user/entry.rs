//! Owns: the entry of calls: from the instruction to the function, and back, or on with another
//! thread. Must never know: what calls do.
//!
//! A call has its handle in x0, its words in x1 and x3, its time-out in x2, its number in x8; its
//! stub says that all registers are destroyed but x19 and x29, which alone are to be saved. The
//! answer is in x0 to x3. Values that the kernel leaves in the others are cleared.

use super::fault::fault;
use super::map::Map;
use super::resume::{clear_own, clear_rest};
use super::state::{OFFSET, PC, STACK};
use crate::pieces::release;
use crate::processors::user::{LOADED, call_again, enter, load_kernel, with_call};
use crate::switch::{CALL_FRAME, switch, switch_in_slice};
use core::arch::naked_asm;
use taktos_abi::Error;
use taktos_abi::call::{CALLS, KEEPS_SLICE, handle};
use taktos_arch_common::{TAKTOS_CALLS, taktos_user_object};

/// The offset of the table of handles in a partition; the number of handles follows it.
const HANDLES: usize = size_of::<Map>();
/// The class of a call's exception (Arm ARM, `ESR_EL1.EC`).
const CALL: u32 = 0x15;

/// An exception that an instruction of a thread of a partition caused: a call, or a fault.
///
/// While the call is decided, the thread's stack pointer is in x20, its row's needs in x23, the
/// partition in x22; on several processors this one's address is in x21.
#[unsafe(naked)]
pub extern "C" fn call() {
    with_call!(
        // No code writes below the stack pointer meanwhile.
        "str x9, [sp, #-16]",
        "mrs x9, esr_el1",
        "lsr x9, x9, #26",
        "cmp x9, #{call}",
        "b.ne 40f",
        "mov x9, sp",
        "msr spsel, #0",
        "mov x20, sp",
        "mov sp, x9",
        enter!(),
        "cmp x8, #{count}",
        "b.hs 9f",
        "adrp x11, {calls}",
        "add x11, x11, :lo12:{calls}",
        "add x11, x11, x8, lsl #4",
        "ldr x16, [x11]",
        "ldr w23, [x11, #8]",
        "tst w23, #{needs}",
        "b.eq 7f",
        "ldp x12, x13, [x22, #{handles}]",
        "cmp x0, x13",
        "b.hs 8f",
        "add x12, x12, x0, lsl #4",
        "ldr w13, [x12, #8]",
        "ldr x0, [x12]",
        "bics wzr, w23, w13",
        "b.ne 9f",
        "7:",
        "blr x16",
        "tbz x0, #0, 20f",
        "lsr x0, x0, #1",
        "30:",
        release!("x21"),
        "mov x2, xzr",
        "mov x3, xzr",
        "mov sp, x20",
        clear_rest!(),
        clear_own!(),
        "eret",
        // The table has no such place: a generation may be said.
        "8:",
        "lsr x9, x0, #{generation}",
        "cbnz x9, 10f",
        "9:",
        "mov x0, #{parameter}",
        "mov x1, xzr",
        "b 30b",
        "10:",
        "mov x24, x1",
        "mov x25, x2",
        "mov x26, x3",
        "mov x27, x16",
        "mov x1, x0",
        "mov w2, w23",
        "mov x0, x22",
        "bl {object}",
        "cbz x0, 11f",
        "mov x1, x24",
        "mov x2, x25",
        "mov x3, x26",
        "mov x16, x27",
        "b 7b",
        "11:",
        "mov x0, x1",
        "mov x1, xzr",
        "b 30b",
        // Another thread resumes: x0; x1 is switched out.
        "20:",
        "add x9, x1, #{state}",
        "mrs x10, elr_el1",
        "mrs x11, tpidr_el0",
        "stp x19, x29, [x9]",
        "stp x20, x11, [x9, #{stack}]",
        "stp x10, xzr, [x9, #{pc}]",
        "mov sp, x9",
        "b {leave}",
        "40:",
        "b {fault}",
        // Others have decided that the thread is preempted, by an interrupt that comes first: then
        // it calls again.
        call_again!(),
        call = const CALL,
        calls = sym TAKTOS_CALLS,
        count = const CALLS.len(),
        needs = const !KEEPS_SLICE,
        handles = const HANDLES,
        generation = const handle::GENERATION,
        parameter = const Error::Parameter as usize,
        object = sym taktos_user_object,
        state = const OFFSET,
        stack = const CALL_FRAME + STACK,
        pc = const CALL_FRAME + PC,
        leave = sym leave,
        fault = sym fault,
    )
}

/// Switches from the thread of x1, one of a partition, to that of x0. Saves all but the registers
/// that the switch saves; the stack pointer leads to the thread's state. The needs of the call, in
/// w23, say whether the slice continues.
#[unsafe(naked)]
pub extern "C" fn leave() {
    naked_asm!(
        // For a thread of a partition the saved stack pointer leads to the end of its control
        // block; others run in the kernel's map.
        "ldr x9, [x0]",
        "add x10, x0, #{state}",
        "cmp x9, x10",
        "b.ne 2f",
        "1:",
        "tbnz w23, #{keeps_slice}, 3f",
        "b {switch}",
        "3:",
        "b {switch_in_slice}",
        "2:",
        load_kernel!(),
        "isb",
        "b 1b",
        state = const OFFSET,
        keeps_slice = const KEEPS_SLICE.ilog2(),
        loaded = sym LOADED,
        switch = sym switch,
        switch_in_slice = sym switch_in_slice,
    )
}
