//! Owns: the instructions of Armv7-M and Armv8-M by which threads are switched.
//!
//! An entry has the decision's outcome in r0, which is odd where there is no switch.

use super::{FIRST_INTERRUPT, INTERRUPT_CONTROL, PEND_SWITCH};
use crate::guard::GUARD;
#[cfg(not(armv8m))]
use crate::guard::GUARD_REGION;
use crate::mask::KERNEL_LEVEL;
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_abi::Error;
use taktos_arch_common::TAKTOS_PROCESSOR;
use taktos_machine::{Context, Processor, Reply};

/// `SysTick`'s control register; its other registers and the protection unit's are reached from
/// here.
pub const SYSTEM_TIMER: u32 = 0xE000_E010;
/// The address of the interrupts' priorities, a byte each.
const PRIORITIES: u32 = 0xE000_E400;
const COPROCESSOR_ACCESS: u32 = 0xE000_ED88;
const FULL_ACCESS: u32 = 0xF << 20;

/// Lines that end the mask, of [`END_OF_MASK`] bytes.
macro_rules! end_of_mask {
    () => {
        "
        movs r2, #0
        msr basepri, r2"
    };
}

/// Lines that lead on in a thread without floating-point state, where CONTROL is 2, and else to
/// `$label`.
macro_rules! usual_or {
    ($label:literal) => {
        concat!("mrs r12, control\n cmp r12, #2\n bne ", $label)
    };
}

/// A line that leads to the operand `$name`.
macro_rules! far {
    ($name:literal) => {
        concat!("b {", $name, "}")
    };
}

/// Lines that leave an entry without a switch where the outcome is odd.
macro_rules! stay_if_odd {
    () => {
        "
        lsls r2, r0, #31
        bmi {stay}"
    };
}

/// Lines after the tail that those lead to: none.
macro_rules! behind_odd {
    () => {
        ""
    };
}

/// Lines that save what a function preserves that C calls, with the operand `$name` as where its
/// last call returns to.
macro_rules! save_for_last {
    ($name:literal) => {
        concat!("push {{r5, r8-r11, lr}}\n ldr lr, ={", $name, "}")
    };
}

/// Assembles an entry: its own lines, then the common tail, then lines that nothing falls into; at
/// last the operands. By `slice` a time slice begins, if slices are on; by `keep` none does.
///
/// The test whether slices are on is the last one, after all single loads: elsewhere it would end
/// their pipelining. The thread that is switched out is in no register there.
macro_rules! with_tail {
    ([$($line:expr),* $(,)?], slice, [$($behind:expr),* $(,)?], [$($operands:tt)*]) => {
        with_tail!(@ [$($line),*],
            [#[cfg(not(feature = "small"))] "ldr r4, [r3, #{at_switch}]",],
            [#[cfg(not(feature = "small"))] "cbnz r4, 8f",
                #[cfg(not(feature = "small"))] "9:",],
            [#[cfg(not(feature = "small"))] "8:",
                #[cfg(not(feature = "small"))] "bl {switch_slice}",
                #[cfg(not(feature = "small"))] "b 9b", $($behind,)*],
            [#[cfg(not(feature = "small"))] at_switch = const crate::switch::AT_SWITCH,
                #[cfg(not(feature = "small"))] switch_slice = sym crate::switch::instructions::switch_slice, $($operands)*])
    };
    ([$($line:expr),* $(,)?], keep, [$($behind:expr),* $(,)?], [$($operands:tt)*]) => {
        with_tail!(@ [$($line),*], [], [], [$($behind,)*], [$($operands)*])
    };
    (@ [$($line:expr),*], [$($load:tt)*], [$($ask:tt)*], [$($behind:tt)*], [$($operands:tt)*]) => {
        naked_asm!(
            $($line,)*
            phase!(),
            // The thread that is switched out is still the current one, for the report.
            #[cfg(canary)] "ldr r2, [r1, #{canary}]",
            #[cfg(canary)] "cmp r2, #{intact}",
            #[cfg(canary)] "bne {overrun}",
            // The new thread's guard, or its limit: its address is computed, not loaded.
            "add r12, r0, #{guard}",
            // By its name: a copy of an entry that the compiler makes in the board's crate, which
            // defines the static, would otherwise name nothing.
            "ldr r3, =TAKTOS_PROCESSOR",
            // The laboratory sees the switch by this store.
            "str r0, [r3, #{current}]",
            "str sp, [r1]",
            #[cfg(not(armv8m))] "ldr r2, ={system_timer}",
            // Meanwhile there is no limit: an interrupt above the mask may come on either stack.
            #[cfg(armv8m)] "movs r2, #0",
            #[cfg(armv8m)] "msr psplim, r2",
            "ldr sp, [r0]",
            #[cfg(not(armv8m))] "str r12, [r2, #{guard_region}]",
            #[cfg(armv8m)] "msr psplim, r12",
            $($load)*
            "ldr r1, [r0, #{value}]",
            "ldr r0, [r0, #{status}]",
            $($ask)*
            // The mask ends after the call, or at the return from the resumed thread's exception
            // frame.
            "pop {{r4, r6, r7, pc}}",
            $($behind)*
            ".ltorg",
            current = const offset_of!(Processor, current),
            #[cfg(not(armv8m))] system_timer = const crate::switch::instructions::SYSTEM_TIMER,
            guard = const crate::guard::GUARD,
            #[cfg(canary)] canary = const crate::guard::CANARY,
            #[cfg(canary)] intact = const crate::guard::INTACT,
            #[cfg(canary)] overrun = sym crate::fault::overrun_at_call,
            #[cfg(not(armv8m))] guard_region = const crate::guard::GUARD_REGION,
            value = const offset_of!(Context, value),
            status = const offset_of!(Context, status),
            $($operands)*
        )
    };
}

/// Notifies the function in r4, at the end of the common tail, of the switch to the thread that r12
/// names by its guard. The thread that had the last slice switches away. Preserves r0 and r1.
///
/// On the stack of the handlers, none of which has begun: the thread that resumes may have used up
/// its own. A handler above the kernel's level comes on that stack all the same.
#[cfg(not(feature = "small"))]
#[unsafe(naked)]
pub extern "C" fn switch_slice() {
    naked_asm!(
        "movs r2, #0",
        "msr control, r2",
        "isb",
        "push {{r0, r1, r2, lr}}",
        "movs r0, #0",
        "sub r1, r12, #{guard}",
        "blx r4",
        "pop {{r0, r1, r2, lr}}",
        "movs r2, #2",
        "msr control, r2",
        "isb",
        "bx lr",
        guard = const GUARD,
    )
}

/// The end of an entry that is the last call of a function: the two instructions that end the mask,
/// as after all entries.
#[unsafe(naked)]
pub extern "C" fn behind_last<R: Reply>() {
    naked_asm!(
        "movs r2, #0",
        "msr basepri, r2",
        "cbnz r0, 2f",
        "pop {{r5, r8-r11, pc}}",
        "2:",
        "bl {failed}",
        "pop {{r5, r8-r11, pc}}",
        failed = sym R::failed,
    )
}

/// Ends an entry without a switch: r0 is twice the status plus one, r1 the value.
#[unsafe(naked)]
pub extern "C" fn stay() {
    naked_asm!("lsrs r0, r0, #1", "pop {{r4, r6, r7, pc}}",)
}

/// Defines an entry's slow path, for a caller that is an interrupt handler or a thread with
/// floating-point state. CONTROL is in r12, the decision in r6; r5 is 1 if it may block.
macro_rules! unusual {
    ($name:ident, $slice:ident) => {
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            with_tail!([
                // Stack pointer selection reads as 0 in handlers.
                "tst r12, #2",
                "beq {in_handler}",
                "blx r6",
                "lsls r2, r0, #31",
                "bmi {stay}",
                // A thread with floating-point state: what a callee must preserve, and the status
                // register, go below the return address; a second return address restores them.
                ".fpu fpv4-sp-d16",
                "vpush {{s16-s31}}",
                "vmrs r2, fpscr",
                "push {{r2, r3}}",
                "ldr lr, ={resume_with_state}",
                "push {{r4, r6, r7, lr}}",
                // The next thread begins without floating-point state.
                "mrs r2, control",
                // Armv8-M says so in two bits, of which Armv7-M has one.
                "bic r2, r2, #12",
                "msr control, r2",
                "isb",
            ], $slice, [], [
                in_handler = sym in_handler,
                stay = sym stay,
                resume_with_state = sym resume_with_state,
            ])
        }
    };
}

unusual!(unusual, slice);
unusual!(unusual_in_slice, keep);

/// An entry's way in an interrupt handler. A call that may block is refused before anything is
/// looked at. A call from above the kernel's level, which may have come in the midst of a section,
/// ends the program with a report of that. Where threads are to be switched, that is done
/// when the handlers have returned.
#[unsafe(naked)]
extern "C" fn in_handler() {
    naked_asm!(
        "mrs r4, ipsr",
        // No other exceptions than interrupts have a call to make: the rest are faults and the
        // port's own.
        "subs r4, #{first_interrupt}",
        "blo 2f",
        "ldr r7, ={priorities}",
        "ldrb r4, [r7, r4]",
        "cmp r4, #{level}",
        "blo 2f",
        "cbnz r5, 3f",
        "blx r6",
        "lsls r2, r0, #31",
        "bmi {stay}",
        "mov r2, #{pend_switch}",
        "str r2, [r7, #{interrupt_control}]",
        "movs r0, #0",
        "movs r1, #0",
        "pop {{r4, r6, r7, pc}}",
        "2:",
        "b {forbidden}",
        "3:",
        "movs r0, #{context}",
        "pop {{r4, r6, r7, pc}}",
        ".ltorg",
        first_interrupt = const FIRST_INTERRUPT,
        priorities = const PRIORITIES,
        level = const KERNEL_LEVEL,
        stay = sym stay,
        interrupt_control = const INTERRUPT_CONTROL - PRIORITIES,
        pend_switch = const PEND_SWITCH,
        forbidden = sym crate::reexports::taktos_forbidden_call,
        context = const Error::Context as usize,
    )
}

/// Where a thread with floating-point state is resumed that gave way in a kernel call. The first
/// instruction that touches the unit marks the thread as having such state.
#[unsafe(naked)]
extern "C" fn resume_with_state() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "movs r2, #0",
        "msr basepri, r2",
        "pop {{r2, r3}}",
        "vmsr fpscr, r2",
        "vpop {{s16-s31}}",
        "pop {{r4, r6, r7, pc}}",
    )
}

/// Resumes an interrupted thread from the tail of an entry: the content of its exception frame is
/// loaded without an exception. Only an exception handler can return into the midst of a block of
/// conditional instructions, or of a load or store of several registers. If the frame's status
/// register says more than the flags, the instruction set and that the processor aligned the stack
/// pointer, a handler returns.
///
/// The last three instructions are such a block themselves. An interrupt that comes between the end
/// of the mask and the last of them puts a frame below the rest of the old one. A handler returns
/// from that frame, with the mask's end after the return. So there is one frame more at most, even
/// under an interrupt that always pends.
///
/// After that, at [`WITH_STATE`], is the code for threads with floating-point state: a handler
/// returns.
#[cfg(not(feature = "small"))]
#[unsafe(naked)]
pub extern "C" fn return_from_exception() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        // `rest`: the bytes from the saved program counter to where the stack pointer was.
        ".macro taktos_load_frame rest",
        // An address that is loaded into the program counter says the instruction set.
        "orr r0, r0, #1",
        "str r0, [sp, #24]",
        #[cfg(no_simd)]
        "msr apsr_nzcvq, r1",
        #[cfg(not(no_simd))]
        "msr apsr_nzcvqg, r1",
        // As exceptions do: the former thread may have left a reservation that this one would take
        // for its own.
        "clrex",
        "ittt al",
        // The lowest eight bits count (Armv7-M manual, B5.2.3), which are zero.
        "msr basepri, r2",
        "pop {{r0-r3, r12, lr}}",
        "ldr pc, [sp], #\\rest",
        ".endm",
        "pop {{r5, r8-r11}}",
        // The place, and the status register.
        "ldrd r0, r1, [sp, #24]",
        // SIMD's flags, which cannot be written without that extension, are none of the former
        // thread's either.
        #[cfg(no_simd)]
        "mrs r2, apsr",
        #[cfg(no_simd)]
        "orrs r2, r2, r1",
        #[cfg(no_simd)]
        "lsls r2, r2, #{flags}",
        #[cfg(not(no_simd))]
        "lsls r2, r1, #{flags}",
        "cmp r2, #{instruction_set}",
        "bne 2f",
        "taktos_load_frame 8",
        "2:",
        "eor r2, r2, #{instruction_set}",
        "cmp r2, #{aligned}",
        "bne 3f",
        "taktos_load_frame 12",
        "3:",
        "mov r0, sp",
        "svc #0",
        ".purgem taktos_load_frame",
        ".org {begin} + {with_state}",
        "pop {{r5, r8-r11}}",
        "vpop {{s16-s31}}",
        "mov r0, sp",
        "svc #0",
        begin = sym return_from_exception,
        with_state = const WITH_STATE,
        flags = const FLAGS,
        instruction_set = const 1 << (24 + FLAGS),
        aligned = const 1 << (9 + FLAGS),
    )
}

/// Returns from an exception in a small program, where a handler always returns.
#[cfg(feature = "small")]
#[unsafe(naked)]
pub extern "C" fn return_from_exception() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "pop {{r5, r8-r11}}",
        "mov r0, sp",
        "svc #0",
        "pop {{r5, r8-r11}}",
        "vpop {{s16-s31}}",
        "mov r0, sp",
        "svc #0",
    )
}

/// The bits of a frame's status register that are flags, the highest; of the others 24 says the
/// instruction set, and 9 that the stack pointer was aligned (Armv7-M manual, B1.4.2, B1.5.7).
#[cfg(not(feature = "small"))]
const FLAGS: u32 = 5;

/// The bytes of the two instructions that end the mask.
const END_OF_MASK: usize = 6;

/// The distance of the second entry of [`return_from_exception`].
pub const WITH_STATE: usize = if cfg!(feature = "small") { 8 } else { 92 };

/// Returns from the exception frame that r0 named when the exception was raised.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn SVCall() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        // With floating-point state its saving into the new frame is still pending; it must not
        // pend any longer, or the old frame's registers would not be loaded.
        "tst lr, #0x10",
        "it eq",
        "vmoveq s0, s0",
        "mrs r0, psp",
        "ldr r0, [r0]",
        "msr psp, r0",
        // The mask ends here: whatever waits comes after the return, when the old frame is used
        // up.
        "movs r1, #0",
        "msr basepri, r1",
        "bx lr",
    )
}

/// The handler that [`exceptions!`](crate::exceptions) defines as `PendSV`.
///
/// Switches to the heir when the last handler has returned: it has the lowest priority, so it comes
/// in the midst of none.
///
/// Handlers may come in between, and name another heir. None of them is in the way. The fields of
/// the two threads that are read here do not change while the one runs and the other is ready. A
/// handler that names an heir other than the current thread makes this pending again, with one
/// exception. The new heir may be the thread that is just being left, while it is still called the
/// current one. So the heir is read once more when the current thread has been written.
#[doc(hidden)]
#[macro_export]
macro_rules! pended_switch {
    () => {
        $crate::guarded_switch!();
    };
    (@ [$($stored:literal),*], [$($guard:literal),*], [$($operands:tt)*]) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn PendSV() {
            ::core::arch::naked_asm!(
                ".fpu fpv4-sp-d16",
                "ldr r3, ={processor}",
                "ldr r1, [r3, #{current}]",
                "ldr r2, [r3, #{heir}]",
                $crate::at_pended_switch!(load),
                "ldr r12, ={return_from_exception}",
                "cmp r1, r2",
                "beq 9f",
                $crate::at_pended_switch!(ask),
                "7:",
                "mrs r0, psp",
                "tst lr, #0x10",
                "beq 5f",
                "1:",
                "stmdb r0!, {{r5, r8-r11}}",
                "stmdb r0!, {{r4, r6, r7, r12}}",
                $($stored,)*
                "str r0, [r1]",
                "str r2, [r3, #{current}]",
                "ldr r3, [r3, #{heir}]",
                "ldr r0, [r2]",
                "cmp r3, r2",
                "bne 6f",
                "2:",
                "ldmia r0!, {{r4, r6, r7, r12}}",
                // The place to resume at is its own exception frame, or after a kernel call. The
                // stack pointer of an interrupted thread, nine words below a frame that the
                // processor aligned to eight bytes, is the only one that is not a multiple of
                // eight.
                "lsls r1, r0, #29",
                "bmi 3f",
                // After a kernel call: an exception frame below the registers just read makes it
                // return there, with its result in r0 and r1; its other registers are of no
                // account. Every address to resume at begins with the two instructions that end the
                // mask, which is not set here: they are skipped, and the mark of the instruction
                // set with them.
                "add r12, r12, #{behind_mask}",
                "mov r3, #0x01000000",
                "add r1, r2, #{guard}",
                "str r12, [r0, #-8]",
                "str r3, [r0, #-4]",
                "ldr r12, [r2, #{status}]",
                "ldr r3, [r2, #{value}]",
                "str r12, [r0, #-32]!",
                "str r3, [r0, #4]",
                "4:",
                "ldr r12, ={system_timer}",
                $($guard,)*
                "msr psp, r0",
                "9:",
                "bx lr",
                $crate::at_pended_switch!(go),
                "3:",
                "ldmia r0!, {{r5, r8-r11}}",
                "ldr r3, ={return_from_exception}",
                "add r1, r2, #{guard}",
                "cmp r12, r3",
                "beq 4b",
                "vldmia r0!, {{s16-s31}}",
                "bic lr, lr, #0x10",
                "b 4b",
                "5:",
                "vstmdb r0!, {{s16-s31}}",
                // From here on as if the interrupted thread had none: the return is the plain one.
                "orr lr, lr, #0x10",
                "add r12, r12, #{with_state}",
                "b 1b",
                "6:",
                // Once more, after this.
                "ldr r1, ={system_timer}",
                "mov r3, #{pend_switch}",
                "str r3, [r1, #{interrupt_control}]",
                "b 2b",
                $crate::at_pended_switch!(call),
                ".ltorg",
                processor = sym $crate::TAKTOS_PROCESSOR,
                current = const $crate::reexports::operands::CURRENT,
                heir = const $crate::reexports::operands::HEIR,
                interrupt_control = const $crate::reexports::operands::INTERRUPT_CONTROL,
                pend_switch = const $crate::reexports::operands::PEND_SWITCH,
                return_from_exception = sym $crate::reexports::operands::return_from_exception,
                with_state = const $crate::reexports::operands::WITH_STATE,
                behind_mask = const $crate::reexports::operands::BEHIND_MASK,
                status = const $crate::reexports::operands::STATUS,
                value = const $crate::reexports::operands::VALUE,
                system_timer = const $crate::reexports::operands::SYSTEM_TIMER,
                guard = const $crate::reexports::operands::GUARD,
                at_switch = const $crate::reexports::operands::AT_SWITCH,
                level = const $crate::reexports::operands::KERNEL_LEVEL,
                $($operands)*
            )
        }
    };
}

/// Calls r0, from the label named on, to report the switch from the thread of r1 to that of r2. For
/// a handler without a mask. Keeps both, r3 and lr.
#[doc(hidden)]
#[macro_export]
macro_rules! masked_switch_slice {
    ($label:literal) => {
        concat!(
            $label,
            "
            push {{r1-r3, lr}}
            mov r12, r0
            mov r0, #{level}
            msr basepri, r0
            mov r0, r1
            mov r1, r2
            movs r2, #0
            blx r12
            movs r0, #0
            msr basepri, r0
            pop {{r1-r3, lr}}"
        )
    };
}

/// The test of `PendSV` whether something is called at a switch. Its parts are the load, the test,
/// the branch from there, and the call after all other lines. Empty with the feature `small`, which
/// has no time slices; the operands are named in a remark there, since each has to be. The call
/// loads r12 again.
#[cfg(not(feature = "small"))]
#[doc(hidden)]
#[macro_export]
macro_rules! at_pended_switch {
    (load) => {
        "ldr r0, [r3, #{at_switch}]"
    };
    (ask) => {
        "cbnz r0, 8f"
    };
    (go) => {
        "8: b 10f"
    };
    (call) => {
        concat!(
            $crate::masked_switch_slice!("10:"),
            "
            ldr r12, ={return_from_exception}
            b 7b"
        )
    };
}

#[cfg(feature = "small")]
#[doc(hidden)]
#[macro_export]
macro_rules! at_pended_switch {
    (call) => {
        "// {at_switch}, {level}"
    };
    ($line:ident) => {
        ""
    };
}

/// The operands of [`pended_switch!`](crate::pended_switch).
#[expect(missing_docs, reason = "each is what its name says")]
pub mod operands {
    use super::{Context, Processor, offset_of};
    pub use super::{SYSTEM_TIMER, WITH_STATE, return_from_exception};
    pub use crate::guard::GUARD;
    #[cfg(canary)]
    pub use crate::guard::{CANARY, INTACT};
    #[cfg(not(armv8m))]
    pub use crate::guard::{GUARD_REGION, GUARD_SIZE};
    pub use crate::mask::KERNEL_LEVEL;
    pub use crate::switch::{AT_SWITCH, PEND_SWITCH};

    pub const CURRENT: usize = offset_of!(Processor, current);
    pub const HEIR: usize = offset_of!(Processor, heir);
    pub const STATUS: usize = offset_of!(Context, status);
    pub const VALUE: usize = offset_of!(Context, value);
    pub const INTERRUPT_CONTROL: u32 = super::INTERRUPT_CONTROL - SYSTEM_TIMER;
    pub const BEHIND_MASK: usize = super::END_OF_MASK - 1;
}

/// The first instructions of every thread.
#[unsafe(naked)]
pub extern "C" fn begin() {
    naked_asm!(
        "movs r2, #0",
        "msr basepri, r2",
        "mov r0, r4",
        "mov r1, r6",
        "bx r7",
    )
}

/// Leaves the start-up code for the first thread, which has a frame that [`prepare`] wrote. Called
/// once, with all set up; nothing of the present stack is used again: the main stack is the
/// handlers' from now on.
#[unsafe(naked)]
pub extern "C" fn start() -> ! {
    naked_asm!(
        "ldr r3, ={access}",
        "ldr r2, [r3]",
        "orr r2, r2, #{full_access}",
        "str r2, [r3]",
        "ldr r0, ={processor}",
        "ldr r0, [r0]",
        "ldr r1, [r0]",
        "msr psp, r1",
        "ldr r1, =_stack_start",
        "msr msp, r1",
        "movs r1, #2",
        "msr control, r1",
        "isb",
        #[cfg(not(armv8m))]
        "ldr r2, ={system_timer}",
        "add r3, r0, #{guard}",
        #[cfg(not(armv8m))]
        "str r3, [r2, #{guard_region}]",
        #[cfg(armv8m)]
        "msr psplim, r3",
        "movs r2, #0",
        "msr basepri, r2",
        "cpsie i",
        "pop {{r4, r6, r7, pc}}",
        ".ltorg",
        access = const COPROCESSOR_ACCESS,
        full_access = const FULL_ACCESS,
        processor = sym TAKTOS_PROCESSOR,
        #[cfg(not(armv8m))]
        system_timer = const SYSTEM_TIMER,
        guard = const GUARD,
        #[cfg(not(armv8m))]
        guard_region = const GUARD_REGION,
    )
}
