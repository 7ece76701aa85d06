//! Owns: interrupts above the kernel's level, for boards of which no timer but the processor's own
//! is emulated: there is no stress test by them.

use crate::checks::Timer;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// None that can be relied on.
pub const TIMER: Option<Timer> = None;

static CAME: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn taktos_urgent_interrupt() {
    CAME.fetch_add(1, Relaxed);
}

/// How often the handler came.
pub fn count() -> u32 {
    CAME.load(Relaxed)
}
