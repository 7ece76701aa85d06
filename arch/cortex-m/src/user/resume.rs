//! Owns: how any thread resumes at the end of a handler, in programs with partitions; the switch
//! that follows interrupts there. Must never know: why another thread resumes.
//!
//! The saved state of a thread of a partition has an address of its own to resume at, which
//! identifies it. All that is loaded into registers here is the thread's own, or none of a
//! partition's.

use super::regions::{COPROCESSORS, FLOAT_BIT, FLOAT_WORD, LOADED, PAIRS};
#[cfg(armv8m)]
use super::state::TO_THREAD;
use super::state::{
    FLOAT, GETS_ANSWER, LIMIT, PAIR, PARTITION, REGISTERS, RESUME_AT, SAVED, STACK,
};
#[cfg(armv8m)]
use crate::fault::overflow_at_switch;
use crate::guard::GUARD;
#[cfg(not(armv8m))]
use crate::guard::GUARD_REGION;
use crate::mask::KERNEL_LEVEL;
use crate::switch::operands::{BEHIND_MASK, HEIR, INTERRUPT_CONTROL, STATUS, WITH_STATE};
use crate::switch::{AT_SWITCH, PEND_SWITCH, SYSTEM_TIMER, return_from_exception};
use core::arch::naked_asm;
use taktos_machine::Context;

/// Offset of the second word of a thread's message in its control block; the sender follows it.
/// Defined by the kernel.
pub const ARGUMENT: usize = 28;

/// The address to which the paths of privileged threads return if the next thread is one of a
/// partition. It leads into the handler of calls, which can drop privilege. The processor's frame
/// overwrites the words that they loaded into registers, which no thread uses, and the address of
/// this function, which that handler restores.
#[unsafe(naked)]
pub extern "C" fn return_to_user() {
    naked_asm!("movs r0, #0", "svc #0")
}

/// Resumes the thread in r2, whatever it was at, as the end of a handler. Nothing of the present
/// thread is in use any more.
#[unsafe(naked)]
pub extern "C" fn resume() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "ldr r3, =TAKTOS_PROCESSOR",
        "str r2, [r3]",
        "ldr r0, [r2]",
        "ldr r5, ={return_to_user}",
        "ldr r12, [r0, #{resume_at}]",
        "mrs r1, control",
        "cmp r12, r5",
        "beq {resume_user}",
        // One with privilege: as at the end of any interrupt.
        "bic r1, r1, #1",
        "msr control, r1",
        #[cfg(not(armv8m))]
        "mvn lr, #2",
        // Whichever security state it is.
        #[cfg(armv8m)]
        "ldr lr, ={to_thread}",
        #[cfg(armv8m)]
        "ldr lr, [lr]",
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
        #[cfg(not(armv8m))]
        "str r3, [r1, #{guard_region}]",
        #[cfg(armv8m)]
        "msr psplim, r3",
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
        ".ltorg",
        return_to_user = sym return_to_user,
        resume_at = const RESUME_AT,
        behind_mask = const BEHIND_MASK,
        status = const STATUS,
        system_timer = const SYSTEM_TIMER,
        guard = const GUARD,
        #[cfg(not(armv8m))]
        guard_region = const GUARD_REGION,
        return_from_exception = sym return_from_exception,
        resume_user = sym resume_user,
        #[cfg(armv8m)]
        to_thread = sym TO_THREAD,
    )
}

/// [`resume`], where the thread is one of a partition: r0 is what is saved of it, r1 what `CONTROL`
/// holds.
#[unsafe(naked)]
pub extern "C" fn resume_user() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
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
        ".if {armv8m}",
        "ldr r1, [r0, #{limit}]",
        "msr psplim, r1",
        ".endif",
        "ldrd r3, lr, [r0, #{stack}]",
        "tst lr, #{gets_answer}",
        "beq 8f",
        // After a call: its result goes into the frame.
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
        "orr lr, lr, #{gets_answer}",
        "add r1, r0, #{registers}",
        "ldmia r1, {{r4-r11}}",
        "b 2b",
        "9:",
        "mov r4, lr",
        "bl {clear_float}",
        "b 7b",
        ".ltorg",
        status = const STATUS,
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
        registers = const REGISTERS,
        gets_answer = const GETS_ANSWER,
        clear_float = sym clear_float,
        armv8m = const cfg!(armv8m) as usize,
        limit = const LIMIT,
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

/// Handles `PendSV` in programs with partitions: [`pended_switch!`](crate::pended_switch), where
/// either thread may be one of a partition.
#[unsafe(naked)]
pub extern "C" fn taktos_isolated_switch<S>() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "ldr r3, =TAKTOS_PROCESSOR",
        "ldrd r1, r2, [r3]",
        "ldr r0, [r3, #{at_switch}]",
        "mrs r12, control",
        "cmp r1, r2",
        "beq 9f",
        "cbnz r0, 5f",
        "3:",
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
        #[cfg(armv8m)]
        "mrs r12, psplim",
        #[cfg(armv8m)]
        "cmp r0, r12",
        #[cfg(armv8m)]
        "blo {overflow}",
        "str r0, [r1]",
        "2:",
        "str r2, [r3]",
        "ldr r12, [r3, #{heir}]",
        "cmp r12, r2",
        "beq {resume}",
        // Once more, after this.
        "ldr r1, ={system_timer}",
        "mov r3, #{pend_switch}",
        "str r3, [r1, #{interrupt_control}]",
        "b {resume}",
        // The call at a switch is out of the question's reach on Armv8-M.
        "5:",
        "b 4f",
        // Nothing of it goes to its own stack.
        "7:",
        "add r12, r1, #{saved} + {registers}",
        "stmia r12, {{r4-r11}}",
        "sub r12, r12, #{registers}",
        "bic r4, lr, #{gets_answer}",
        "strd r0, r4, [r12, #{stack}]",
        "tst lr, #0x10",
        "bne 2b",
        "add r4, r12, #{float}",
        "vstmia r4, {{s16-s31}}",
        "b 2b",
        "9:",
        // Of a thread of a partition that was unloaded: as if another one were to resume.
        ".if {armv8m}",
        "lsls r12, r12, #31",
        "bpl 8f",
        "ldr r12, ={loaded}",
        "ldr r12, [r12]",
        "mrs r0, psp",
        "cmp r12, #0",
        "beq 7b",
        "8:",
        ".endif",
        "bx lr",
        "4:",
        masked_switch_slice!(""),
        "mrs r12, control",
        "b 3b",
        ".ltorg",
        at_switch = const AT_SWITCH,
        level = const KERNEL_LEVEL,
        heir = const HEIR,
        return_from_exception = sym return_from_exception,
        with_state = const WITH_STATE,
        system_timer = const SYSTEM_TIMER,
        pend_switch = const PEND_SWITCH,
        interrupt_control = const INTERRUPT_CONTROL,
        resume = sym resume,
        saved = const SAVED,
        stack = const STACK,
        float = const FLOAT,
        registers = const REGISTERS,
        gets_answer = const GETS_ANSWER,
        armv8m = const cfg!(armv8m) as usize,
        loaded = sym LOADED,
        #[cfg(armv8m)]
        overflow = sym overflow_at_switch,
    )
}

const _: () = assert!(core::mem::offset_of!(Context, value) == STATUS + 4);
