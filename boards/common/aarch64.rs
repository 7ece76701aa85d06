//! What the boards of AArch64 share beyond that.
//!
//! Owns: the way from the start-up code to the kernel.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root `Place`, the board as the machine
//! sees it.

use crate::Place;
#[doc(hidden)]
pub use aarch64_rt as rt;
pub use taktos_arch_aarch64 as arch;

/// The machine.
pub type Machine = arch::AArch64<Place>;

/// What comes before the kernel.
#[inline(always)]
pub(crate) fn begin() {
    #[cfg(feature = "smp")]
    Machine::begin();
}

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        $crate::rt::entry!(entry, 4);
        fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
            $start
        }
    };
}
