//! Owns: the entry of calls: from the instruction to the function, and back, or on with another
//! thread. Must never know: what calls do.
//!
//! A call has its handle in r0, its words in r1 and r5, its time-out in r2 and r3, its number in
//! r12; its stub says that r4, r5, r8, r9 and r12 are destroyed. The answer is in r0 to r3. Values
//! that the kernel leaves in the others are cleared. Symbols that a program with partitions defines
//! are named by their text, as this is compiled there.

use super::loaded::{LOADED, NOBODY, load_kernel, loaded_in};
use super::map::Map;
use super::resume::resume;
use super::state::{OFFSET, RESUME_AT, STACK, STORED, WORD};
use crate::memory::TABLES;
use crate::switch::{SYSTEM_MODE, switch, switch_in_slice};
use core::arch::naked_asm;
use taktos_abi::Error;
use taktos_abi::call::{CALLS, KEEPS_SLICE, handle};

/// The offset of the table of handles in a partition; the number of handles follows it.
const HANDLES: usize = size_of::<Map>();

/// Clears what a call's answer is not in, of the registers that it destroys.
macro_rules! clear_rest {
    () => {
        "mov r4, #0
         mov r5, #0
         mov r8, #0
         mov r9, #0
         mov r12, #0"
    };
}

/// Saves the registers that the switch does not save, of a thread of a partition that is switched
/// out. Then it is in system mode, with the stack pointer at the space for the rest, which the
/// switch stores. Before it, r12 leads to the thread's word in its state, r3 is its program
/// counter, the saved status its own. `resume` is the code that resumes it. Destroys r2, r12 and
/// lr.
macro_rules! keep_own {
    () => {
        "mrc p15, 0, r2, c13, c0, 2
         mrs lr, spsr
         stm r12!, {{r2, r3, lr}}
         stm r12, {{sp, lr}}^
         movw r2, #:lower16:{resume}
         movt r2, #:upper16:{resume}
         str r2, [r12, #{resume_at} - {stack}]
         cps #{system_mode}
         sub sp, r12, #{stack} - {stored}"
    };
}

/// Whether the thread of r0 is one of a partition: equal. Others run in the kernel's map. Destroys
/// r2 and r3.
macro_rules! is_of_partition {
    () => {
        // The saved stack pointer leads to the end of the control block.
        "ldr r2, [r0]
         add r3, r0, #{state}
         cmp r2, r3"
    };
}

pub(super) use {clear_rest, keep_own};

/// A call, in supervisor mode.
#[unsafe(naked)]
pub extern "C" fn call() {
    naked_asm!(
        // The second word is an argument on the stack.
        "push {{r5, lr}}",
        "cmp r12, #{count}",
        "movw lr, #:lower16:TAKTOS_CALLS",
        "movt lr, #:upper16:TAKTOS_CALLS",
        "bhs 9f",
        "add lr, lr, r12, lsl #3",
        "ldrd r8, r9, [lr]",
        // The bits that the call needs, without the one that says whether the slice continues.
        "lsls r12, r9, #1",
        "beq 7f",
        loaded_in!("r4"),
        "ldr r4, [r4]",
        "ldrd r4, r5, [r4, #{handles}]",
        "cmp r0, r5",
        "bhs 8f",
        "add r4, r4, r0, lsl #3",
        "ldrd r4, r5, [r4]",
        "bics r5, r9, r5",
        "bne 9f",
        "mov r0, r4",
        "7:",
        "blx r8",
        "tst r0, #1",
        "beq 20f",
        "lsr r0, r0, #1",
        "30:",
        "mov r2, #0",
        "mov r3, #0",
        clear_rest!(),
        "add sp, sp, #4",
        "pop {{lr}}",
        "movs pc, lr",
        // The table has no such place: a generation may be said.
        "8:",
        "lsrs r4, r0, #{generation}",
        "bne 10f",
        "9:",
        "mov r0, #{parameter}",
        "mov r1, #0",
        "b 30b",
        "10:",
        "push {{r1-r3, r12}}",
        "mov r1, r0",
        "mov r2, r9",
        loaded_in!("r0"),
        "ldr r0, [r0]",
        "bl taktos_user_object",
        "cmp r0, #0",
        "beq 11f",
        "pop {{r1-r3, r12}}",
        "b 7b",
        "11:",
        "mov r0, r1",
        "mov r1, #0",
        "add sp, sp, #16",
        "b 30b",
        // Another thread resumes: r0; r1 is switched out.
        "20:",
        "ldr r3, [sp, #4]",
        "add sp, sp, #8",
        "add r12, r1, #{state} + {word}",
        keep_own!(),
        // An exclusive access that was begun must not be completed by another thread.
        "clrex",
        is_of_partition!(),
        "bne 22f",
        "21:",
        "tst r9, #{keeps_slice}",
        "bne {switch_in_slice}",
        "b {switch}",
        "22:",
        load_kernel!(),
        "b 21b",
        count = const CALLS.len(),
        handles = const HANDLES,
        generation = const handle::GENERATION,
        parameter = const Error::Parameter as usize,
        loaded = sym LOADED,
        tables = sym TABLES,
        nobody = const NOBODY,
        state = const OFFSET,
        word = const WORD,
        stack = const STACK,
        stored = const STORED,
        resume = sym resume,
        resume_at = const RESUME_AT,
        system_mode = const SYSTEM_MODE,
        keeps_slice = const KEEPS_SLICE,
        switch = sym switch,
        switch_in_slice = sym switch_in_slice,
    )
}

/// Switches from the thread of r1, one of a partition, to that of r0 for a whole slice. In system
/// mode, as after [`keep_own!`].
#[unsafe(naked)]
pub extern "C" fn leave() {
    naked_asm!(
        "clrex",
        is_of_partition!(),
        "beq {switch}",
        load_kernel!(),
        "b {switch}",
        state = const OFFSET,
        loaded = sym LOADED,
        tables = sym TABLES,
        nobody = const NOBODY,
        switch = sym switch,
    )
}
