//! Owns: interrupts that come while a thread of a partition runs, and the path to another thread
//! after them. Must never know: which interrupt, why another thread resumes.

use super::entry::load_own;
use super::fault::fault;
use super::resume::resume_interrupted;
use super::state::{PC, REGISTERS, RESUME_AT};
use crate::interrupt::ENABLED;
use crate::processors::entry::dispatch;
use crate::processors::user::{
    branch_if_another, branch_where_untold, find_processor, resume_where_untold, with_processor,
};
use crate::switch::switch;
use core::mem::offset_of;
use taktos_machine::Processor;

/// A thread of a partition was interrupted, or has faulted: its state, of which t1 is the address,
/// has its registers but for the program counter. Handlers run with no interrupt enabled, and with
/// nothing in `sscratch`.
#[unsafe(naked)]
pub extern "C" fn interrupt_or_fault() {
    with_processor!(
        load_own!(),
        "csrr t0, sepc",
        "sd t0, {pc}(t1)",
        "la t0, {resume_interrupted}",
        "sd t0, {resume_at}(t1)",
        "csrw sscratch, zero",
        // Where the stack of handlers begins, and the state.
        "mv s2, sp",
        "mv s3, t1",
        "csrr a0, scause",
        "bgez a0, 4f",
        "csrw sie, zero",
        "call {dispatch}",
        "li t0, {enabled}",
        "csrw sie, t0",
        "csrw sscratch, s2",
        branch_if_another!(),
        "addi sp, s3, {registers}",
        "j {resume_interrupted}",
        // Another thread resumes, for a whole slice.
        "2:",
        "mv sp, s3",
        "j {switch}",
        // The thread ends, and another one resumes.
        "4:",
        "csrr a1, stval",
        "call {fault}",
        "csrw sscratch, s2",
        // Others have decided that the thread is preempted, by an interrupt that comes first: then
        // it faults again.
        branch_where_untold!(),
        "ld a1, {current}(tp)",
        "mv sp, s3",
        "j {switch}",
        resume_where_untold!(),
        pc = const REGISTERS + PC * 8,
        resume_interrupted = sym resume_interrupted,
        resume_at = const RESUME_AT,
        dispatch = sym dispatch,
        enabled = const ENABLED,
        current = const offset_of!(Processor, current),
        heir = const offset_of!(Processor, heir),
        registers = const REGISTERS,
        switch = sym switch,
        fault = sym fault,
    )
}
