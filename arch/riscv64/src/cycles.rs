//! Owns: the processor's counter of cycles (the unprivileged manual, "Zicntr": `cycle`), and code whose cost tells it from a count of
//! instructions. Must never know: what is measured by it.

use core::arch::asm;
use core::cell::Cell;

/// The counter's name.
pub const COUNTER: &str = "cycle";

/// The counter runs from reset on; the steps from machine mode let supervisor mode read it.
pub fn start() {}

/// The lower half of the counter, which wraps.
#[inline(always)]
pub fn read() -> u32 {
    riscv::register::cycle::read() as u32
}

/// 256 loads, each from where the one before it says.
pub fn loads() {
    let cell = Cell::new(0);
    cell.set(cell.as_ptr().addr());
    // SAFETY: the word holds its own address, so each load reads it.
    unsafe {
        asm!(".rept 256", "ld {at}, 0({at})", ".endr", at = inout(reg) cell.as_ptr() => _, options(nostack, preserves_flags))
    };
}
