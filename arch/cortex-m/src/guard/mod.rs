//! Owns: what keeps threads and handlers within their stacks, and off the place that null leads to:
//! on Armv7-M regions of the memory protection unit, on Armv8-M the limits of the stack pointers.
//! On Armv6-M a word below each thread's stack shows that the thread has left it.

/// Bytes between the program's data and the guard or the limit of the handlers' stack: the report
/// of a handler that used its stack up goes on there, without protection. With semihosting as the
/// console it takes 220 (`faults overflow-of-a-handler` on mps2-an385 and mps2-an521).
#[cfg(not(armv6m))]
const OF_REPORTS: usize = 320;

/// No room for a `T`.
pub type Nothing<T> = [T; 0];

#[cfg(armv8m)]
mod limits;
#[cfg(not(any(armv6m, armv8m)))]
mod regions;
#[cfg(armv6m)]
mod word;

#[cfg(armv8m)]
pub use limits::*;
#[cfg(not(any(armv6m, armv8m)))]
pub use regions::*;
#[cfg(armv6m)]
pub use word::*;
