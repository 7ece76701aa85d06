//! Owns: the board as a system of the kernel.

use crate::{clock, console};
use core::ops::Range;
use core::panic::PanicInfo;
use taktos_arch_armv7_a::ArmV7A;
use taktos_kernel::{Duration, Instant, Kernel, System, Thread, Upcall};

/// The board, as the machine sees it.
pub struct RealView;

/// The machine.
pub type Machine = ArmV7A<RealView>;

impl RealView {
    /// The address of the console, the first serial line.
    pub(crate) const CONSOLE: usize = 0x1000_9000;
}

impl taktos_arch_armv7_a::Board for RealView {
    const DISTRIBUTOR: usize = 0x1E00_1000;
    const PROCESSOR_INTERFACE: usize = 0x1E00_0000;
    const MEMORY: Range<usize> = 0x7000_0000..0x7800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x2000_0000;
    const SLICE_RESTART: usize = clock::SLICE_RESTART;

    fn now() -> Instant {
        clock::now()
    }

    fn set_alarm(at: Option<Instant>) {
        clock::set_alarm(at);
    }

    fn set_slice(length: Option<Duration>) -> u32 {
        clock::set_slice(length)
    }
}

/// The board, as the kernel sees it.
pub struct Board;

/// The kernel. Its name is that of the processor at its beginning, which the machine's switch uses.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

taktos_arch_armv7_a::exceptions!(RealView, Upcall<Board>);

impl System for Board {
    type Machine = Machine;

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

/// The offsets that `device.x` tells.
const _: () = assert!(taktos_kernel::INFO_OFFSET == 68);
const _: () = assert!(taktos_kernel::URGENCY_OFFSET == 20 && taktos_kernel::WAIT_OFFSET == 24);

/// Starts the board and the kernel with one thread. Called by a program's entry.
pub fn start<const N: usize>(main: &'static Thread<Board, N>, entry: fn()) -> ! {
    clock::start::<Upcall<Board>>();
    taktos_kernel::run(main, entry)
}

/// Like [`start`], with an entry that never comes back.
pub fn start_endless<const N: usize>(main: &'static Thread<Board, N>, entry: fn() -> !) -> ! {
    clock::start::<Upcall<Board>>();
    taktos_kernel::run_endless(main, entry)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::panicked::<Board>(info)
}
