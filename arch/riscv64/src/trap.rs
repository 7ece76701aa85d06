//! Owns: where traps lead. Must never know: what is done there.

use crate::float::give_unit;
use crate::interrupt::ENABLED;
use crate::pieces::{load_state_address, of_state, with_state};
use crate::processors::entry::{branch_if_another, dispatch, fault_stack, on_fault_stack};
use crate::reservation::end_reservation;
use crate::state::State;
use crate::switch::preempt;
use core::arch::asm;
use core::mem::offset_of;

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
}

/// Makes traps lead to [`trap`].
pub(crate) fn install() {
    // SAFETY: the handler is whole and aligned; called before interrupts are let through.
    unsafe {
        asm!(
            "csrw stvec, {}",
            in(reg) trap as *const () as usize,
            options(nostack, preserves_flags),
        );
    }
}

/// What a call does not keep, from the handlers' stack; the interrupted stack pointer last. `sscratch` is again the top.
macro_rules! restore {
    () => {
        concat!("ld ra, 0(sp)\n", restore_behind_ra!())
    };
}

/// The same without the first of them, which is loaded already.
macro_rules! restore_behind_ra {
    () => {
        "addi t0, sp, 144
         csrw sscratch, t0
         ld t0, 8(sp)
         ld t1, 16(sp)
         ld t2, 24(sp)
         ld t3, 32(sp)
         ld t4, 40(sp)
         ld t5, 48(sp)
         ld t6, 56(sp)
         ld a0, 64(sp)
         ld a1, 72(sp)
         ld a2, 80(sp)
         ld a3, 88(sp)
         ld a4, 96(sp)
         ld a5, 104(sp)
         ld a6, 112(sp)
         ld a7, 120(sp)
         ld sp, 128(sp)"
    };
}

/// Every trap.
#[unsafe(naked)]
pub(crate) extern "C" fn trap() {
    with_state!(
        ".p2align 2",
        // For the laboratory.
        ".globl \"taktos.point.interrupt\"",
        "\"taktos.point.interrupt\":",
        "csrrw sp, sscratch, sp",
        "beqz sp, 9f",
        "addi sp, sp, -144",
        "sd ra, 0(sp)",
        "sd t0, 8(sp)",
        "sd t1, 16(sp)",
        "sd t2, 24(sp)",
        "sd t3, 32(sp)",
        "sd t4, 40(sp)",
        "sd t5, 48(sp)",
        "sd t6, 56(sp)",
        "sd a0, 64(sp)",
        "sd a1, 72(sp)",
        "sd a2, 80(sp)",
        "sd a3, 88(sp)",
        "sd a4, 96(sp)",
        "sd a5, 104(sp)",
        "sd a6, 112(sp)",
        "sd a7, 120(sp)",
        "csrrw t0, sscratch, zero",
        "sd t0, 128(sp)",
        "csrr a0, scause",
        "bgez a0, 3f",
        // An interrupt. Handlers run with none enabled.
        "csrw sie, zero",
        "call {dispatch}",
        "li t0, {enabled}",
        "csrw sie, t0",
        branch_if_another!(),
        "ld ra, 0(sp)",
        end_reservation!("ra"),
        restore_behind_ra!(),
        "sret",
        "2:",
        restore!(),
        "j {preempt}",
        // An instruction of a thread. The first one that is illegal may be a use of the floating-point unit.
        "3:",
        "li t0, 2",
        "bne a0, t0, 4f",
        load_state_address!("t1"),
        concat!("ld t0, ", of_state!("{float_in_use}", "t1")),
        "bnez t0, 4f",
        "call {give_unit}",
        restore!(),
        "sret",
        "4:",
        restore!(),
        "j {fault_in_thread}",
        // A handler's instruction: the stack pointer is where it was.
        "9:",
        "csrrw sp, sscratch, sp",
        "j {fault_in_handler}",
        dispatch = sym dispatch,
        preempt = sym preempt,
        give_unit = sym give_unit,
        enabled = const ENABLED,
        float_in_use = const offset_of!(State, float_in_use),
        fault_in_thread = sym fault_in_thread,
        fault_in_handler = sym fault_in_handler,
    )
}

/// The bytes in which the registers of a fault are collected; the stack of its report begins there, downwards.
pub(crate) const COLLECTED: usize = (33 * 8usize).next_multiple_of(16);

/// Defines how the registers of a fault are collected; `sscratch` is not needed any more.
macro_rules! fault {
    ($name:ident, $in_handler:literal) => {
        #[unsafe(naked)]
        extern "C" fn $name() {
            on_fault_stack!(
                "csrw sscratch, t0",
                fault_stack!(),
                ".irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "sd x\\n, (\\n - 1) * 8(t0)",
                ".endr",
                "mv sp, t0",
                "csrr t1, sscratch",
                "sd t1, 4 * 8(sp)",
                "csrr t1, sepc",
                "sd t1, 31 * 8(sp)",
                "csrr t1, sstatus",
                "sd t1, 32 * 8(sp)",
                "mv a0, sp",
                "csrr a1, scause",
                "csrr a2, stval",
                concat!("li a3, ", $in_handler),
                "tail {report}",
                report = sym taktos_fault,
            )
        }
    };
}

fault!(fault_in_thread, 0);
fault!(fault_in_handler, 1);
