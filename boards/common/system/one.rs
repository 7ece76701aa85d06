//! Owns: a board with one processor as a system of the kernel.

use crate::{begin, console};
#[cfg(feature = "panic-handler")]
use core::panic::PanicInfo;
#[cfg(target_pointer_width = "64")]
use taktos_kernel::Upcall;
use taktos_kernel::{Kernel, System, Thread};

/// The board, as the kernel sees it.
pub struct Board;

/// The kernel. Its name is that of the processor at its beginning, which the machine's switch uses.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

// Those of 32 bits have them beside their clocks.
#[cfg(target_pointer_width = "64")]
crate::arch::exceptions!(Upcall<Board>);

impl System for Board {
    type Machine = crate::Machine;

    #[inline(always)]
    fn kernel() -> &'static Kernel<Self> {
        &TAKTOS_PROCESSOR
    }

    fn write(text: &str) {
        console::write(text);
    }

    #[cfg(not(feature = "guest"))]
    fn exit(status: i32) -> ! {
        semihosting::process::exit(status)
    }

    /// The status is said in words: PSCI has none.
    #[cfg(feature = "guest")]
    fn exit(status: i32) -> ! {
        taktos_kernel::fault::print::<Self>(format_args!("@exit status={status}\n"));
        crate::power::off()
    }
}

/// Starts the board and the kernel with one thread. Called by a program's entry.
pub fn start<const N: usize>(main: &'static Thread<Board, N>, entry: fn()) -> ! {
    begin();
    taktos_kernel::run(main, entry)
}

/// Like [`start`], with an entry that never comes back.
pub fn start_endless<const N: usize>(main: &'static Thread<Board, N>, entry: fn() -> !) -> ! {
    begin();
    taktos_kernel::run_endless(main, entry)
}

#[cfg(feature = "panic-handler")]
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::panicked::<Board>(info)
}
