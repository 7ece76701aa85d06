//! Owns: interrupts with handlers that are registered with the machine.
//! Must never know: the callers that request them.

use taktos::System;
use taktos::board::Board;

type Cpu = <Board as System>::Machine;

/// Function of the interface that is a handler.
pub type Handler = extern "C" fn();

/// They are at the kernel's level.
pub fn prepare() {}

/// Lets the interrupt `number` reach `handler`.
pub fn enable(number: u32, handler: Handler) {
    // SAFETY: on these processors a Rust function is called as C's are, where it takes nothing and
    // gives nothing back.
    let handler = unsafe { core::mem::transmute::<Handler, fn()>(handler) };
    Cpu::set_handler(number, handler);
}

/// Keeps it back.
pub fn disable(number: u32) {
    Cpu::disable_interrupt(number);
}

/// Makes it pending.
pub fn pend(number: u32) {
    Cpu::pend_interrupt(number);
}
