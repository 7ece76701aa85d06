//! Owns: the hand-written paths that switch from one thread to another.
//!
//! A kernel call is written into its caller by [`call`], which declares to the compiler that it
//! destroys nearly all registers: so the caller keeps what is alive on its stack, and only that,
//! and the entry has to save no more than the two that cannot be so declared, x19 and x29.
//!
//! Everywhere below, at the common tail: x0 names the thread to resume, x1 the thread to switch
//! out. Kernel-level interrupts are masked, and the stack holds a whole frame.

use crate::float::{leave_float, leave_float_in_slice};
use crate::pieces::{find_and_release, with_state};
use crate::registers::{x2_to_x17, x18_to_x28};
use crate::state::AT_SWITCH;
use core::arch::{asm, naked_asm};
use core::mem::offset_of;
use taktos_abi::{Error, Status, Timeout};
use taktos_arch_common::{Outcome64, switch_marks, with_context};
use taktos_machine::{Answer, Decision, Machine, Processor};

/// Takes the decision `D`. Called with the mask set, which ends here.
#[inline(always)]
pub(crate) fn call<M: Machine<Outcome = Outcome64>, D: Decision<M>>(
    object: &'static D::Object,
    argument: usize,
    timeout: Timeout,
) -> Answer {
    let (status, value);
    // SAFETY: the entry follows the procedure call standard but for the registers named as
    // destroyed.
    unsafe {
        asm!(
            "bl {entry}",
            "msr daifclr, #2",
            entry = sym enter::<M, D>,
            inlateout("x0") object => status,
            inlateout("x1") argument => value,
            inlateout("x2") timeout.bits() => _,
            out("x20") _, out("x21") _, out("x22") _, out("x23") _, out("x24") _,
            out("x25") _, out("x26") _, out("x27") _, out("x28") _,
            clobber_abi("C"),
        );
    }
    Answer {
        status: Status::from_word(status),
        value,
    }
}

/// The first part of each switch. x3 holds the function to call if a slice begins, or zero. x4 is
/// not zero if there is floating-point state to save; x2 is the state's address.
macro_rules! load_state {
    () => {
        concat!(
            $crate::pieces::state_in!("x2"),
            "\n ldp x3, x4, [x2, #{at_switch}]
             cbnz x4, {leave_float}"
        )
    };
}

/// A time slice begins, where slices are on: before [`tail`], where the switch is not within one.
macro_rules! begin_slice {
    () => {
        "cbz x3, 5f
         bl {switch_slice}
         5:"
    };
}

/// The end of each switch.
macro_rules! tail {
    () => {
        concat!(
            "mov x5, sp
             str x5, [x1, #{stack_pointer}]
             ldr x6, [x0, #{stack_pointer}]
             mov sp, x6
             // The laboratory sees the switch by this store.\n",
            $crate::pieces::set_current!(),
            // The answer, for a thread that called the kernel.
            "ldp x0, x1, [x0, #{status}]\n",
            // From here on another processor may resume the thread that was switched out.
            $crate::pieces::release!("x2"),
            "ldr x30, [sp, #16]
             ldp x19, x29, [sp], #32
             ret"
        )
    };
}

pub(crate) use {begin_slice, tail};

/// The thread of x1 is switched out for the thread of x0: calls x3, on the handlers' stack, which
/// is empty. Keeps x0 to x2.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_slice() {
    naked_asm!(
        "msr spsel, #1",
        "stp x0, x1, [sp, #-32]!",
        "stp x2, x30, [sp, #16]",
        "mov x4, x0",
        "mov x0, x1",
        "mov x1, x4",
        "mov x2, xzr",
        "blr x3",
        "ldp x2, x30, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "msr spsel, #0",
        "ret",
    )
}

/// The switch after an entry: saves the caller in the thread of x1 and resumes the thread of x0,
/// for a whole slice. On the stack is the caller's frame.
#[unsafe(naked)]
pub(crate) extern "C" fn switch() {
    with_context!([with_state]
        switch_marks!(),
        load_state!(),
        begin_slice!(),
        tail!(),
        at_switch = const AT_SWITCH,
        leave_float = sym leave_float,
        switch_slice = sym switch_slice,
    )
}

/// Like [`switch`], for the rest of the present slice.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_in_slice() {
    with_context!([with_state]
        load_state!(),
        tail!(),
        at_switch = const AT_SWITCH,
        leave_float = sym leave_float_in_slice,
    )
}

/// The entry: takes the decision `D`, and continues with the switch that may follow. Entered and
/// left with the mask set.
#[unsafe(naked)]
extern "C" fn enter<M: Machine<Outcome = Outcome64>, D: Decision<M>>() {
    naked_asm!(
        "stp x19, x29, [sp, #-32]!",
        "str x30, [sp, #16]",
        // A decision that may block is not begun in a handler.
        ".if {blocks}",
        "mrs x9, spsel",
        "cbnz x9, 1f",
        ".endif",
        "bl {decide}",
        // Odd: no switch.
        ".if {always_switches} == 0",
        "tbnz x0, #0, 2f",
        ".endif",
        ".if {blocks} == 0",
        "mrs x9, spsel",
        "cbnz x9, 1f",
        ".endif",
        ".if {keeps_slice}",
        "b {switch_in_slice}",
        ".else",
        "b {switch}",
        ".endif",
        // A handler's: the answer is an error, or OK where the end of the interrupt switches.
        "1:",
        "mov x0, #{in_handler}",
        "mov x1, #0",
        // Stay: the status is half of the odd word; the value is in x1.
        "2:",
        "lsr x0, x0, #1",
        find_and_release!(),
        "ldr x30, [sp, #16]",
        "ldp x19, x29, [sp], #32",
        "ret",
        blocks = const D::BLOCKS as u32,
        always_switches = const D::ALWAYS_SWITCHES as u32,
        keeps_slice = const D::KEEPS_SLICE as u32,
        decide = sym D::decide,
        switch = sym switch,
        switch_in_slice = sym switch_in_slice,
        in_handler = const if D::BLOCKS { Error::Context as u32 * 2 } else { 0 },
    )
}

/// The rest of an interrupt after which another thread runs. At EL1 on the handlers' stack, with
/// the interrupted thread's registers as they were, `ELR` and `SPSR` leading back to it, and
/// nothing left on the handlers' stack.
#[unsafe(naked)]
pub(crate) extern "C" fn preempt() {
    with_context!([with_state]
        "msr spsel, #0",
        "sub sp, sp, #{both}",
        "stp x0, x1, [sp, #32]",
        x2_to_x17!("stp", "sp, #32 + "),
        x18_to_x28!("stp", "sp, #32 + "),
        "mrs x2, elr_el1",
        "mrs x3, spsr_el1",
        "stp x30, x2, [sp, #256]",
        "str x3, [sp, #272]",
        // The rest of the frame is as a caller's, but that it leads to `resume_interrupted`.
        "adrp x30, {resume_interrupted}",
        "add x30, x30, :lo12:{resume_interrupted}",
        "stp x19, x29, [sp]",
        "str x30, [sp, #16]",
        // The thread to switch out, and the heir.
        "mrs x7, tpidr_el1",
        "ldr x1, [x7, #{current}]",
        "ldr x0, [x7, #{heir}]",
        load_state!(),
        begin_slice!(),
        tail!(),
        both = const CALL_FRAME + INTERRUPTED,
        resume_interrupted = sym resume_interrupted,
        at_switch = const AT_SWITCH,
        leave_float = sym leave_float,
        switch_slice = sym switch_slice,
        heir = const offset_of!(Processor, heir),
    )
}

/// The bytes of a caller's frame, and what an interrupted thread has above it.
pub(crate) const CALL_FRAME: usize = 32;
const INTERRUPTED: usize = 256;

/// Where the frame of an interrupted thread leads: the registers that a call does not keep.
#[unsafe(naked)]
extern "C" fn resume_interrupted() {
    naked_asm!(
        "ldp x30, x2, [sp, #224]",
        "ldr x3, [sp, #240]",
        "msr elr_el1, x2",
        "msr spsr_el1, x3",
        x18_to_x28!("ldp", "sp, #"),
        x2_to_x17!("ldp", "sp, #"),
        "ldp x0, x1, [sp], #{interrupted}",
        "eret",
        interrupted = const INTERRUPTED,
    )
}

/// The first instructions of every thread.
#[unsafe(naked)]
pub(crate) extern "C" fn begin() {
    naked_asm!(
        "ldr x2, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "mov x30, xzr",
        "msr daifclr, #2",
        "br x2",
    )
}

/// Leaves the start-up code, which runs on the handlers' stack pointer with interrupts masked, for
/// the current thread.
///
/// `processor`: this one's pair; `handlers`: where the stack of its handlers begins.
pub(crate) fn start(processor: &'static Processor, handlers: usize) -> ! {
    // SAFETY: called once on a processor, with all set up; nothing of the present stack is used
    // again. The first thread's frame was written by `prepare`.
    unsafe {
        asm!(
            "msr tpidr_el1, {processor}",
            "ldr x0, [{processor}]",
            "mov sp, {handlers}",
            "msr spsel, #0",
            "ldr x1, [x0]",
            "mov sp, x1",
            // Errors of the bus that come late are reported from here on.
            "msr daifclr, #4",
            "ldr x30, [sp, #16]",
            "ldp x19, x29, [sp], #32",
            "ret",
            processor = in(reg) core::ptr::from_ref(processor),
            handlers = in(reg) handlers,
            options(noreturn),
        )
    }
}
