//! Owns: the board as a system of the kernel.
//! Must never know: the board. Other boards of the architecture take this file as it is.

use crate::clock::{self, BoardClock};
use crate::console;
use crate::vectors::{SPARE, URGENT};
use core::panic::PanicInfo;
use taktos_arch_cortex_m::{CortexM, Level, enable_interrupt, pend_interrupt};
use taktos_kernel::{Kernel, System, Thread};

/// The board.
pub struct Board;

/// The kernel. Its name is that of the processor at its beginning, which the machine's switch uses.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

impl System for Board {
    type Machine = CortexM<BoardClock>;

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
    clock::start();
    taktos_kernel::run(main, entry)
}

/// Like [`start`], with an entry that never comes back.
pub fn start_endless<const N: usize>(main: &'static Thread<Board, N>, entry: fn() -> !) -> ! {
    clock::start();
    taktos_kernel::run_endless(main, entry)
}

/// The offset that `device.x` tells tools.
const _: () = assert!(taktos_kernel::INFO_OFFSET == 68);
const _: () = assert!(taktos_kernel::URGENCY_OFFSET == 20 && taktos_kernel::WAIT_OFFSET == 24);

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
        #[$crate::cortex_m_rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::panicked::<Board>(info)
}
