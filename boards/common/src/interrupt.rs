//! The interrupt that programs may pend themselves; its handler is the program's
//! `taktos_spare_interrupt`.
//!
//! [`board!`](crate::board) makes these functions those of the board.

use crate::{MachineOf, arch};

/// An interrupt that software sends to its own processor.
const SPARE: u32 = 1;

unsafe extern "C" {
    /// The program's handler; an empty one if the program has none (see `memory.x`).
    fn taktos_spare_interrupt();
}

fn spare() {
    // SAFETY: the program's handler, which keeps to the rules for handlers.
    unsafe { taktos_spare_interrupt() }
}

/// Enables the interrupt, at the kernel's level.
pub fn enable<P: arch::Board>() {
    MachineOf::<P>::set_handler(SPARE, spare);
}

/// Makes the interrupt pending, on the processor that runs the caller.
#[inline(always)]
pub fn pend<P: arch::Board>() {
    MachineOf::<P>::pend_interrupt(SPARE);
}
