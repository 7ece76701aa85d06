//! Owns: where traps lead. Must never know: what is done there.

use crate::float::give_unit;
use crate::interrupt::ENABLED;
use crate::pieces::{load_state_address, of_state, with_state};
use crate::processors::entry::{branch_if_another, dispatch, fault_stack, on_fault_stack};
use crate::registers::t0_to_a7;
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

/// Restores what a call does not preserve, from the handlers' stack; the interrupted stack pointer
/// last. `sscratch` is again the top.
macro_rules! restore {
    () => {
        concat!("ld ra, 0(sp)\n", restore_behind_ra!())
    };
}

/// Restores the same except the first of them, which is loaded already.
macro_rules! restore_behind_ra {
    () => {
        concat!(
            "addi t0, sp, 144
             csrw sscratch, t0\n",
            t0_to_a7!("ld", 8),
            "ld sp, 128(sp)"
        )
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
        t0_to_a7!("sd", 8),
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
        // An instruction of a thread. The first one that is illegal may be a use of the
        // floating-point unit.
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

/// The bytes in which the registers of a fault are collected; the stack of its report begins there,
/// downwards.
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
