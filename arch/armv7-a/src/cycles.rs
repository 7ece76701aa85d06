//! Owns: the processor's counter of cycles (Armv7-A manual, C12: PMCCNTR), and code whose cost tells it from a count of instructions.
//! Must never know: what is measured by it.

use core::arch::asm;
use core::cell::Cell;

/// The counter's name.
pub const COUNTER: &str = "pmccntr";

/// Lets the counter run, from zero.
pub fn start() {
    // All counters on, that of cycles at zero (PMCR.E and C); that of cycles counts (PMCNTENSET.C).
    let (on, of_cycles) = (0b101, 1u32 << 31);
    // SAFETY: nothing else uses the performance monitors.
    unsafe {
        asm!("mcr p15, 0, {}, c9, c12, 0", "mcr p15, 0, {}, c9, c12, 1", in(reg) on, in(reg) of_cycles, options(nostack, preserves_flags))
    };
}

/// The counter; it wraps.
#[inline(always)]
pub fn read() -> u32 {
    let cycles;
    // SAFETY: reads a register.
    unsafe {
        asm!("mrc p15, 0, {}, c9, c13, 0", out(reg) cycles, options(nostack, preserves_flags))
    };
    cycles
}

/// 256 loads, each from where the one before it says.
pub fn loads() {
    let cell = Cell::new(0);
    cell.set(cell.as_ptr().addr());
    // SAFETY: the word holds its own address, so each load reads it.
    unsafe {
        asm!(".rept 256", "ldr {at}, [{at}]", ".endr", at = inout(reg) cell.as_ptr() => _, options(nostack, preserves_flags))
    };
}
