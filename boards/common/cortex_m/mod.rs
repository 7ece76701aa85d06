//! What the boards with a Cortex-M share beyond what all do.
//!
//! Owns: how a program begins, and comes to have partitions.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root the modules `clock`, which has the
//! machine's, and `vectors`, which says what its interrupts are.

#[cfg(feature = "workloads")]
mod faults;
#[cfg(not(feature = "pac"))]
mod spare;
#[cfg(feature = "workloads")]
pub mod suite;

use crate::clock::BoardClock;
use taktos_arch_cortex_m::CortexM;

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use {cortex_m_rt as rt, taktos_arch_cortex_m as arch};

/// The machine.
pub type Machine = CortexM<BoardClock>;

#[cfg(not(feature = "pac"))]
pub use spare::{interrupt, urgent_interrupt};

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        #[$crate::rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}

/// Gives a program partitions, whose threads run without privilege (`taktos_kernel::user`). Used once, in a program that has them.
#[macro_export]
macro_rules! partitions {
    () => {
        $crate::arch::partitions!($crate::Board, $crate::INTERRUPTS, $crate::kernel);
    };
}
