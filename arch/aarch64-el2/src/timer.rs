//! Owns: the counter as the clock, and the hypervisor's timer (CNTHP). Must never know: who is to be woken.
//!
//! Registers: Arm ARM (DDI 0487), chapter D12. The counter is read without a barrier: an exit is one, so a time is never
//! from before the exit that asks for it.

use aarch64_cpu::registers::{CNTFRQ_EL0, CNTHP_CTL_EL2, CNTPCT_EL0, Readable, Writeable};
use core::arch::asm;
use core::cell::Cell;
use taktos_time::Instant;

const SECOND: u64 = 1_000_000_000;

/// The counter's rate, as factors in fixed point: no division when time is told.
struct Rate {
    /// Nanoseconds a tick, times 2³².
    nanos: Cell<u64>,
    /// Ticks a nanosecond, times 2⁶³, rounded up; the counter is slower than 1 GHz.
    ticks: Cell<u64>,
}

// SAFETY: written once, by the first processor, before the others start.
unsafe impl Sync for Rate {}

static RATE: Rate = Rate {
    nanos: Cell::new(0),
    ticks: Cell::new(0),
};

/// Reads the counter's rate. Called once.
pub(crate) fn find_rate() {
    let hertz = CNTFRQ_EL0.get();
    RATE.nanos.set((SECOND << 32) / hertz);
    // In two steps of a long division, each in 64 bits.
    let (high, rest) = ((hertz << 33) / SECOND, (hertz << 33) % SECOND);
    RATE.ticks.set((high << 30) + (rest << 30).div_ceil(SECOND));
}

/// The counter.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    CNTPCT_EL0.get()
}

/// When the counter shows `ticks`: it began with the machine.
#[inline(always)]
pub(crate) fn instant(ticks: u64) -> Instant {
    Instant::from_nanos(((u128::from(ticks) * u128::from(RATE.nanos.get())) >> 32) as u64)
}

/// The first tick that is not before `at`; where a tick is a whole number of nanoseconds, the very one.
#[inline(always)]
fn tick_of(at: Instant) -> u64 {
    const ROUND_UP: u128 = (1 << 63) - 1;
    ((u128::from(at.as_nanos()) * u128::from(RATE.ticks.get()) + ROUND_UP) >> 63) as u64
}

/// Sets this processor's timer, or stops it.
#[inline(always)]
pub(crate) fn set_alarm(at: Option<Instant>) {
    match at {
        Some(at) => {
            // SAFETY: this processor's timer of EL2, which nothing else uses.
            unsafe {
                asm!("msr cnthp_cval_el2, {}", in(reg) tick_of(at), options(nostack, preserves_flags));
            }
            CNTHP_CTL_EL2.write(CNTHP_CTL_EL2::ENABLE::SET);
        }
        None => CNTHP_CTL_EL2.write(CNTHP_CTL_EL2::ENABLE::CLEAR),
    }
}
