//! Owns: interrupts whose handlers are in the table of vectors, and whose levels the processor's controller has.
//! Must never know: who asks for them.

use taktos::board::arch;

/// What the interface has for a handler; the table has it already.
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
