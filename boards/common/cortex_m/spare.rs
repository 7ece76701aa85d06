//! Owns: the interrupts that programs may pend themselves.
//! Must never know: which board, whose module `vectors` says which they are.

use crate::vectors::{SPARE, URGENT};
use taktos_arch_cortex_m::{Level, enable_interrupt, pend_interrupt};

/// The interrupt that programs may pend themselves; its handler is the program's
/// `taktos_spare_interrupt`.
pub mod interrupt {
    use super::{Level, SPARE, enable_interrupt, pend_interrupt};

    /// Lets it reach its handler, at the kernel's level.
    pub fn enable() {
        enable_interrupt(SPARE, Level::Kernel);
    }

    /// Makes it pending.
    #[inline(always)]
    pub fn pend() {
        pend_interrupt(SPARE);
    }
}

unsafe extern "C" {
    /// A program's own; the default handler where it has none (see `device.x`).
    fn taktos_urgent_interrupt();
}

taktos_arch_cortex_m::above!(
    #[unsafe(no_mangle)]
    taktos_urgent_vector,
    taktos_urgent_interrupt
);

/// The interrupt above the kernel's level, which the kernel never delays and whose handler, the program's
/// `taktos_urgent_interrupt`, must not call the kernel. The board says which it is, and leaves its device to the program.
pub mod urgent_interrupt {
    use super::{Level, URGENT, enable_interrupt, pend_interrupt};

    /// Lets it reach its handler, at `level`: 0 (the most urgent) to 0x7F.
    pub fn enable(level: u8) {
        enable_interrupt(URGENT, Level::Above(level));
    }

    /// Makes it pending.
    #[inline(always)]
    pub fn pend() {
        pend_interrupt(URGENT);
    }
}
