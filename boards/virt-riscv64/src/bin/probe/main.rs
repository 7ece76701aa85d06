//! The probe: is the clock consistent on several processors?
//!
//! Owns: a program that measures the emulator, not the kernel. 1, 2 and 4 processors count turns of
//! one loop for the same span of time: all counts must be equal. Halted processors wait for their
//! timers, and for another's interrupt: none may come late.
//! Must never know: the kernel, or the processor that counts.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod parts;

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
