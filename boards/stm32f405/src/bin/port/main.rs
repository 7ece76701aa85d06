//! Tests this board's port: switches between all kinds of frames, with and without floating-point
//! state; time slices, alarms, interrupts. Ends with status 0, or with 1 and the name of the check
//! that failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../../../../../workloads/ports/cortex_m/mod.rs"]
mod checks;
#[cfg(target_os = "none")]
#[path = "../../../../stm32l475-iot01/src/bin/port/limits.rs"]
mod limits;
#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "a handler is found by its symbol")]
#[path = "../../../../../workloads/ports/cortex_m/no_storm.rs"]
mod storm;
#[cfg(target_os = "none")]
use {
    limits::{INTERRUPTS, LATE, SLICES_ARE_COUNTED, SWITCH},
    stm32f405 as board,
};

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
