//! Consoles: serial lines that several boards have, and that of a debugger.
//!
//! A writer that is interrupted by another one has its text interleaved with the other's, and
//! nothing worse: a byte is one store.

mod line;
#[cfg(target_arch = "riscv64")]
pub mod ns16550;
#[cfg(not(any(target_arch = "riscv64", feature = "cortex-m")))]
pub mod pl011;
#[cfg(feature = "cortex-m")]
pub mod semihosting;
#[cfg(target_arch = "riscv64")]
pub mod sifive;

pub use line::Line;
