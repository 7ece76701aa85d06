//! Owns: the hand-written paths that switch from one thread to another.
//!
//! A kernel call is written into its caller by [`call`], which declares to the compiler that it
//! destroys nearly all registers: so the caller keeps what is alive on its stack, and only that,
//! and the entry has to save no more than the two that cannot be so declared, s0 and s1.
//!
//! Everywhere below, at the common tail: a0 names the thread to resume, a1 the thread to switch
//! out. The state's address is in t0 (on several processors in tp), the function to call if a slice
//! begins in t1. Kernel-level interrupts are masked, and the stack holds a whole frame. On several
//! processors the one lock is held until the tail releases it.

use crate::float::{leave_float, leave_float_in_slice};
use crate::interrupt::ENABLED;
use crate::pieces::{load_state_address, of_state, release, with_state};
use crate::registers::{s2_to_s11, t0_to_a7};
use crate::reservation::end_reservation;
use crate::state::{AT_SWITCH, State};
use core::arch::{asm, naked_asm};
use core::mem::offset_of;
use taktos_abi::{Error, Status, Timeout};
use taktos_arch_common::{Outcome64, switch_marks, with_context};
use taktos_machine::{Answer, Context, Decision, Machine, Processor};

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
            "call {entry}",
            "csrsi sstatus, 2",
            entry = sym enter::<M, D>,
            inlateout("a0") object => status,
            inlateout("a1") argument => value,
            inlateout("a2") timeout.bits() => _,
            out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
            out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            clobber_abi("C"),
        );
    }
    Answer {
        status: Status::from_word(status),
        value,
    }
}

/// The first part of each switch: the state's address, what is called where a slice begins, and
/// another way for threads with
/// floating-point state.
macro_rules! load_state {
    () => {
        concat!(
            load_state_address!("t0"),
            "ld t1, ",
            of_state!("{at_switch}", "t0"),
            "\n ld t2, ",
            of_state!("{float_in_use}", "t0"),
            "\n beqz t2, 6f
             j {leave_float}
             6:"
        )
    };
}

/// A time slice begins, where slices are on: before [`tail`], where the switch is not within one.
macro_rules! begin_slice {
    () => {
        "beqz t1, 5f
         call {switch_slice}
         5:"
    };
}

/// The end of each switch.
macro_rules! tail {
    () => {
        concat!(
            "sd sp, {stack_pointer}(a1)
             ld sp, {stack_pointer}(a0)
             # The laboratory sees the switch by this store.
             sd a0, {current}(tp)
             # The answer, for a thread that called the kernel.
             ld a1, {value}(a0)
             ld a0, {status}(a0)\n",
            // From here on another processor may resume the thread that was switched out.
            $crate::pieces::release!(),
            "ld ra, 16(sp)
             ld s0, 0(sp)
             ld s1, 8(sp)
             addi sp, sp, 32
             ret"
        )
    };
}

pub(crate) use {begin_slice, tail};

/// The thread of a1 is switched out for the thread of a0: calls t1, on the handlers' stack, which
/// is empty. Keeps a0 and a1.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_slice() {
    naked_asm!(
        "csrr t0, sscratch",
        "addi t0, t0, -32",
        "sd sp, 0(t0)",
        "sd ra, 8(t0)",
        "sd a0, 16(t0)",
        "sd a1, 24(t0)",
        "mv sp, t0",
        "mv t0, a0",
        "mv a0, a1",
        "mv a1, t0",
        "li a2, 0",
        "jalr t1",
        "ld ra, 8(sp)",
        "ld a0, 16(sp)",
        "ld a1, 24(sp)",
        "ld sp, 0(sp)",
        "ret",
    )
}

/// The switch after an entry: saves the caller in the thread of a1 and resumes the thread of a0,
/// for a whole slice. On the stack is the caller's frame.
#[unsafe(naked)]
pub(crate) extern "C" fn switch() {
    with_context!([with_state]
        switch_marks!(),
        load_state!(),
        begin_slice!(),
        tail!(),
        leave_float = sym leave_float,
        at_switch = const AT_SWITCH,
        float_in_use = const offset_of!(State, float_in_use),
        switch_slice = sym switch_slice,
        value = const offset_of!(Context, value),
    )
}

/// Like [`switch`], for the rest of the present slice.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_in_slice() {
    with_context!([with_state]
        load_state!(),
        tail!(),
        leave_float = sym leave_float_in_slice,
        at_switch = const AT_SWITCH,
        float_in_use = const offset_of!(State, float_in_use),
        value = const offset_of!(Context, value),
    )
}

/// The entry: takes the decision `D`, and continues with the switch that may follow. Entered and
/// left with the mask set.
#[unsafe(naked)]
extern "C" fn enter<M: Machine<Outcome = Outcome64>, D: Decision<M>>() {
    naked_asm!(
        "addi sp, sp, -32",
        "sd s0, 0(sp)",
        "sd s1, 8(sp)",
        "sd ra, 16(sp)",
        // A decision that may block is not begun in a handler.
        ".if {blocks}",
        "csrr t0, sscratch",
        "beqz t0, 1f",
        ".endif",
        "call {decide}",
        // Odd: no switch.
        ".if {always_switches} == 0",
        "andi t0, a0, 1",
        "bnez t0, 2f",
        ".endif",
        ".if {blocks} == 0",
        "csrr t0, sscratch",
        "beqz t0, 1f",
        ".endif",
        ".if {keeps_slice}",
        "tail {switch_in_slice}",
        ".else",
        "tail {switch}",
        ".endif",
        // A handler's: the answer is an error, or OK where the end of the interrupt switches.
        "1:",
        "li a0, {in_handler}",
        "li a1, 0",
        // Stay: the status is half of the odd word; the value is in a1.
        "2:",
        "srli a0, a0, 1",
        release!(),
        "ld ra, 16(sp)",
        "ld s0, 0(sp)",
        "ld s1, 8(sp)",
        "addi sp, sp, 32",
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

/// The bytes of a caller's frame, and what an interrupted thread has above it.
pub(crate) const CALL_FRAME: usize = 32;
const INTERRUPTED: usize = 224;

/// The rest of an interrupt after which another thread runs: with the interrupted thread's
/// registers as they were, on its stack, masked, `sepc` and `sstatus` leading back to it. On
/// several processors the one lock is held.
#[unsafe(naked)]
pub(crate) extern "C" fn preempt() {
    with_context!([with_state]
        "addi sp, sp, -{both}",
        "sd ra, 32(sp)",
        t0_to_a7!("sd", 40),
        s2_to_s11!("sd", 160),
        "csrr t0, sepc",
        "csrr t1, sstatus",
        "sd t0, 240(sp)",
        "sd t1, 248(sp)",
        // The rest of the frame is as a caller's, but that it leads to `resume_interrupted`.
        "la ra, {resume_interrupted}",
        "sd s0, 0(sp)",
        "sd s1, 8(sp)",
        "sd ra, 16(sp)",
        // The thread to switch out, and the heir.
        "ld a1, {current}(tp)",
        "ld a0, {heir}(tp)",
        load_state!(),
        begin_slice!(),
        tail!(),
        both = const CALL_FRAME + INTERRUPTED,
        resume_interrupted = sym resume_interrupted,
        leave_float = sym leave_float,
        at_switch = const AT_SWITCH,
        float_in_use = const offset_of!(State, float_in_use),
        switch_slice = sym switch_slice,
        value = const offset_of!(Context, value),
        heir = const offset_of!(Processor, heir),
    )
}

/// Where the frame of an interrupted thread leads: the registers that a call does not keep.
#[unsafe(naked)]
extern "C" fn resume_interrupted() {
    naked_asm!(
        "ld t0, 208(sp)",
        "ld t1, 216(sp)",
        "csrw sepc, t0",
        "csrw sstatus, t1",
        "ld ra, 0(sp)",
        end_reservation!("ra"),
        t0_to_a7!("ld", 8),
        s2_to_s11!("ld", 128),
        "addi sp, sp, {interrupted}",
        "sret",
        interrupted = const INTERRUPTED,
    )
}

/// The first instructions of every thread.
#[unsafe(naked)]
pub(crate) extern "C" fn begin() {
    naked_asm!(
        "ld a0, 0(sp)",
        "ld a1, 8(sp)",
        "ld t0, 16(sp)",
        "addi sp, sp, 32",
        "li ra, 0",
        "csrsi sstatus, 2",
        "jr t0",
    )
}

/// Leaves the start-up code, which runs masked, for the current thread.
///
/// `processor`: this one's pair; `handlers`: where the stack of its handlers begins.
pub(crate) fn start(processor: &'static Processor, handlers: usize) -> ! {
    // SAFETY: called once on a processor, with all set up; nothing of the present stack is used
    // again. The first thread's frame was written by `prepare`.
    unsafe {
        asm!(
            "mv tp, {processor}",
            "csrw sscratch, {handlers}",
            "csrw sie, {enabled}",
            "ld t0, 0(tp)",
            "ld sp, 0(t0)",
            "ld ra, 16(sp)",
            "ld s0, 0(sp)",
            "ld s1, 8(sp)",
            "addi sp, sp, 32",
            "ret",
            processor = in(reg) core::ptr::from_ref(processor),
            handlers = in(reg) handlers,
            enabled = in(reg) ENABLED,
            options(noreturn),
        )
    }
}
