//! Owns: the counter as the clock, and the hypervisor's timer (CNTHP). Must never know: the VCPU to
//! wake.
//!
//! Registers: Arm ARM (DDI 0487), chapter D12. The counter is read without a barrier: an exit is
//! one, so a time is never from before the exit that reads it.

use crate::fault::fail;
use aarch64_cpu::registers::{CNTFRQ_EL0, CNTHP_CTL_EL2, CNTPCT_EL0, Readable, Writeable};
use core::arch::asm;
use core::cell::Cell;
use taktos_hypervisor::rate::Rate;
use taktos_time::Instant;

/// The counter's rate.
struct Kept(Cell<Rate>);

// SAFETY: written once, by the first processor, before the others start.
unsafe impl Sync for Kept {}

static RATE: Kept = Kept(Cell::new(Rate::UNKNOWN));

/// Reads the counter's rate. Called once.
pub(crate) fn find_rate() {
    match Rate::of(CNTFRQ_EL0.get()) {
        Some(rate) => RATE.0.set(rate),
        None => fail("the counter's rate (CNTFRQ_EL0) is not 1 Hz to 1 GHz"),
    }
}

/// The counter.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    CNTPCT_EL0.get()
}

/// When the counter shows `ticks`: it began with the machine.
#[inline(always)]
pub(crate) fn instant(ticks: u64) -> Instant {
    RATE.0.get().instant(ticks)
}

/// Sets this processor's timer, or stops it.
#[inline(always)]
pub(crate) fn set_alarm(at: Option<Instant>) {
    match at {
        Some(at) => {
            // SAFETY: this processor's timer of EL2, which nothing else uses.
            unsafe {
                asm!("msr cnthp_cval_el2, {}", in(reg) RATE.0.get().tick_of(at), options(nostack, preserves_flags));
            }
            CNTHP_CTL_EL2.write(CNTHP_CTL_EL2::ENABLE::SET);
        }
        None => CNTHP_CTL_EL2.write(CNTHP_CTL_EL2::ENABLE::CLEAR),
    }
}
