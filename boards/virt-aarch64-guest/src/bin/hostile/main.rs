//! A guest that attacks; the boot arguments say how.
//!
//! Owns: a program without a kernel that does to its machine what no guest should.
//! Must never know: that there is a hypervisor, or what it does about it.
//!
//! Words: `attack=` one of those that a refusal names, or `all`, which is each in turn (busy); `for-ms=` how long each lasts (100); `until-ms=` when all is
//! over, by the machine's counter (1000; 0: never); `seed=` what chance begins with (1); `after=off|reset|stay` what comes then (off).
//! Whose turn it is depends on the counter alone, so that a guest that is started again goes on where it was.
//! At the end it prints `@hostile attack= attempts= exceptions= interrupts=`, counted since its last start. Where an answer is not the
//! architecture's, it prints `@wrong` and what was wrong.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "vectors, registers, and all that is forbidden")
)]

#[cfg(target_os = "none")]
mod attacks;
#[cfg(target_os = "none")]
mod chance;
#[cfg(target_os = "none")]
mod controller;
#[cfg(target_os = "none")]
mod plan;
#[cfg(target_os = "none")]
mod processor;
#[cfg(target_os = "none")]
mod target;
#[cfg(target_os = "none")]
mod touch;
#[cfg(target_os = "none")]
mod translation;
#[cfg(target_os = "none")]
mod user;
#[cfg(target_os = "none")]
mod vectors;

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
