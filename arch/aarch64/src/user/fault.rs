//! Owns: faults of threads of partitions: the thread ends in the handler, and another one resumes.
//! Must never know: what a partition does about it.

use super::entry::leave;
use super::state::OFFSET;
use crate::fault::{FLOAT_TRAP, ODD_ADDRESS, ODD_STACK, UNKNOWN, cause_of};
use crate::processors::user::{branch_where_untold, keep_turn, restore_where_untold};
use crate::registers::{x2_to_x17, x18_to_x29};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_arch_common::report_user_fault;
use taktos_machine::{Cause, Context, FAULT_REGISTERS, Processor};

/// The classes of exceptions from EL0 (Arm ARM, `ESR_EL1.EC`), besides those that are alike from
/// EL1.
const SYSTEM_REGISTER: usize = 0x18;
const FETCH: usize = 0x20;
const DATA: usize = 0x24;
const ILLEGAL_STATE: usize = 0x0E;
const BREAKPOINT: usize = 0x3C;
const PC: usize = 32;

/// A thread of a partition has faulted. All registers are its own but x9, which is stored below the
/// handlers' stack pointer.
#[unsafe(naked)]
pub extern "C" fn fault() {
    naked_asm!(
        "ldr x9, [sp, #-16]",
        "sub sp, sp, #{size}",
        "stp x0, x1, [sp]",
        x2_to_x17!("stp", "sp, #"),
        x18_to_x29!("stp", "sp, #"),
        "mrs x0, sp_el0",
        "stp x30, x0, [sp, #240]",
        "mrs x0, elr_el1",
        "mrs x1, spsr_el1",
        "stp x0, x1, [sp, #256]",
        "mov x0, sp",
        "mrs x1, esr_el1",
        "mrs x2, far_el1",
        "bl {end}",
        // Others have decided that the thread is preempted, by an interrupt that comes first: then
        // it faults again.
        branch_where_untold!(),
        "add sp, sp, #{size}",
        "mrs x9, tpidr_el1",
        "ldr x1, [x9, #{current}]",
        "add x9, x1, #{state}",
        "msr spsel, #0",
        "mov sp, x9",
        // For a whole slice.
        "mov w23, #0",
        "b {leave}",
        restore_where_untold!(),
        size = const FAULT_REGISTERS * 8,
        end = sym end_thread,
        current = const offset_of!(Processor, current),
        state = const OFFSET,
        leave = sym leave,
    )
}

/// Reports the fault of the running thread to the kernel; returns the thread that resumes. On
/// several processors the lock is held then. Returns null and reports nothing if other processors
/// have decided that the thread is preempted.
extern "C" fn end_thread(
    registers: &[usize; FAULT_REGISTERS],
    syndrome: usize,
    address: usize,
) -> *const Context {
    if !keep_turn() {
        return core::ptr::null();
    }
    // SAFETY: called in the handler of the fault of the thread that runs.
    unsafe { report_user_fault(told(syndrome, address, registers[PC]), Some(registers)) }
}

/// The cause and the address. An access of a partition's thread to memory that is not its own is no
/// guard's matter, as the guard may be of a thread with privilege.
fn told(syndrome: usize, address: usize, pc: usize) -> (Cause, Option<usize>) {
    match syndrome >> 26 {
        FETCH => (cause_of(syndrome, Cause::InstructionAccess), Some(address)),
        ODD_ADDRESS => (Cause::InstructionAccess, Some(pc)),
        DATA => (cause_of(syndrome, Cause::DataAccess), Some(address)),
        ODD_STACK => (Cause::Arithmetic, None),
        UNKNOWN | FLOAT_TRAP | SYSTEM_REGISTER | ILLEGAL_STATE | BREAKPOINT => {
            (Cause::UndefinedInstruction, None)
        }
        _ => (Cause::Other, None),
    }
}
