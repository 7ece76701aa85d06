//! The kernel for C programs: the calls of CMSIS-RTOS2 (Arm, version 2.3), those of FreeRTOS that
//! programs use most, POSIX threads, and the kernel's own (`native`), over the kernel's public
//! interface.
//!
//! `taktos install` builds this for each board and puts the library, the headers and the linker
//! script into the places where a C project finds them (the book's page "C programs"). Objects come
//! from memory of the caller's, or from a heap with operations of a fixed number of steps (TLSF:
//! Masmano, Ripoll, Crespo, Real 2004); the kernel itself allocates nothing.
//!
//! Owns: the ids by which C programs name objects, and the standard's rules for each call. Must
//! never know: how the kernel does it.
#![cfg_attr(target_os = "none", no_std)]
#![expect(
    unsafe_code,
    reason = "C hands over addresses, and what is behind them is its word"
)]

/// Names that C and its library have for functions here; a program's own come first.
#[cfg(target_os = "none")]
macro_rules! names {
    ($($name:literal = $function:literal,)*) => {
        core::arch::global_asm!($(concat!(".weak ", $name), concat!(".set ", $name, ", ", $function),)*);
    };
}

pub mod cmsis;
pub mod freertos;
mod heap;
mod last;
pub mod native;
mod object;
mod os;
pub mod posix;
#[cfg_attr(target_os = "none", path = "start/mod.rs")]
#[cfg_attr(not(target_os = "none"), path = "start/host.rs")]
mod start;
mod turn;
