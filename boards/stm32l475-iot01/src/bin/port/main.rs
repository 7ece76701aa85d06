//! The test of this board's port: switches between all kinds of frames, with and without floating-point
//! state; time slices, alarms, interrupts. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../../../../mps2-an386/src/bin/port/checks/mod.rs"]
mod checks;
#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "a handler is found by its symbol")]
mod storm;
#[cfg(target_os = "none")]
use stm32l475_iot01 as board;

/// How many interrupts the board has.
#[cfg(target_os = "none")]
const INTERRUPTS: usize = 82;
/// What a switch at the end of a slice takes at most, at one instruction a nanosecond, with the time until
/// a thread looks at the clock: the timer's interrupt finds out what is due, and sets what is next.
#[cfg(target_os = "none")]
const SWITCH: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(750);
/// How much later than it is due a slice may end: the timer is not set to less than 32 ticks.
#[cfg(target_os = "none")]
const LATE: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(400);
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
#[cfg(target_os = "none")]
const SLICES_ARE_COUNTED: bool = false;

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p stm32l475-iot01 --release --target thumbv7em-none-eabi"
    );
}
