//! Owns: the processor's counter of cycles (Arm's architecture manual, D24.5: PMCCNTR_EL0), and code whose cost tells it from a count of
//! instructions. Must never know: what is measured by it.

use core::arch::asm;
use core::cell::Cell;

/// The counter's name.
pub const COUNTER: &str = "pmccntr_el0";

/// Lets the counter run, from zero, at every exception level.
pub fn start() {
    // All counters on, that of cycles at zero and of 64 bits (PMCR_EL0.E, C and LC); that of cycles counts (PMCNTENSET_EL0.C).
    let (on, of_cycles) = (0b100_0101u64, 1u64 << 31);
    // SAFETY: nothing else uses the performance monitors.
    unsafe {
        asm!("msr pmccfiltr_el0, xzr", "msr pmcr_el0, {}", "msr pmcntenset_el0, {}", "isb", in(reg) on, in(reg) of_cycles, options(nostack, preserves_flags))
    };
}

/// The lower half of the counter, which wraps; after all instructions before it.
#[inline(always)]
pub fn read() -> u32 {
    let cycles: u64;
    // SAFETY: reads a register.
    unsafe {
        asm!("isb", "mrs {}, pmccntr_el0", out(reg) cycles, options(nostack, preserves_flags))
    };
    cycles as u32
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
