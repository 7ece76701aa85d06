//! Owns: where exceptions lead in programs with partitions, and what threads in user mode may do of
//! themselves. Must never know: what is done there.

use super::{entry, fault, interrupt};
use crate::board::Board;
use crate::switch::SYSTEM_MODE;
use core::arch::{asm, naked_asm};

/// Routes exceptions through the table with partitions, sets the stack of calls, and forbids user
/// mode all operations that concern others.
///
/// The floating-point unit is the privileged modes' alone, off or not (ARMv7-A manual, B4.1.40).
/// There are no counters of events in user mode. The word that user mode can only read says
/// nothing.
pub fn enable<B: Board>(stack: usize) {
    const UNIT_OF_PRIVILEGED: u32 = 0b0101 << 20;
    const SUPERVISOR_MODE: u32 = 0x13;
    // SAFETY: the registers are this port's own. Supervisor mode, which has no other use, is left
    // again before anything interrupts.
    unsafe {
        asm!(
            "mcr p15, 0, {table}, c12, c0, 0", // VBAR
            "mcr p15, 0, {unit}, c1, c0, 2",   // CPACR
            "mcr p15, 0, {zero}, c9, c14, 0",  // PMUSERENR
            "mcr p15, 0, {zero}, c13, c0, 3",  // TPIDRURO
            "mrs {kept}, cpsr",
            "cpsid i, #{supervisor}",
            "mov sp, {stack}",
            "cps #{system}",
            "msr cpsr_c, {kept}",
            "isb",
            table = in(reg) table::<B> as *const (),
            unit = in(reg) UNIT_OF_PRIVILEGED,
            zero = in(reg) 0,
            stack = in(reg) stack,
            kept = out(reg) _,
            supervisor = const SUPERVISOR_MODE,
            system = const SYSTEM_MODE,
            options(nostack),
        );
    }
    close_thumb_ee();
}

/// Forbids user mode the register of ThumbEE, if it exists (ARMv7-A manual, A2.10): it would carry
/// words between partitions.
fn close_thumb_ee() {
    let features: u32;
    // SAFETY: reads a register that says what the processor has (ID_PFR0).
    unsafe {
        asm!("mrc p15, 0, {}, c0, c1, 0", out(reg) features, options(nomem, nostack, preserves_flags));
    }
    if features >> 12 & 0xF == 0 {
        return;
    }
    // SAFETY: the processor has this register, and no other code writes it (TEECR.XED).
    unsafe {
        asm!("mcr p14, 6, {}, c0, c0, 0", "isb", in(reg) 1, options(nomem, nostack, preserves_flags));
    }
}

/// The vector table.
#[unsafe(naked)]
extern "C" fn table<B: Board>() {
    naked_asm!(
        ".p2align 5",
        "b _start",
        "b {undefined}",
        "b {call}",
        "b {prefetch}",
        "b {data}",
        "b .",
        "b {interrupt}",
        // The program's own.
        "b _asm_fiq_handler",
        undefined = sym fault::undefined,
        call = sym entry::call,
        prefetch = sym fault::prefetch,
        data = sym fault::data,
        interrupt = sym interrupt::interrupt::<B>,
    )
}
