//! Owns: the entry of calls: from the kernel's map to the function, and back, or on with another
//! thread. Must never know: what calls do.
//!
//! A call has its handle in a0, its words in a1 and a3, its time-out in a2, its number in a7; its
//! stub says that all registers are destroyed but s0, s1 and tp, which alone are to be saved, and
//! gp, which is the program's. The answer is in a0 to a3. Values that the kernel leaves in the
//! others are cleared.

use super::map::Map;
use super::resume::resume;
use super::state::{OFFSET, PARTITION, PC, REGISTERS, RESUME_AT, SP, TP};
use crate::pieces::release;
use crate::processors::user::{call_again, enter, find_processor, with_call};
use crate::switch::{switch, switch_in_slice};
use core::mem::offset_of;
use taktos_abi::Error;
use taktos_abi::call::{CALLS, KEEPS_SLICE, handle};
use taktos_arch_common::{TAKTOS_CALLS, taktos_user_object};
use taktos_machine::Processor;

/// The offset of the table of handles in a partition; the number of handles follows it.
const HANDLES: usize = size_of::<Map>();

// The sign of a row's needs says it.
const _: () = assert!(KEEPS_SLICE == 1 << 31);

/// The kernel's own in tp and gp, which a thread may have as it likes.
macro_rules! load_own {
    () => {
        concat!(
            find_processor!("tp"),
            ".option push
             .option norelax
             la gp, __global_pointer$
             .option pop"
        )
    };
}

pub(super) use load_own;

/// A call. While it is decided, the thread's stack pointer is in s2, its tp in s3, the row's needs
/// in s4, the partition in s5.
#[unsafe(naked)]
pub extern "C" fn call() {
    with_call!(
        load_own!(),
        enter!(),
        "li t0, {count}",
        "bgeu a7, t0, 9f",
        "la t1, {calls}",
        "slli t0, a7, 4",
        "add t1, t1, t0",
        "lw s4, 8(t1)",
        "ld s6, 0(t1)",
        // The bits that the call needs, without the one that says whether the slice continues.
        "slli t0, s4, 33",
        "beqz t0, 7f",
        "ld t1, {handles} + 8(s5)",
        "bgeu a0, t1, 8f",
        "ld t0, {handles}(s5)",
        "slli t1, a0, 4",
        "add t0, t0, t1",
        "lw t1, 8(t0)",
        "ld a0, 0(t0)",
        "not t1, t1",
        "and t1, t1, s4",
        "bnez t1, 9f",
        "7:",
        "jalr s6",
        "andi t0, a0, 1",
        "beqz t0, 20f",
        "srli a0, a0, 1",
        "30:",
        release!(),
        "li a2, 0",
        "li a3, 0",
        "csrr t1, sepc",
        "addi t1, t1, 4",
        "csrw sepc, t1",
        "ld t0, 0(s5)",
        "mv tp, s3",
        "mv sp, s2",
        "j taktos_to_user",
        // The table has no such place: a generation may be said.
        "8:",
        "srli t0, a0, {generation}",
        "bnez t0, 10f",
        "9:",
        "li a0, {parameter}",
        "li a1, 0",
        "j 30b",
        "10:",
        "mv s7, a1",
        "mv s8, a2",
        "mv s9, a3",
        "mv a1, a0",
        "mv a2, s4",
        "mv a0, s5",
        "call {object}",
        "beqz a0, 11f",
        "mv a1, s7",
        "mv a2, s8",
        "mv a3, s9",
        "j 7b",
        "11:",
        "mv a0, a1",
        "li a1, 0",
        "j 30b",
        // Another thread resumes: a0; a1 is switched out.
        "20:",
        "addi sp, a1, {state}",
        "sd s0, 0(sp)",
        "sd s1, 8(sp)",
        "la t0, {resume}",
        "sd t0, {resume_at}(sp)",
        "sd s2, {stack_pointer}(sp)",
        "sd s3, {thread_word}(sp)",
        "csrr t0, sepc",
        "addi t0, t0, 4",
        "sd t0, {pc}(sp)",
        "bltz s4, 21f",
        "j {switch}",
        "21:",
        "j {switch_in_slice}",
        call_again!(),
        current = const offset_of!(Processor, current),
        partition = const OFFSET + PARTITION,
        count = const CALLS.len(),
        calls = sym TAKTOS_CALLS,
        handles = const HANDLES,
        generation = const handle::GENERATION,
        parameter = const Error::Parameter as usize,
        object = sym taktos_user_object,
        state = const OFFSET,
        resume = sym resume,
        resume_at = const RESUME_AT,
        stack_pointer = const REGISTERS + SP * 8,
        thread_word = const REGISTERS + TP * 8,
        pc = const REGISTERS + PC * 8,
        switch = sym switch,
        switch_in_slice = sym switch_in_slice,
    )
}
