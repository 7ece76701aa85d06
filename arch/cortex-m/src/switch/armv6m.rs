//! Owns: the instructions of Armv6-M by which threads are switched.
//!
//! Fewer registers take part than on Armv7-M, and no frame needs a handler to return to it: there
//! are no blocks of conditional instructions, and loads and stores of several registers begin
//! again.

use super::{FIRST_INTERRUPT, INTERRUPT_CONTROL, PEND_SWITCH};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_abi::Error;
use taktos_arch_common::TAKTOS_PROCESSOR;
use taktos_machine::{Context, Processor, Reply};

/// The line that ends the mask, of [`END_OF_MASK`] bytes.
macro_rules! end_of_mask {
    () => {
        "cpsie i"
    };
}

/// Lines that lead on in a thread, where CONTROL is 2, and in a handler to `$label`.
macro_rules! usual_or {
    ($label:literal) => {
        concat!("mrs r4, control\n cmp r4, #2\n bne ", $label)
    };
}

/// A line that leads to the operand `$name`, wherever that is.
macro_rules! far {
    ($name:literal) => {
        concat!("bl {", $name, "}")
    };
}

/// Lines that leave an entry without a switch where the outcome is odd.
macro_rules! stay_if_odd {
    () => {
        "
        lsls r2, r0, #31
        bmi 6f"
    };
}

/// Lines after the tail that those lead to.
macro_rules! behind_odd {
    () => {
        "
        6:
        lsrs r0, r0, #1
        pop {{r4, r6, r7, pc}}"
    };
}

/// Lines that save what a function preserves that C calls, with the operand `$name` as where its
/// last call returns to.
macro_rules! save_for_last {
    ($name:literal) => {
        concat!(
            "
            push {{r5, lr}}
            mov r1, r8
            mov r2, r9
            mov r3, r10
            mov r5, r11
            push {{r1, r2, r3, r5}}
            ldr r1, ={",
            $name,
            "}
            mov lr, r1"
        )
    };
}

/// Assembles an entry: its own lines, then the common tail, then lines that nothing falls into; at
/// last the operands. By `slice` a time slice begins, if slices are on; by `keep` none does.
macro_rules! with_tail {
    ([$($line:expr),* $(,)?], slice, [$($behind:expr),* $(,)?], [$($operands:tt)*]) => {
        with_tail!(@ [$($line),*],
            [#[cfg(not(feature = "small"))] "ldr r4, [r3, #{at_switch}]",
                #[cfg(not(feature = "small"))] "cmp r4, #0",
                #[cfg(not(feature = "small"))] "bne 8f",
                #[cfg(not(feature = "small"))] "9:",],
            [#[cfg(not(feature = "small"))] "8:",
                #[cfg(not(feature = "small"))] "bl {switch_slice}",
                #[cfg(not(feature = "small"))] "b 9b", $($behind,)*],
            [#[cfg(not(feature = "small"))] at_switch = const crate::switch::AT_SWITCH,
                #[cfg(not(feature = "small"))] switch_slice = sym crate::switch::instructions::switch_slice, $($operands)*])
    };
    ([$($line:expr),* $(,)?], keep, [$($behind:expr),* $(,)?], [$($operands:tt)*]) => {
        with_tail!(@ [$($line),*], [], [$($behind,)*], [$($operands)*])
    };
    (@ [$($line:expr),*], [$($ask:tt)*], [$($behind:tt)*], [$($operands:tt)*]) => {
        naked_asm!(
            $($line,)*
            phase!(),
            // The thread that is switched out is still the current one, for the report.
            "ldr r2, [r1, #{canary}]",
            "cmp r2, #{intact}",
            "bne 7f",
            "ldr r3, =TAKTOS_PROCESSOR",
            "mov r2, sp",
            // The laboratory sees the switch by this store.
            "str r0, [r3, #{current}]",
            "str r2, [r1]",
            "ldr r2, [r0]",
            "mov sp, r2",
            $($ask)*
            "ldr r1, [r0, #{value}]",
            "ldr r0, [r0, #{status}]",
            // The mask ends after the call, or at the return from the resumed thread's exception
            // frame.
            "pop {{r4, r6, r7, pc}}",
            "7:",
            "bl {overrun}",
            $($behind)*
            ".ltorg",
            current = const offset_of!(Processor, current),
            canary = const crate::guard::CANARY,
            intact = const crate::guard::INTACT,
            overrun = sym crate::fault::overrun_at_call,
            value = const offset_of!(Context, value),
            status = const offset_of!(Context, status),
            $($operands)*
        )
    };
}

/// Notifies the function in r4, near the end of the common tail, of the switch to the thread of r0.
/// The thread that had the last slice switches away. Preserves r0. On the stack of the handlers,
/// none of which has begun: the thread that resumes may have used up its own.
#[cfg(not(feature = "small"))]
#[unsafe(naked)]
pub extern "C" fn switch_slice() {
    naked_asm!(
        "movs r2, #0",
        "msr control, r2",
        "isb",
        "push {{r0, lr}}",
        "mov r1, r0",
        "movs r0, #0",
        "movs r2, #0",
        "blx r4",
        "pop {{r0, r1}}",
        "movs r2, #2",
        "msr control, r2",
        "isb",
        "bx r1",
    )
}

/// The end of an entry that is the last call of a function: the instruction that ends the mask, as
/// after all entries.
#[unsafe(naked)]
pub extern "C" fn behind_last<R: Reply>() {
    naked_asm!(
        end_of_mask!(),
        "cmp r0, #0",
        "bne 2f",
        "3:",
        "pop {{r1, r2, r3, r5}}",
        "mov r8, r1",
        "mov r9, r2",
        "mov r10, r3",
        "mov r11, r5",
        "pop {{r5, pc}}",
        "2:",
        "bl {failed}",
        "b 3b",
        failed = sym R::failed,
    )
}

/// An entry's way in an interrupt handler. The decision is in r6; r5 is 1 if it may block: such a
/// call is refused before anything is looked at. Where threads are to be switched, that is done
/// when the handlers have returned.
#[unsafe(naked)]
pub extern "C" fn unusual() {
    naked_asm!(
        "mrs r4, ipsr",
        // No other exceptions than interrupts have a call to make: the rest are faults and the
        // port's own.
        "cmp r4, #{first_interrupt}",
        "blo 2f",
        "cmp r5, #0",
        "bne 3f",
        "blx r6",
        "lsls r2, r0, #31",
        "bmi 4f",
        "ldr r7, ={interrupt_control}",
        "ldr r2, ={pend_switch}",
        "str r2, [r7]",
        "movs r0, #0",
        "movs r1, #0",
        "pop {{r4, r6, r7, pc}}",
        "2:",
        "bl {forbidden}",
        "3:",
        "movs r0, #{context}",
        "pop {{r4, r6, r7, pc}}",
        "4:",
        "lsrs r0, r0, #1",
        "pop {{r4, r6, r7, pc}}",
        ".ltorg",
        first_interrupt = const FIRST_INTERRUPT,
        interrupt_control = const INTERRUPT_CONTROL,
        pend_switch = const PEND_SWITCH,
        forbidden = sym crate::reexports::taktos_forbidden_call,
        context = const Error::Context as usize,
    )
}
pub use unusual as unusual_in_slice;

/// Resumes an interrupted thread from the tail of an entry: the content of its exception frame is
/// loaded without an exception. Its last five words move up to where the stack pointer is to be
/// afterwards, four bytes higher where the processor aligned it (Armv6-M manual, B1.5.6).
///
/// An interrupt that comes between the end of the mask and the last instruction puts a frame below
/// those words. Such a frame is not moved, as its place says: the words above it are still there,
/// and lead on. So there is one frame more at most, even under an interrupt that always pends.
#[unsafe(naked)]
pub extern "C" fn return_from_exception() {
    naked_asm!(
        "pop {{r0, r1, r2, r3}}",
        "mov r5, r0",
        "mov r8, r1",
        "mov r9, r2",
        "mov r10, r3",
        "pop {{r0}}",
        "mov r11, r0",
        "ldr r0, [sp, #16]",
        "mov r12, r0",
        "ldr r0, [sp, #20]",
        "mov lr, r0",
        "ldr r3, [sp, #28]",
        "ldr r2, [sp, #24]",
        "ldr r0, =3f",
        "cmp r2, r0",
        "beq 4f",
        // An address that is loaded into the program counter says the instruction set.
        "adds r2, #1",
        "mov r1, sp",
        "adds r1, #12",
        "lsls r0, r3, #22",
        "bpl 2f",
        "adds r1, #4",
        "2:",
        "str r2, [r1, #16]",
        "ldr r2, [sp, #12]",
        "str r2, [r1, #12]",
        "ldr r2, [sp, #8]",
        "str r2, [r1, #8]",
        "ldr r2, [sp, #4]",
        "str r2, [r1, #4]",
        "ldr r2, [sp]",
        "str r2, [r1]",
        "mov sp, r1",
        "1:",
        "msr apsr, r3",
        "cpsie i",
        "3:",
        "pop {{r0, r1, r2, r3, pc}}",
        "4:",
        "add sp, #32",
        "lsls r0, r3, #22",
        "bpl 1b",
        "add sp, #4",
        "b 1b",
        ".ltorg",
    )
}

/// The bytes of the instruction that ends the mask.
const END_OF_MASK: usize = 2;

/// The handler that [`exceptions!`](crate::exceptions) defines as `PendSV`.
///
/// Switches to the heir when the last handler has returned: it has the lowest priority, so it comes
/// in the midst of none.
///
/// Handlers may come in between, and name another heir. None of them is in the way: the fields of
/// the two threads that are read here do not change while the one runs and the other is ready. A
/// handler that names an heir other than the current thread makes this pending again. The exception
/// is the thread that is just being left, while it is still called the current one: so the heir is
/// read once more when the current thread has been written.
#[doc(hidden)]
#[macro_export]
macro_rules! pended_switch {
    () => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn PendSV() {
            ::core::arch::naked_asm!(
                "ldr r3, ={processor}",
                "ldr r1, [r3, #{current}]",
                "ldr r2, [r3, #{heir}]",
                "cmp r1, r2",
                "beq 9f",
                $crate::at_pended_switch!(ask),
                "7:",
                "mrs r0, psp",
                "subs r0, #36",
                "stmia r0!, {{r4, r6, r7}}",
                "ldr r4, ={return_from_exception}",
                "stmia r0!, {{r4, r5}}",
                "mov r4, r8",
                "mov r5, r9",
                "mov r6, r10",
                "mov r7, r11",
                "stmia r0!, {{r4-r7}}",
                "subs r0, #36",
                "ldr r4, [r1, #{canary}]",
                "cmp r4, #{intact}",
                "bne 5f",
                "str r0, [r1]",
                "str r2, [r3, #{current}]",
                "ldr r3, [r3, #{heir}]",
                "cmp r3, r2",
                "bne 6f",
                "2:",
                "ldr r0, [r2]",
                "ldmia r0!, {{r4, r6, r7}}",
                "ldr r5, [r0]",
                "adds r0, #4",
                // The place to resume at is its own exception frame, or after a kernel call. The
                // stack pointer of an interrupted thread, nine words below a frame that the
                // processor aligned to eight bytes, is the only one that is not a multiple of
                // eight.
                "lsls r1, r0, #29",
                "bmi 3f",
                // After a kernel call: an exception frame below the registers just read makes it
                // return there, with its result in r0 and r1; its other registers are of no
                // account. The instruction that ends the mask, with which every address to resume
                // at begins, is skipped, and the mark of the instruction set with it.
                "subs r0, #32",
                "ldr r1, [r2, #{status}]",
                "str r1, [r0]",
                "ldr r1, [r2, #{value}]",
                "str r1, [r0, #4]",
                "adds r5, #{behind_mask}",
                "str r5, [r0, #24]",
                "movs r1, #1",
                "lsls r1, r1, #24",
                "str r1, [r0, #28]",
                "4:",
                "msr psp, r0",
                "9:",
                "bx lr",
                "3:",
                "ldmia r0!, {{r1, r3}}",
                "mov r5, r1",
                "mov r8, r3",
                "ldmia r0!, {{r1, r2, r3}}",
                "mov r9, r1",
                "mov r10, r2",
                "mov r11, r3",
                "b 4b",
                "5:",
                "cpsid i",
                "bl {overrun}",
                "6:",
                // Once more, after this.
                "ldr r1, ={interrupt_control}",
                "ldr r3, ={pend_switch}",
                "str r3, [r1]",
                "b 2b",
                $crate::at_pended_switch!(call),
                ".ltorg",
                processor = sym $crate::TAKTOS_PROCESSOR,
                current = const $crate::reexports::operands::CURRENT,
                heir = const $crate::reexports::operands::HEIR,
                interrupt_control = const $crate::reexports::operands::INTERRUPT_CONTROL,
                pend_switch = const $crate::reexports::operands::PEND_SWITCH,
                return_from_exception = sym $crate::reexports::operands::return_from_exception,
                behind_mask = const $crate::reexports::operands::BEHIND_MASK,
                status = const $crate::reexports::operands::STATUS,
                value = const $crate::reexports::operands::VALUE,
                at_switch = const $crate::reexports::operands::AT_SWITCH,
                canary = const $crate::reexports::operands::CANARY,
                intact = const $crate::reexports::operands::INTACT,
                overrun = sym $crate::reexports::taktos_overrun,
            )
        }
    };
}

/// The test of `PendSV` whether something is called at a switch: the lines that ask, and the call
/// after all other lines, of r0 to report the switch from the thread of r1 to that of r2. Empty
/// with the feature `small`, which has no time slices.
#[cfg(not(feature = "small"))]
#[doc(hidden)]
#[macro_export]
macro_rules! at_pended_switch {
    (ask) => {
        "
        ldr r0, [r3, #{at_switch}]
        cmp r0, #0
        bne 8f"
    };
    (call) => {
        "
        8:
        push {{r1-r3, lr}}
        mov r12, r0
        cpsid i
        mov r0, r1
        mov r1, r2
        movs r2, #0
        blx r12
        cpsie i
        pop {{r1-r3}}
        pop {{r0}}
        mov lr, r0
        b 7b"
    };
}

#[cfg(feature = "small")]
#[doc(hidden)]
#[macro_export]
macro_rules! at_pended_switch {
    (ask) => {
        ""
    };
    (call) => {
        "// {at_switch}"
    };
}

/// The operands of [`pended_switch!`](crate::pended_switch).
#[expect(missing_docs, reason = "each is what its name says")]
pub mod operands {
    pub use super::return_from_exception;
    use super::{Context, Processor, offset_of};
    pub use crate::guard::{CANARY, INTACT};
    pub use crate::switch::{AT_SWITCH, INTERRUPT_CONTROL, PEND_SWITCH};

    pub const CURRENT: usize = offset_of!(Processor, current);
    pub const HEIR: usize = offset_of!(Processor, heir);
    pub const STATUS: usize = offset_of!(Context, status);
    pub const VALUE: usize = offset_of!(Context, value);
    pub const BEHIND_MASK: usize = super::END_OF_MASK - 1;
}

/// The first instructions of every thread.
#[unsafe(naked)]
pub extern "C" fn begin() {
    naked_asm!(end_of_mask!(), "mov r0, r4", "mov r1, r6", "bx r7")
}

/// Leaves the start-up code for the first thread, which has a frame that
/// [`prepare`](super::prepare) wrote. Called once, with all set up; nothing of the present stack is
/// used again: the main stack is the handlers' from now on.
#[unsafe(naked)]
pub extern "C" fn start() -> ! {
    naked_asm!(
        "ldr r0, ={processor}",
        "ldr r0, [r0]",
        "ldr r1, [r0]",
        "msr psp, r1",
        "ldr r1, =_stack_start",
        "msr msp, r1",
        "movs r1, #2",
        "msr control, r1",
        "isb",
        "cpsie i",
        "pop {{r4, r6, r7, pc}}",
        ".ltorg",
        processor = sym TAKTOS_PROCESSOR,
    )
}
