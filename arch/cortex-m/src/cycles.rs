//! Owns: the processor's counter of cycles (Armv7-M manual, C1.8: the trace unit's CYCCNT), and code whose cost tells it from a count of
//! instructions. Must never know: what is measured by it.

use core::arch::asm;
use core::cell::Cell;
use cortex_m::Peripherals;
use cortex_m::peripheral::DWT;

/// The counter's name.
pub const COUNTER: &str = "dwt-cyccnt";

/// Lets the counter run, from any value.
pub fn start() {
    // SAFETY: the registers of the trace unit are written in these calls alone.
    let mut peripherals = unsafe { Peripherals::steal() };
    peripherals.DCB.enable_trace();
    DWT::unlock();
    peripherals.DWT.enable_cycle_counter();
}

/// The counter; it wraps.
#[inline(always)]
pub fn read() -> u32 {
    DWT::cycle_count()
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
