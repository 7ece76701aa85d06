//! Owns: the entry of calls: from the instruction to the function, and back, or on with another
//! thread. Must never know: what calls do.
//!
//! A call has its handle in r0, its words in r1 and r5, its time-out in r2 and r3, its number in
//! r12; its stub says that r0 to r5, r8 to r12 are destroyed: so r6 and r7 are all that is to be
//! saved. The answer is in r0 to r3.

use super::regions::{LOADED, Map, PAIRS};
use super::resume::{ARGUMENT, resume, resume_user, return_to_user};
use super::state::{
    FLOAT, GETS_ANSWER, LIMIT, PAIR, PARTITION, RESUME_AT, SAVED, STACK, WITHOUT_FLOAT,
};
use crate::switch::operands::STATUS;
use crate::switch::{AT_SWITCH, SYSTEM_TIMER};
use core::arch::naked_asm;
use cortex_m::peripheral::SCB;
use taktos_abi::Error;
use taktos_abi::call::CALLS;

unsafe extern "C" {
    /// The vectors through which threads of partitions come.
    static taktos_isolated_vectors: u8;
}

/// The offset of the table of handles in a partition; the number of handles follows it.
pub const HANDLES: usize = size_of::<Map>();

/// Defines the vectors of a program with partitions, of the system `$system`, and with `$count`
/// interrupts: calls, switches and faults have
/// handlers of their own there, all others are those of any program.
#[doc(hidden)]
#[macro_export]
macro_rules! isolated_vectors {
    ($count:expr, $system:ty) => {
        ::core::arch::global_asm!(
            ".pushsection .rodata.taktos_isolated_vectors, \"a\", %progbits",
            // A power of two that holds all of them.
            ".balign {align}",
            ".globl taktos_isolated_vectors",
            ".type taktos_isolated_vectors, %object",
            "taktos_isolated_vectors:",
            ".word _stack_start, Reset, NonMaskableInt",
            // On Armv8-M the fifth is a secure state's, where the other one is left; on Armv7-M it
            // is reserved.
            ".rept 5",
            ".word {fault}",
            ".endr",
            ".word 0, 0, 0, {call}, DebugMonitor, 0, {switch}, SysTick",
            ".altmacro",
            ".macro taktos_isolated_vector number",
            ".word taktos_interrupt_\\number",
            ".endm",
            ".set taktos_vector_number, 0",
            ".rept {count}",
            "taktos_isolated_vector %taktos_vector_number",
            ".set taktos_vector_number, taktos_vector_number + 1",
            ".endr",
            ".noaltmacro",
            ".purgem taktos_isolated_vector",
            ".size taktos_isolated_vectors, . - taktos_isolated_vectors",
            ".popsection",
            fault = sym $crate::reexports::taktos_isolated_fault::<$system>,
            call = sym $crate::reexports::taktos_isolated_call::<$system>,
            switch = sym $crate::reexports::taktos_isolated_switch::<$system>,
            count = const $count,
            align = const (4 * (16 + $count as u32)).next_power_of_two(),
        );
    };
}

/// Routes exceptions through the vectors with partitions, and makes floating-point registers be
/// stored at once, while the thread's rights still count.
pub fn enable() {
    const FLOAT_CONTEXT: usize = 0xE000_EF34;
    const LATE_STORING: u32 = 1 << 30;
    let context = core::ptr::with_exposed_provenance_mut::<u32>(FLOAT_CONTEXT);
    // SAFETY: the registers are this port's own; the vectors are those that the start-up code has
    // put, but for this port's exceptions.
    unsafe {
        context.write_volatile(context.read_volatile() & !LATE_STORING);
        let vectors = (&raw const taktos_isolated_vectors).addr();
        (*SCB::PTR).vtor.write(vectors as u32);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Handles `SVCall` in programs with partitions: the entry of their threads' calls, and the way
/// back of threads with privilege that were interrupted, or switch to one of a partition. Symbols
/// that the program defines, where this is compiled, are named by their text.
#[unsafe(naked)]
pub extern "C" fn taktos_isolated_call<S>() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "mrs r1, control",
        "lsls r1, r1, #31",
        "bpl 70f",
        // By this handler's own priority, interrupts that may call the kernel wait; the thread's
        // mask is none, and stays so.
        "mrs r4, psp",
        "mov r9, lr",
        "ldr r11, ={loaded}",
        "ldr r8, =TAKTOS_CALLS",
        "ldr lr, [r11]",
        // An urgent interrupt may have come in between, and changed the registers.
        "ldmia r4, {{r0-r3, r12}}",
        "cmp r12, #{count}",
        "bhs 9f",
        "ldrd lr, r10, [lr, #{handles}]",
        "add r8, r8, r12, lsl #3",
        "cmp r0, r10",
        "bhs 8f",
        "add r12, lr, r0, lsl #3",
        "ldrd r8, r10, [r8]",
        "ldrd r0, r12, [r12]",
        "bics r12, r10, r12",
        "bne 9f",
        "7:",
        "push {{r5, r6}}",
        "blx r8",
        "add sp, #8",
        "lsrs r2, r0, #1",
        "bcs 20f",
        // Another thread resumes: r0; r1 is switched out.
        "strd r4, r9, [r1, #{saved} + {stack}]",
        "strd r6, r7, [r1, #{saved} + {pair}]",
        "ldr r5, =TAKTOS_PROCESSOR",
        "ldr r6, [r5, #{at_switch}]",
        "cbnz r6, 21f",
        "22:",
        "ldr r6, ={return_to_user}",
        "ldr r7, ={system_timer}",
        "ldr r2, [r0]",
        "str r0, [r5]",
        "ldr r3, [r2, #{resume_at}]",
        "ldrd r4, r8, [r2, #{stack}]",
        "ldr r12, [r2, #{partition}]",
        "cmp r3, r6",
        "bne 60f",
        // Neither has floating-point state, and the next one switched away in a call: then both
        // kinds of return have all these bits.
        "and r3, r8, r9",
        ".if {armv8m}",
        "mvn r3, r3",
        "tst r3, #{plain}",
        ".else",
        "adds r3, #3",
        ".endif",
        "bne 60f",
        "ldr r3, [r11]",
        "cmp r3, r12",
        "bne 50f",
        "ldrd r6, r7, [r2, #{pair}]",
        "30:",
        ".if {armv8m}",
        "ldr r1, [r2, #{limit}]",
        "msr psplim, r1",
        ".endif",
        "ldrd r1, r2, [r0, #{status}]",
        "ldrd r3, r5, [r0, #{argument}]",
        "stmia r4, {{r1-r3, r5}}",
        "cbnz r1, 40f",
        "31:",
        "msr psp, r4",
        "bx r9",
        "40:",
        "movs r2, #0",
        "str r2, [r0, #{status}]",
        "b 31b",
        // Slices are on, and what the call needs says whether this one continues. The mask is this
        // handler's priority.
        "21:",
        "cmp r10, #0",
        "bmi 22b",
        "push {{r0, r1}}",
        "mov r2, r0",
        "mov r0, r1",
        "mov r1, r2",
        "movs r2, #0",
        "blx r6",
        "pop {{r0, r1}}",
        "b 22b",
        // The caller continues, with the result.
        "20:",
        "strd r2, r1, [r4]",
        "bx r9",
        // The table has no such place: calls without a handle continue, and the word may hold a
        // generation.
        "8:",
        "ldrd r8, r10, [r8]",
        "lsls r12, r10, #1",
        "beq 7b",
        "lsrs r12, r0, #16",
        "bne 10f",
        "9:",
        "movs r1, #{parameter}",
        "90:",
        "movs r2, #0",
        "strd r1, r2, [r4]",
        "bx r9",
        "10:",
        "mov r1, r0",
        "mov r2, r10",
        "ldr r0, [r11]",
        "bl taktos_user_object",
        "cmp r0, #0",
        "beq 90b",
        "ldr r1, [r4, #4]",
        "ldrd r2, r3, [r4, #8]",
        "b 7b",
        // Of another partition. Nothing of the former one's stays in registers: each that is not
        // the next one's own is loaded here. Neither may use the floating-point unit: threads that
        // may always have such state.
        "50:",
        "str r12, [r11]",
        "add lr, r7, #{pairs}",
        "ldmia r12, {{r1, r3, r5-r8, r10, r11}}",
        "stmia lr, {{r1, r3, r5-r8, r10, r11}}",
        "dsb",
        "ldrd r6, r7, [r2, #{pair}]",
        "b 30b",
        // All that is rare: the present thread's floating-point state is saved here, the rest is as
        // at the end of any handler.
        "60:",
        "tst r9, #0x10",
        "bne 61f",
        "add r3, r1, #{saved} + {float}",
        "vstmia r3, {{s16-s31}}",
        "61:",
        "mov r2, r0",
        "b {resume}",
        // A thread with privilege: r0 named the frame of one that was interrupted, or nothing.
        "70:",
        "mrs r0, psp",
        "ldr r0, [r0]",
        "cbz r0, 71f",
        "msr psp, r0",
        "movs r1, #0",
        "msr basepri, r1",
        "bx lr",
        "71:",
        "ldr r2, =TAKTOS_PROCESSOR",
        "ldr r2, [r2]",
        "ldr r0, [r2]",
        // This call's frame, or that of an interrupt just before it, is there.
        "ldr r3, ={return_to_user}",
        "str r3, [r0, #{resume_at}]",
        "mrs r1, control",
        "b {resume_user}",
        ".ltorg",
        loaded = sym LOADED,
        count = const CALLS.len(),
        handles = const HANDLES,
        parameter = const Error::Parameter as usize,
        return_to_user = sym return_to_user,
        saved = const SAVED,
        stack = const STACK,
        pair = const PAIR,
        resume_at = const RESUME_AT,
        partition = const PARTITION,
        float = const FLOAT,
        status = const STATUS,
        argument = const ARGUMENT,
        system_timer = const SYSTEM_TIMER,
        at_switch = const AT_SWITCH,
        pairs = const PAIRS - SYSTEM_TIMER,
        resume = sym resume,
        resume_user = sym resume_user,
        armv8m = const cfg!(armv8m) as usize,
        plain = const WITHOUT_FLOAT | GETS_ANSWER,
        limit = const LIMIT,
    )
}
