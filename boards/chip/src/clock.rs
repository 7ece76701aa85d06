//! Owns: the beginning of time, at the rate that the program has set.
//! Must never know: how it sets it.

#![expect(unsafe_code, reason = "a function of the program")]

use crate::console;
use taktos_arch_cortex_m::{has_guards, start_system_timer};

pub(crate) use taktos_arch_cortex_m::SystemTimer as BoardClock;

unsafe extern "Rust" {
    /// The program's function that sets the processor's clock and returns its rate in hertz
    /// (`#[taktos::main(MAIN, clock = function)]`).
    safe fn taktos_chip_clock() -> u32;
}

/// Starts the console, and time at the rate that the program sets. Panics if the rate is none from
/// 32,768 Hz to 1 GHz.
pub(crate) fn start() {
    console::start();
    start_system_timer(taktos_chip_clock());
    if !has_guards() {
        console::write("guards: none\n");
    }
}
