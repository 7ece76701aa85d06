//! A guest that attacks; the boot arguments select the attack.
//!
//! Owns: a program without a kernel that does to its machine what no guest should.
//! Must never know: the existence of a hypervisor, or its reaction.
//!
//! Words: `attack=` one of those that a refusal names, or `all`, which is each in turn (busy);
//! `for-ms=` the length of each (100); `until-ms=` the end of all, by the machine's counter (1000;
//! 0: never); `seed=` the seed of random decisions (1); `after=off|reset|stay` the action at the
//! end (off). The attack of a turn depends on the counter alone, so that a guest that is started
//! again continues where it was. If an answer is not the architecture's, it prints `@wrong` and the
//! error. At the end it prints, counted since its last start,
//! `@hostile attack= attempts= exceptions= interrupts=`.
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
