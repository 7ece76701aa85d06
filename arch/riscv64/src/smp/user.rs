//! Owns: how a path finds the processor and takes the lock, and where user mode is to be enabled,
//! for several processors: on all, before any thread of a partition runs.
//! Must never know: what a path is for.
//!
//! A thread may change tp, so after it has run the address of the processor's block is found above
//! the handlers' stack.
//!
//! Each processor drops its remembered translations itself (`sfence.vma` is of one processor), so
//! it is called. Nothing below the kernel would do that for it, and the kernel's processors call
//! each other by an interrupt in any case. The caller waits for that, as long as each processor's
//! longest mask and a handler take. It happens once for all partitions and once for each, at its
//! first start. This also holds of a fence of instructions (`fence.i`), and of each start of a
//! partition with a program that is loaded.

use super::Hart;
use super::calls::{self, ON_NEW_MAP};
use super::state::numbered;
use crate::board::Board;
use crate::interrupt::{mask_over, restore};
use crate::user::{crossing, map};
use core::arch::naked_asm;
use core::sync::atomic::Ordering::{Acquire, Release};
use taktos_arch_common::lock_out_of_line;

/// Enables user mode on all processors, and comes back when it is so.
pub fn enable<B: Board>() {
    ON_NEW_MAP.store(enable_here as fn() as *mut (), Release);
    on_all::<B>(enable_here);
    // If another thread is at it, too, its calls find that done.
    ON_NEW_MAP.store(map::fetch_anew as fn() as *mut (), Release);
}

/// Enables user mode here. Runs in a handler, or masked. A processor that is called for new code
/// while another thread is here fetches that code, too.
fn enable_here() {
    map::look_at_spaces();
    crossing::enable();
    map::fetch_anew();
}

/// Activates all that was written to tables, which the processors may have read before.
pub fn forget<B: Board>() {
    on_all::<B>(map::forget);
}

/// Makes all processors execute newly written code, which each fetches again by itself: they are
/// called as for new tables, and fetch as well since user mode is enabled.
pub fn fetch_anew<B: Board>() {
    on_all::<B>(map::fetch_anew);
}

/// Does `here` on this processor, calls the others for a new map, and comes back when they have
/// served that.
fn on_all<B: Board>(here: fn()) {
    // `here` and the calls must be done on one processor, so the thread must not resume on another
    // one in between.
    let was_unmasked = mask_over();
    here();
    calls::call_others::<B>(calls::MAP);
    restore(was_unmasked);
    // A processor that has taken the call forgets before it resumes any thread.
    for number in 0..B::PROCESSORS {
        while numbered::<B>(number).more.calls.load(Acquire) & calls::MAP != 0 {
            core::hint::spin_loop();
        }
    }
}

/// The processor's address, in the register named. The stack pointer is where the handlers' stack
/// begins.
macro_rules! find_processor {
    ($register:literal) => {
        concat!("ld ", $register, ", 0(sp)\n")
    };
}

/// The partition that calls, in s5, with the lock. Continues at the label 44, without it, if other
/// processors have decided that the thread is preempted.
macro_rules! enter {
    () => {
        "ld t0, {lock}(tp)
         li t2, {held}
         .option push
         .option arch, +a
         41:
         lr.w.aq t1, (t0)
         bnez t1, 42f
         sc.w t1, t2, (t0)
         bnez t1, 41b
         .option pop
         43:
         ld s5, {current}(tp)
         ld t1, {heir}(tp)
         bne s5, t1, 44f
         ld s5, {partition}(s5)
         j 45f
         42:
         call {wait}
         j 43b
         45:\n"
    };
}

/// Where the call is decided no more, at the label 44: releases the lock, and has the thread call
/// once more when it has its turn: its state gets what the call carries, and the stack pointer
/// leads there.
macro_rules! call_again {
    () => {
        concat!(
            "44:\n",
            $crate::pieces::release!(),
            "addi sp, s5, {state} + {registers}
             ld t0, {partition}(s5)
             ld t0, 0(t0)
             .irp n, 3,8,9,10,11,12,13,17
             sd x\\n, \\n * 8(sp)
             .endr
             sd s2, {in_registers_sp}(sp)
             sd s3, {in_registers_tp}(sp)
             j taktos_to_interrupted"
        )
    };
}

/// The end of an interrupt, after the dispatch that has returned whether another thread is to run.
/// Puts both threads in the registers in which the switch expects them; goes to the label 2 if that
/// is so.
macro_rules! branch_if_another {
    () => {
        "mv t0, a0
         ld a1, {current}(tp)
         ld a0, {heir}(tp)
         bnez t0, 2f"
    };
}

/// Branches if the fault was not reported, after [`keep_turn`].
macro_rules! branch_where_untold {
    () => {
        "beqz a0, 5f"
    };
}

/// Gives the thread its turn then.
macro_rules! resume_where_untold {
    () => {
        "5:
         addi sp, s3, {registers}
         j {resume_interrupted}"
    };
}

/// Code of a naked function that has [`find_processor!`] and [`enter!`] in it.
macro_rules! with_call {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            lock = const core::mem::offset_of!($crate::state::State, lock),
            held = const taktos_lock::HELD,
            heir = const core::mem::offset_of!(taktos_machine::Processor, heir),
            wait = sym $crate::processors::user::wait_for_lock,
            registers = const $crate::user::state::REGISTERS,
            in_registers_sp = const $crate::user::state::SP * 8,
            in_registers_tp = const $crate::user::state::TP * 8,
        )
    };
}

/// As the common part says.
pub fn keep_turn() -> bool {
    taktos_arch_common::keep_turn::<Hart>()
}

/// Takes the lock for a call that found it held: what the call carries stays.
#[unsafe(naked)]
pub extern "C" fn wait_for_lock() {
    naked_asm!(
        "addi sp, sp, -48",
        "sd ra, 0(sp)",
        "sd a0, 8(sp)",
        "sd a1, 16(sp)",
        "sd a2, 24(sp)",
        "sd a3, 32(sp)",
        "sd a7, 40(sp)",
        "call {lock}",
        "ld ra, 0(sp)",
        "ld a0, 8(sp)",
        "ld a1, 16(sp)",
        "ld a2, 24(sp)",
        "ld a3, 32(sp)",
        "ld a7, 40(sp)",
        "addi sp, sp, 48",
        "ret",
        lock = sym lock_out_of_line::<Hart>,
    )
}

// [`find_processor!`] names nothing.
pub(crate) use core::arch::naked_asm as with_processor;
pub(crate) use {
    branch_if_another, branch_where_untold, call_again, enter, find_processor, resume_where_untold,
    with_call,
};
