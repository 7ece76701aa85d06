//! Owns: the machine's clock. Must never know: the beginning of the kernel's clock.

use core::arch::asm;
use taktos_kernel::Instant;

const SECOND: u64 = 1_000_000_000;

/// Returns the time of the counter, which began with the machine.
pub fn now() -> Instant {
    let (ticks, hertz): (u64, u64);
    // SAFETY: reads two registers, the first one after all earlier instructions are done.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", "mrs {}, cntfrq_el0", out(reg) ticks, out(reg) hertz, options(nomem, nostack));
    }
    let tick = SECOND / hertz;
    let nanos = match tick * hertz == SECOND {
        // A tick is whole nanoseconds: no division of 128 bits, which the softfloat target has as a
        // call.
        true => ticks.wrapping_mul(tick),
        false => (u128::from(ticks) * u128::from(SECOND) / u128::from(hertz)) as u64,
    };
    Instant::from_nanos(nanos)
}
