//! Tests the port on a board with no timer but the processor's own: switches between all kinds of
//! frames, with floating-point state if the processor has it; time slices, alarms, interrupts. Ends
//! with status 0, or with 1 and the name of the check that failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../../../../workloads/ports/cortex_m/mod.rs"]
mod checks;
#[cfg(all(target_os = "none", target_has_atomic = "32"))]
#[expect(unsafe_code, reason = "a handler is found by its symbol")]
#[path = "../../../../workloads/ports/cortex_m/no_storm.rs"]
mod storm;
// Armv6-M alone does not exchange words: the machine is the emulator's one with a Cortex-M0.
#[cfg(all(target_os = "none", not(target_has_atomic = "32")))]
#[expect(unsafe_code, reason = "registers of a timer")]
#[path = "../../../../workloads/ports/cortex_m/nrf51_timer.rs"]
mod storm;
#[cfg(target_os = "none")]
use board::port::{LATE, SWITCH};

#[cfg(target_os = "none")]
include!(concat!(env!("OUT_DIR"), "/board.rs"));

/// Number of interrupts of the board.
#[cfg(all(target_os = "none", target_has_atomic = "32"))]
const INTERRUPTS: usize = board::INTERRUPTS as usize;
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
#[cfg(target_os = "none")]
const SLICES_ARE_COUNTED: bool = false;

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
