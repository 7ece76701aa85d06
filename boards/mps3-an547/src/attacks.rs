//! Owns: the addresses of this board's devices that attacks use, which are their secure addresses
//! (SSE-300, 101773; AN547, DAI 0547); the attacks that exist for Armv8-M only.
//! Must never know: the other attacks.

use crate::Board;
use core::arch::asm;
use taktos_machine::Cause::{DataAccess, InstructionAccess, StackOverflow, UndefinedInstruction};
use taktos_workloads::user_mode::attack::ExpectedFault::{Fault, FaultAt};
use taktos_workloads::user_mode::attack::outside::{kernel, look, own};
use taktos_workloads::user_mode::attack::{Attack, AttackBoard};

impl AttackBoard for Board {
    /// The subsystem's timer 1.
    const DEVICE: usize = 0x5800_1000;
    /// The second serial port.
    const CONSOLE: usize = 0x5930_4000;
    /// The subsystem's timer 0.
    const SYSTEM: usize = 0x5800_0000;
    const GUARDS_EACH_STACK: bool = true;
    const MORE: &'static [Attack] = &[
        ("lift the stack's limit", lift_limit, Fault(StackOverflow)),
        (
            "lift all limits",
            lift_all_limits,
            FaultAt(DataAccess, kernel::<Board>),
        ),
        (
            "go over to the other security state",
            || leave_state(own() + 1024),
            Fault(InstructionAccess),
        ),
        (
            "go over with the stack at the end of all",
            || leave_state(0xFFFF_FF00),
            Fault(InstructionAccess),
        ),
        // The processor takes data from the thread's stack that is no frame of such a function.
        (
            "return as functions of the other state do",
            return_from_other_state,
            Fault(UndefinedInstruction),
        ),
    ];
}

/// Moves the stack pointer below the stack's limit and back, after the instruction that would
/// remove the limit.
fn lift_limit() {
    // SAFETY: faults.
    unsafe {
        asm!(
            "mov {kept}, sp",
            "msr psplim, {none}",
            "mov sp, {below}",
            "mov sp, {kept}",
            kept = out(reg) _,
            none = in(reg) 0,
            below = in(reg) own() - 8,
        );
    }
}

/// Writes limits that the processor ignores, so the kernel's memory stays closed.
fn lift_all_limits() {
    // SAFETY: changes nothing.
    unsafe { asm!("msr psplim, {}", "msr msplim, {}", in(reg) 0, in(reg) 0xFF) };
    look(kernel::<Board>());
}

/// Goes over to the non-secure state, in which nothing can be executed, with the stack pointer at
/// `place`.
fn leave_state(place: usize) {
    let code = lift_limit as fn() as usize & !3;
    // SAFETY: faults.
    unsafe { asm!("mov sp, {}", "bxns {}", in(reg) place, in(reg) code, options(noreturn)) }
}

fn return_from_other_state() {
    // SAFETY: faults.
    unsafe { asm!("bx {}", in(reg) 0xFEFF_FFFF_u32, options(noreturn)) }
}
