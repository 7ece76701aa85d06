//! Owns: what keeps threads and handlers within their stacks, and off the place that null leads to:
//! on Armv7-M regions of the memory protection unit, on Armv8-M the limits of the stack pointers.

#[cfg(armv8m)]
mod limits;
#[cfg(not(armv8m))]
mod regions;

#[cfg(armv8m)]
pub use limits::*;
#[cfg(not(armv8m))]
pub use regions::*;
