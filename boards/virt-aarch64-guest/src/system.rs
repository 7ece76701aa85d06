//! Owns: the partition as a system of the kernel.

use crate::{bootargs, clock, console};
use aarch64_rt::InitialPagetable;
use core::ops::Range;
use core::panic::PanicInfo;
use taktos_abi::vm::layout;
use taktos_arch_aarch64::AArch64;
use taktos_kernel::fault::print;
use taktos_kernel::{Instant, Kernel, System, Thread, Upcall};
use taktos_workloads::guest::GuestBoard;

/// The partition, as the machine sees it.
pub struct Partition;

impl taktos_arch_aarch64::Board for Partition {
    const DISTRIBUTOR: usize = layout::DISTRIBUTOR as usize;
    const REDISTRIBUTORS: usize = layout::REDISTRIBUTOR as usize;
    const MEMORY: Range<usize> = 0x4000_0000..0x4080_0000;
    const DEVICES: Range<usize> = 0x0800_0000..0x0A00_0000;
    const SHARED: Range<usize> = 0x0B00_0000..0x0B20_0000;
}

aarch64_rt::initial_pagetable!(InitialPagetable(
    taktos_arch_aarch64::first_map::<Partition>()
));

/// The partition, as the kernel sees it.
pub struct Board;

/// The kernel. Its name is that of the processor at its beginning, which the machine's switch uses.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

taktos_boards::name_fields!();
taktos_arch_aarch64::exceptions!(Upcall<Board>);

impl System for Board {
    type Machine = AArch64<Partition>;

    #[inline(always)]
    fn kernel() -> &'static Kernel<Self> {
        &TAKTOS_PROCESSOR
    }

    fn write(text: &str) {
        console::write(text);
    }

    fn exit(status: i32) -> ! {
        taktos_boards::exit::<Self>(status)
    }
}

impl GuestBoard for Board {
    fn words() -> &'static str {
        bootargs::words()
    }

    fn machine_time() -> Instant {
        clock::now()
    }
}

/// Starts the board and the kernel with one thread. Called by a program's entry.
pub fn start<const N: usize>(main: &'static Thread<Board, N>, entry: fn()) -> ! {
    taktos_kernel::run(main, entry)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    print::<Board>(format_args!("{}\n", info.message()));
    taktos_kernel::fault::panicked::<Board>(info)
}
