//! Owns: the machine's clock. Must never know: when the kernel's began.

use core::arch::asm;
use taktos_kernel::Instant;

const SECOND: u128 = 1_000_000_000;

/// What the counter shows, which began with the machine.
pub fn now() -> Instant {
    let (ticks, hertz): (u64, u64);
    // SAFETY: reads two registers, the first when what comes before is done.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", "mrs {}, cntfrq_el0", out(reg) ticks, out(reg) hertz, options(nomem, nostack));
    }
    Instant::from_nanos((u128::from(ticks) * SECOND / u128::from(hertz)) as u64)
}
