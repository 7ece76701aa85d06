//! What the boards with a Cortex-M share beyond what all do.
//!
//! Owns: the interrupts that programs may pend; how a program begins, and comes to have partitions.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root the modules `clock`, which has the
//! machine's, and `vectors`, which says what its interrupts are.

#[cfg(feature = "workloads")]
mod faults;
#[cfg(feature = "workloads")]
pub mod suite;

use crate::clock::BoardClock;
use crate::vectors::{SPARE, URGENT};
use taktos_arch_cortex_m::{CortexM, Level, enable_interrupt, pend_interrupt};

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use {cortex_m_rt as rt, taktos_arch_cortex_m as arch};

/// The machine.
pub type Machine = CortexM<BoardClock>;

/// The interrupt that programs may pend themselves; its handler is the program's
/// `taktos_spare_interrupt`.
pub mod interrupt {
    use super::{Level, SPARE, enable_interrupt, pend_interrupt};

    /// Lets it reach its handler, at the kernel's level.
    pub fn enable() {
        enable_interrupt(SPARE, Level::Kernel);
    }

    /// Makes it pending.
    #[inline(always)]
    pub fn pend() {
        pend_interrupt(SPARE);
    }
}

unsafe extern "C" {
    /// A program's own; the default handler where it has none (see `device.x`).
    fn taktos_urgent_interrupt();
}

taktos_arch_cortex_m::above!(
    #[unsafe(no_mangle)]
    taktos_urgent_vector,
    taktos_urgent_interrupt
);

/// The interrupt above the kernel's level, which the kernel never delays and whose handler, the program's
/// `taktos_urgent_interrupt`, must not call the kernel. The board says which it is, and leaves its device to the program.
pub mod urgent_interrupt {
    use super::{Level, URGENT, enable_interrupt, pend_interrupt};

    /// Lets it reach its handler, at `level`: 0 (the most urgent) to 0x7F.
    pub fn enable(level: u8) {
        enable_interrupt(URGENT, Level::Above(level));
    }

    /// Makes it pending.
    #[inline(always)]
    pub fn pend() {
        pend_interrupt(URGENT);
    }
}

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
