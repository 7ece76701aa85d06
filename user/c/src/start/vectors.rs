//! Owns: interrupts with handlers in the table of vectors and with levels in the processor's
//! controller. Must never know: the callers that request them.

use taktos::board::arch;

/// Function of the interface that is a handler; the table has it already.
pub type Handler = extern "C" fn();

/// Puts every interrupt that is above the kernel, as all are after a reset, at its level.
pub fn prepare() {
    arch::bring_to_kernel_level();
}

/// Lets the interrupt `number` through, at the kernel's level.
pub fn enable(number: u32, _: Handler) {
    arch::enable_interrupt(number as u16, arch::Level::Kernel);
}

/// Keeps it back.
pub fn disable(number: u32) {
    arch::disable_interrupt(number as u16);
}

/// Makes it pending.
pub fn pend(number: u32) {
    arch::pend_interrupt(number as u16);
}
