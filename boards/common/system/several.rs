//! Owns: a board with several processors as a system of the kernel.

use crate::{Place, arch, begin, console};
#[cfg(feature = "panic-handler")]
use core::panic::PanicInfo;
use taktos_kernel::{
    CpuSet, InstanceConfig, Kernel, PolicyKind, Smp, SmpMemory, System, Thread, Upcall,
};
use taktos_machine::Machine;

/// How many processors the board has.
pub const PROCESSORS: usize = <crate::Machine as Machine>::PROCESSORS;
/// The threads that may exist at a time, the scheduler instances, and the cluster mutexes.
const THREADS: usize = 60;
const INSTANCES: usize = 4;
const LOCKS: usize = 8;

/// The board, as the kernel sees it.
pub struct Board;

/// The kernel, where the laboratory looks for it.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSOR: Kernel<Board> = Kernel::new();

/// What the kernel needs for several processors.
static MEMORY: SmpMemory<Board, { THREADS + PROCESSORS }, INSTANCES, PROCESSORS, LOCKS> =
    SmpMemory::new();

arch::exceptions!(Upcall<Board>);
arch::smp!(Upcall<Board>, Place);

impl System for Board {
    type Machine = crate::Machine;

    #[inline(always)]
    fn kernel() -> &'static Kernel<Self> {
        &TAKTOS_PROCESSOR
    }

    #[inline(always)]
    fn smp() -> &'static Smp<Self> {
        MEMORY.smp()
    }

    fn write(text: &str) {
        console::write(text);
    }

    fn exit(status: i32) -> ! {
        semihosting::process::exit(status)
    }
}

/// Starts the board and the kernel with one thread, and one instance that has all processors: fixed priorities, and any
/// affinity. Called by a program's entry.
pub fn start<const N: usize>(main: &'static Thread<Board, N>, entry: fn()) -> ! {
    let all = InstanceConfig {
        name: *b"all ",
        policy: PolicyKind::StrongAffinity,
        cpus: CpuSet::first(PROCESSORS),
    };
    start_with(main, &[all], entry)
}

/// The same with other instances, at most four; the first thread is at home in the one that has processor 0.
pub fn start_with<const N: usize>(
    main: &'static Thread<Board, N>,
    instances: &[InstanceConfig],
    entry: fn(),
) -> ! {
    begin();
    taktos_kernel::run_smp(main, &MEMORY, instances, entry)
}

#[cfg(feature = "panic-handler")]
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::print::<Board>(format_args!("{}\n", info.message()));
    taktos_kernel::fault::panicked::<Board>(info)
}
