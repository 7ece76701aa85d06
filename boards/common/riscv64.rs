//! What the boards of RISC-V share beyond that.
//!
//! Owns: the way from the start-up code to the kernel.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root `Place`, the board as the machine
//! sees it, and the module `console`.

use crate::{Place, console};
#[doc(hidden)]
pub use riscv_rt as rt;
pub use taktos_arch_riscv64 as arch;

/// The machine.
pub type Machine = arch::RiscV64<Place>;

/// What comes before the kernel.
pub(crate) fn begin() {
    console::start();
    arch::enter_supervisor_mode();
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
