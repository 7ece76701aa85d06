//! Owns: the board as a system of the kernel.
//! Must never know: which board. Others of this machine take this file as it is.

use crate::{Place, console};
use core::panic::PanicInfo;
use taktos_arch_aarch64::AArch64;
use taktos_kernel::{Kernel, System, Thread, Upcall};

/// The board, as the kernel sees it.
pub struct Board;

/// The kernel. Its name is that of the processor at its beginning, which the machine's switch uses.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

taktos_arch_aarch64::exceptions!(Upcall<Board>);

impl System for Board {
    type Machine = AArch64<Place>;

    #[inline(always)]
    fn kernel() -> &'static Kernel<Self> {
        &TAKTOS_PROCESSOR
    }

    fn write(text: &str) {
        console::write(text);
    }

    fn exit(status: i32) -> ! {
        semihosting::process::exit(status)
    }
}

/// Starts the board and the kernel with one thread. Called by a program's entry.
pub fn start<const N: usize>(main: &'static Thread<Board, N>, entry: fn()) -> ! {
    taktos_kernel::run(main, entry)
}

/// Like [`start`], with an entry that never comes back.
pub fn start_endless<const N: usize>(main: &'static Thread<Board, N>, entry: fn() -> !) -> ! {
    taktos_kernel::run_endless(main, entry)
}

/// The interrupt that programs may pend themselves; its handler is the program's
/// `taktos_spare_interrupt`.
pub mod interrupt {
    use super::{AArch64, Place};

    /// An interrupt that software sends to its own processor.
    const SPARE: u32 = 1;

    unsafe extern "C" {
        /// A program's own; one that does nothing where it has none (see `device.x`).
        fn taktos_spare_interrupt();
    }

    fn spare() {
        // SAFETY: the program's handler, which keeps to the rules for handlers.
        unsafe { taktos_spare_interrupt() }
    }

    /// Lets it reach its handler, at the kernel's level.
    pub fn enable() {
        AArch64::<Place>::set_handler(SPARE, spare);
    }

    /// Makes it pending.
    #[inline(always)]
    pub fn pend() {
        AArch64::<Place>::pend_interrupt(SPARE);
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::panicked::<Board>(info)
}

/// The offset that `memory.x` tells tools.
const _: () = assert!(taktos_kernel::INFO_OFFSET == 128);
const _: () = assert!(taktos_kernel::URGENCY_OFFSET == 40 && taktos_kernel::WAIT_OFFSET == 48);
