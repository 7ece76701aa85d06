//! The interrupt that programs may pend themselves; its handler is the program's `taktos_spare_interrupt`.

use crate::Machine;

/// An interrupt that software sends to its own processor.
const SPARE: u32 = 1;

unsafe extern "C" {
    /// A program's own; one that does nothing where it has none (see `memory.x`).
    fn taktos_spare_interrupt();
}

fn spare() {
    // SAFETY: the program's handler, which keeps to the rules for handlers.
    unsafe { taktos_spare_interrupt() }
}

/// Lets it reach its handler, at the kernel's level.
pub fn enable() {
    Machine::set_handler(SPARE, spare);
}

/// Makes it pending, on the processor that runs the caller.
#[cfg_attr(not(feature = "smp"), inline(always))]
pub fn pend() {
    Machine::pend_interrupt(SPARE);
}
