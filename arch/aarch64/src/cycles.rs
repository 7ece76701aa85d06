//! Owns: the processor's counter of cycles (Arm's architecture manual, D24.5: PMCCNTR_EL0), and
//! code with a cost that distinguishes it from a count of instructions. Must never know: the code
//! that it measures.

use core::arch::asm;

/// The counter's name.
pub const COUNTER: &str = "pmccntr_el0";

/// Lets the counter run, from zero, at every exception level.
pub fn start() {
    // All counters on, that of cycles at zero and of 64 bits (PMCR_EL0.E, C and LC); that of cycles
    // counts (PMCNTENSET_EL0.C).
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

taktos_arch_common::define_loads!("ldr {at}, [{at}]");
