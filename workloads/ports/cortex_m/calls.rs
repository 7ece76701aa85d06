//! Owns: calls across which registers are to stay. Must never know: how they are filled and looked
//! at.

use super::registers::across_a_call;
use super::{doze, give_way, interrupts, nested};

/// The call yields.
#[unsafe(naked)]
pub extern "C" fn yield_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(give_way)
}

/// The call sleeps.
#[unsafe(naked)]
pub extern "C" fn doze_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(doze)
}

/// The call waits for a handler.
#[unsafe(naked)]
pub extern "C" fn wait_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(interrupts::wait)
}

/// The call makes every kind of entry into the kernel: with floating point that is a check of its
/// own.
#[cfg(not(target_has_atomic = "32"))]
#[unsafe(naked)]
pub extern "C" fn enter_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(crate::checks::entries::in_a_thread)
}

/// The call lets handlers come that nest.
#[unsafe(naked)]
pub extern "C" fn nest_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(nested::nest)
}
