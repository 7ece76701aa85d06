//! The interrupt that a board leaves to programs, which pend it themselves.
//!
//! Owns: what a program may do with it. Its handler is the program's `taktos_spare_interrupt`, at
//! the kernel's level. Must never know: which one it is.

use taktos_kernel::System;

/// A system with an interrupt to spare.
pub trait SpareInterrupt: System {
    /// Lets it reach its handler.
    fn enable_interrupt();
    /// Makes it pending, on the processor that runs the caller.
    fn pend_interrupt();
}
