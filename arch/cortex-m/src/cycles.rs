//! Owns: the processor's counter of cycles (Armv7-M manual, C1.8: the trace unit's CYCCNT), and
//! code with a cost that distinguishes it from a count of instructions. Must never know: the code
//! that it measures.

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

taktos_arch_common::define_loads!("ldr {at}, [{at}]");
