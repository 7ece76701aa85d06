//! Owns: the board as a system of the kernel.

use crate::console;
use crate::virt::Virt;
use core::panic::PanicInfo;
use taktos_arch_aarch64::AArch64;
use taktos_kernel::{
    CpuSet, InstanceConfig, Kernel, PolicyKind, Smp, SmpMemory, System, Thread, Upcall,
};
use taktos_machine::Machine;

/// How many processors the board has.
pub const PROCESSORS: usize = <AArch64<Virt> as Machine>::PROCESSORS;
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

taktos_arch_aarch64::exceptions!(Upcall<Board>);
taktos_arch_aarch64::smp!(Upcall<Board>, Virt);

impl System for Board {
    type Machine = AArch64<Virt>;

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
    AArch64::<Virt>::begin();
    taktos_kernel::run_smp(main, &MEMORY, instances, entry)
}

/// The interrupt that programs may pend themselves; its handler is the program's
/// `taktos_spare_interrupt`.
pub mod interrupt {
    use super::{AArch64, Virt};

    /// An interrupt that software sends to its own processor.
    const SPARE: u32 = 1;

    unsafe extern "C" {
        /// A program's own; one that does nothing where it has none (see `memory.x`).
        fn taktos_spare_interrupt();
    }

    fn spare() {
        // SAFETY: the program's handler, which keeps to the rules for handlers.
        unsafe { taktos_spare_interrupt() }
    }

    /// Lets it reach its handler, at the kernel's level.
    pub fn enable() {
        AArch64::<Virt>::set_handler(SPARE, spare);
    }

    /// Makes it pending on the processor that runs the caller.
    pub fn pend() {
        AArch64::<Virt>::pend_interrupt(SPARE);
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    taktos_kernel::fault::print::<Board>(format_args!("{}\n", info.message()));
    taktos_kernel::fault::panicked::<Board>(info)
}

/// The offset that `memory.x` tells tools.
const _: () = assert!(taktos_kernel::INFO_OFFSET == 128);
const _: () = assert!(taktos_kernel::URGENCY_OFFSET == 40 && taktos_kernel::WAIT_OFFSET == 48);
