//! Owns: the way from machine mode, in which the processor starts, to supervisor mode, in which
//! everything runs.
//!
//! Registers: RISC-V privileged architecture, version 1.13, chapters 3 and 12; Sstc, version 1.0.

use core::arch::asm;

/// Continues in supervisor mode after this call: all traps are delegated, the whole memory is
/// allowed, the timer and the counters are the supervisor's. Called once, in machine mode, by the
/// board's start, on the first processor; before anything of the machine's is used.
#[inline(always)]
pub fn enter_supervisor_mode() {
    crate::processors::adopt_first();
    leave_machine_mode();
}

/// Does so on any processor.
pub(crate) fn leave_machine_mode() {
    const ALL_EXCEPTIONS: usize = 0xFFFF;
    /// Software, timer and external interrupts of the supervisor.
    const INTERRUPTS: usize = 0x222;
    const ALL_COUNTERS: usize = 7;
    /// A region of all addresses that may be read, written and executed.
    const EVERYTHING: usize = 0x1F;
    crate::clint::give_to_supervisor();
    // SAFETY: machine mode; what is delegated is handled by the vectors that the machine's start
    // sets. The stack pointer and all other registers are kept.
    unsafe {
        asm!(
            "csrw medeleg, {exceptions}",
            "csrw mideleg, {interrupts}",
            "csrw mcounteren, {counters}",
            "csrw pmpaddr0, {all_ones}",
            "csrw pmpcfg0, {everything}",
            // The previous mode is the supervisor's.
            "li {scratch}, 0x1800",
            "csrc mstatus, {scratch}",
            "li {scratch}, 0x0800",
            "csrs mstatus, {scratch}",
            "csrw satp, zero",
            "la {scratch}, 2f",
            "csrw mepc, {scratch}",
            "mret",
            "2:",
            exceptions = in(reg) ALL_EXCEPTIONS,
            interrupts = in(reg) INTERRUPTS,
            counters = in(reg) ALL_COUNTERS,
            all_ones = in(reg) usize::MAX,
            everything = in(reg) EVERYTHING,
            scratch = out(reg) _,
        );
    }
}
