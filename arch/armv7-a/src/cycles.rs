//! Owns: the processor's counter of cycles (Armv7-A manual, C12: PMCCNTR), and code with a cost
//! that distinguishes it from a count of instructions. Must never know: the code that it measures.

use core::arch::asm;

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

taktos_arch_common::define_loads!("ldr {at}, [{at}]");
