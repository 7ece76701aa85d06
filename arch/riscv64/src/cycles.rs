//! Owns: the processor's counter of cycles (the unprivileged manual, "Zicntr": `cycle`), and code
//! with a cost that distinguishes it from a count of instructions. Must never know: the code that
//! it measures.

/// The counter's name.
pub const COUNTER: &str = "cycle";

/// The counter runs from reset on; the steps from machine mode let supervisor mode read it.
pub fn start() {}

/// The lower half of the counter, which wraps.
#[inline(always)]
pub fn read() -> u32 {
    riscv::register::cycle::read() as u32
}

taktos_arch_common::define_loads!("ld {at}, 0({at})");
