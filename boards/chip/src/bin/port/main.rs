//! Tests the port on any chip: switches between all kinds of frames, with floating-point state if
//! the processor has it; time slices, alarms, interrupts. Ends with status 0, or with 1 and the
//! name of the check that failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../../../../../workloads/ports/cortex_m/mod.rs"]
mod checks;
#[cfg(target_os = "none")]
mod limits;
#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "a handler is found by its symbol")]
#[path = "../../../../../workloads/ports/cortex_m/no_storm.rs"]
mod storm;
#[cfg(target_os = "none")]
use {
    chip as board,
    limits::{INTERRUPTS, LATE, SLICES_ARE_COUNTED, SWITCH},
};

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
