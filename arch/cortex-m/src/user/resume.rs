//! Owns: how any thread goes on at the end of a handler, in programs with partitions; the switch that follows interrupts there.
//! Must never know: why another thread goes on.
//!
//! What is kept of a thread of a partition has an address of its own to go on at, by which it is known. All that is loaded into registers
//! here is the thread's own, or none of a partition's.

use super::regions::{COPROCESSORS, FLOAT_BIT, FLOAT_WORD, LOADED, PAIRS};
use super::state::{FLOAT, PAIR, PARTITION, REST, RESUME_AT, SAVED, STACK};
use crate::guard::{GUARD, GUARD_REGION};
use crate::machine::TAKTOS_PROCESSOR;
use crate::switch::operands::{BEHIND_MASK, HEIR, INTERRUPT_CONTROL, STATUS, WITH_STATE};
use crate::switch::{PEND_SWITCH, SLICE_COUNTER, SYSTEM_TIMER, return_from_exception};
use core::arch::naked_asm;
use taktos_machine::Context;

/// Where the second word of a thread's message lies in its control block, and behind it who sent it. The kernel's.
pub const ARGUMENT: usize = 28;

/// Where the ways of privileged threads lead that give way to one of a partition: into the handler of calls, which can drop privilege. The
/// saved registers stay where they are: the processor's frame comes below them.
#[unsafe(naked)]
pub extern "C" fn return_to_user() {
    naked_asm!("sub sp, #16", "movs r0, #0", "svc #0")
}

/// Has the thread in r2 go on, whatever it was at, as the end of a handler. Nothing of the present thread is in use any more.
#[unsafe(naked)]
pub extern "C" fn resume() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "ldr r3, ={processor}",
        "str r2, [r3]",
        "ldr r0, [r2]",
        "ldr r5, ={return_to_user}",
        "ldr r12, [r0, #{resume_at}]",
        "mrs r1, control",
        "cmp r12, r5",
        "beq 5f",
        // One with privilege: as at the end of any interrupt.
        "bic r1, r1, #1",
        "msr control, r1",
        "mvn lr, #2",
        "ldmia r0!, {{r4, r6, r7, r12}}",
        "lsls r1, r0, #29",
        "bmi 3f",
        "add r12, r12, #{behind_mask}",
        "mov r3, #0x01000000",
        "str r12, [r0, #-8]",
        "str r3, [r0, #-4]",
        "ldrd r1, r3, [r2, #{status}]",
        "str r1, [r0, #-32]!",
        "str r3, [r0, #4]",
        "4:",
        "ldr r1, ={system_timer}",
        "add r3, r2, #{guard}",
        "str r3, [r1, #{guard_region}]",
        "str r3, [r1, #{slice_counter}]",
        "msr psp, r0",
        "movs r3, #0",
        "msr basepri, r3",
        "bx lr",
        "3:",
        "ldmia r0!, {{r5, r8-r11}}",
        "ldr r3, ={return_from_exception}",
        "cmp r12, r3",
        "beq 4b",
        "vldmia r0!, {{s16-s31}}",
        "bic lr, lr, #0x10",
        "b 4b",
        // One of a partition.
        "5:",
        "orr r1, r1, #1",
        "msr control, r1",
        "ldr r12, [r0, #{partition}]",
        "ldr r1, ={loaded}",
        "ldr r3, [r1]",
        "cmp r3, r12",
        "beq 6f",
        "str r12, [r1]",
        "ldr lr, ={pairs}",
        "ldmia r12, {{r1, r3-r10}}",
        "stmia lr, {{r1, r3-r9}}",
        "str r10, [lr, #{coprocessors}]",
        "dsb",
        "6:",
        // Threads with privilege leave their floating-point values where they were.
        "ldr r1, [r12, #{float_word}]",
        "lsls r1, r1, #{float_bit}",
        "bmi 9f",
        "7:",
        "ldr r1, ={system_timer}",
        "str r1, [r1, #{slice_counter}]",
        "ldrd r3, lr, [r0, #{stack}]",
        "lsls r1, lr, #31",
        "bpl 8f",
        // Behind a call: its answer goes into the frame.
        "ldrd r4, r5, [r2, #{status}]",
        "ldrd r6, r7, [r2, #{argument}]",
        "movs r1, #0",
        "stmia r3, {{r4-r7}}",
        "str r1, [r2, #{status}]",
        "ldrd r6, r7, [r0, #{pair}]",
        "mov r4, r1",
        "mov r5, r1",
        "mov r8, r1",
        "mov r9, r1",
        "mov r10, r1",
        "mov r11, r1",
        "2:",
        "tst lr, #0x10",
        "bne 1f",
        "add r1, r0, #{float}",
        "vldmia r1, {{s16-s31}}",
        "1:",
        "msr psp, r3",
        "movs r1, #0",
        "msr basepri, r1",
        "bx lr",
        // As it was interrupted.
        "8:",
        "orr lr, lr, #1",
        "ldr r4, [r0]",
        "ldrd r6, r7, [r0, #{pair}]",
        "add r1, r0, #{rest}",
        "ldmia r1, {{r5, r8-r11}}",
        "b 2b",
        "9:",
        "mov r4, lr",
        "bl {clear_float}",
        "b 7b",
        ".ltorg",
        processor = sym TAKTOS_PROCESSOR,
        return_to_user = sym return_to_user,
        resume_at = const RESUME_AT,
        behind_mask = const BEHIND_MASK,
        status = const STATUS,
        system_timer = const SYSTEM_TIMER,
        guard = const GUARD,
        guard_region = const GUARD_REGION,
        slice_counter = const SLICE_COUNTER,
        return_from_exception = sym return_from_exception,
        partition = const PARTITION,
        loaded = sym LOADED,
        pairs = const PAIRS,
        coprocessors = const COPROCESSORS,
        float_word = const FLOAT_WORD,
        float_bit = const FLOAT_BIT,
        stack = const STACK,
        argument = const ARGUMENT,
        pair = const PAIR,
        float = const FLOAT,
        rest = const REST,
        clear_float = sym clear_float,
    )
}

/// Clears the floating-point registers, with r1 alone.
#[unsafe(naked)]
pub extern "C" fn clear_float() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "ldr r1, ={zeros}",
        "vldmia r1, {{s0-s31}}",
        "movs r1, #0",
        "vmsr fpscr, r1",
        "bx lr",
        ".ltorg",
        zeros = sym ZEROS,
    )
}

static ZEROS: [u32; 32] = [0; 32];

/// What `PendSV` is in programs with partitions: [`pended_switch!`](crate::pended_switch), where either thread may be one of a partition.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn taktos_isolated_switch() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "ldr r3, ={processor}",
        "ldrd r1, r2, [r3]",
        "mrs r12, control",
        "cmp r1, r2",
        "beq 9f",
        "mrs r0, psp",
        "lsls r12, r12, #31",
        "bmi 7f",
        "ldr r12, ={return_from_exception}",
        "tst lr, #0x10",
        "bne 1f",
        "vstmdb r0!, {{s16-s31}}",
        "add r12, r12, #{with_state}",
        "1:",
        "stmdb r0!, {{r5, r8-r11}}",
        "stmdb r0!, {{r4, r6, r7, r12}}",
        "str r0, [r1]",
        "2:",
        "str r2, [r3]",
        "ldr r12, [r3, #{heir}]",
        "cmp r12, r2",
        "beq {resume}",
        // Once more, behind this.
        "ldr r1, ={system_timer}",
        "mov r3, #{pend_switch}",
        "str r3, [r1, #{interrupt_control}]",
        "b {resume}",
        // Nothing of it goes to its own stack.
        "7:",
        "add r12, r1, #{saved}",
        "str r4, [r12]",
        "strd r6, r7, [r12, #{pair}]",
        "bic r4, lr, #1",
        "strd r0, r4, [r12, #{stack}]",
        "tst lr, #0x10",
        "bne 8f",
        "add r4, r12, #{float}",
        "vstmia r4, {{s16-s31}}",
        "8:",
        "add r12, r12, #{rest}",
        "stmia r12, {{r5, r8-r11}}",
        "b 2b",
        "9:",
        "bx lr",
        ".ltorg",
        processor = sym TAKTOS_PROCESSOR,
        heir = const HEIR,
        return_from_exception = sym return_from_exception,
        with_state = const WITH_STATE,
        system_timer = const SYSTEM_TIMER,
        pend_switch = const PEND_SWITCH,
        interrupt_control = const INTERRUPT_CONTROL,
        resume = sym resume,
        saved = const SAVED,
        pair = const PAIR,
        stack = const STACK,
        float = const FLOAT,
        rest = const REST,
    )
}

const _: () = assert!(core::mem::offset_of!(Context, value) == STATUS + 4);
