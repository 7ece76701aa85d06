//! Owns: where exceptions lead in programs with partitions, and what threads at EL0 may do of
//! themselves. Must never know: what is done there.

use super::interrupt::handler_fault;
use crate::vectors::{fault, interrupt, thread_fault};
use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{CNTKCTL_EL1, Readable, SCTLR_EL1, VBAR_EL1, Writeable};
use core::arch::{asm, naked_asm};

/// Routes exceptions through the table with partitions, and forbids EL0 all operations that concern
/// others.
pub fn enable() {
    // Neither masks nor the upkeep of caches; waiting for an interrupt is the thread's own time.
    const CLOSED: u64 = UPKEEP | CACHE_TYPE | MASKS;
    const UPKEEP: u64 = 1 << 26;
    const CACHE_TYPE: u64 = 1 << 15;
    const MASKS: u64 = 1 << 9;
    // The kernel reads and writes what is the partition's; a stack pointer at EL0 is a multiple of
    // sixteen.
    const OPEN: u64 = KEEP_ACCESS | WAITS | ZERO | ALIGNED_STACK;
    const KEEP_ACCESS: u64 = 1 << 23;
    const WAITS: u64 = 1 << 18 | 1 << 16;
    const ZERO: u64 = 1 << 14;
    const ALIGNED_STACK: u64 = 1 << 4;
    SCTLR_EL1.set(SCTLR_EL1.get() & !CLOSED | OPEN);
    // Neither the time nor timers.
    CNTKCTL_EL1.set(0);
    // SAFETY: no counters of events, no channel to a debugger at EL0 (Arm ARM, D19); both registers
    // are this port's own.
    unsafe {
        asm!(
            "msr pmuserenr_el0, xzr",
            "mrs {debug}, mdscr_el1",
            "orr {debug}, {debug}, #{channel}",
            "msr mdscr_el1, {debug}",
            debug = out(reg) _,
            channel = const 1 << 12,
            options(nomem, nostack, preserves_flags),
        );
    }
    VBAR_EL1.set(table as *const () as u64);
    barrier::isb(barrier::SY);
}

/// The vector table: from EL1 it is that of any program, but for faults in handlers; threads at EL0
/// come by the third group.
#[unsafe(naked)]
extern "C" fn table() {
    naked_asm!(
        ".p2align 11",
        "b {thread_fault}",
        ".p2align 7",
        "b {interrupt}",
        ".rept 2",
        ".p2align 7",
        "b {fault}",
        ".endr",
        ".p2align 7",
        "b {handler_fault}",
        ".rept 3",
        ".p2align 7",
        "b {fault}",
        ".endr",
        ".p2align 7",
        "b {call}",
        ".p2align 7",
        "b {user_interrupt}",
        ".rept 6",
        ".p2align 7",
        "b {fault}",
        ".endr",
        thread_fault = sym thread_fault,
        interrupt = sym interrupt,
        fault = sym fault,
        handler_fault = sym handler_fault,
        call = sym super::entry::call,
        user_interrupt = sym super::interrupt::interrupt,
    )
}
