//! The test's work in instructions of Armv6-M, which has neither floating point nor interrupts
//! above the kernel.
//!
//! Owns: that work. Must never know: the checks around it.

pub mod float;
pub mod handlers;
pub mod registers;
