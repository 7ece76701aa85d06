//! Owns: interrupts of programs with partitions: also while a thread of a partition runs, and the
//! path to another thread after them. Must never know: which interrupt, why another thread resumes.

use super::entry::{keep_own, leave};
use super::resume::resume_interrupted;
use super::state::{OFFSET, R12, REGISTERS, RESUME_AT, STACK, STORED, WORD};
use crate::TAKTOS_PROCESSOR;
use crate::board::Board;
use crate::interrupt::dispatch;
use crate::serve_interrupt;
use crate::switch::{SYSTEM_MODE, preempt};
use core::arch::naked_asm;

/// An interrupt, in its mode.
#[unsafe(naked)]
pub extern "C" fn interrupt<B: Board>() {
    naked_asm!(
        serve_interrupt!(),
        "mrs r2, spsr",
        "bne 2f",
        "1:",
        "pop {{r0-r3, r12, lr}}",
        "movs pc, lr",
        "2:",
        "tst r2, #{privileged}",
        "beq 3f",
        "pop {{r0-r3, r12, lr}}",
        "b {preempt}",
        // The words on this stack go to the thread's state: r0 to r3, r12, the program counter.
        "3:",
        "add r12, r0, #{state} + {registers}",
        "pop {{r2, r3}}",
        "strd r2, r3, [r12]",
        "pop {{r2, r3}}",
        "strd r2, r3, [r12, #8]",
        "pop {{r2, r3}}",
        "str r2, [r12, #{r12} - {registers}]",
        "sub r12, r12, #{registers} - {word}",
        keep_own!(),
        // r0 resumes, r1 is switched out.
        "mov r2, r0",
        "mov r0, r1",
        "mov r1, r2",
        "b {leave}",
        dispatch = sym dispatch::<B>,
        processor = sym TAKTOS_PROCESSOR,
        privileged = const PRIVILEGED,
        preempt = sym preempt,
        state = const OFFSET,
        registers = const REGISTERS,
        r12 = const R12,
        word = const WORD,
        stack = const STACK,
        stored = const STORED,
        resume = sym resume_interrupted,
        resume_at = const RESUME_AT,
        system_mode = const SYSTEM_MODE,
        leave = sym leave,
    )
}

/// The bits of a status that are zero in user mode alone.
pub const PRIVILEGED: u32 = 0xF;
