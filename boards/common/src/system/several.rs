//! Owns: the start of a board with several processors, and the kernel's memory for them.

use taktos_kernel::{CpuSet, InstanceConfig, PolicyKind, SmpMemory};

/// The threads that may exist at a time, the scheduler instances, and the cluster mutexes.
const THREADS: usize = 60;
const INSTANCES: usize = 4;
const LOCKS: usize = 8;

/// The memory that the kernel needs for the four processors of every such board.
pub type Memory<S> = SmpMemory<S, { THREADS + PROCESSORS }, INSTANCES, PROCESSORS, LOCKS>;
/// The processors that it is for.
pub const PROCESSORS: usize = 4;

/// Memory that the kernel needs for several processors.
#[doc(hidden)]
#[macro_export]
macro_rules! smp_memory {
    () => {
        #[inline(always)]
        fn smp() -> &'static $crate::kernel::Smp<Self> {
            MEMORY.smp()
        }
    };
}

/// The start of the board.
#[doc(hidden)]
#[macro_export]
macro_rules! start {
    ($begin:path) => {
        /// Number of processors of the board.
        pub const PROCESSORS: usize = <Machine as $crate::machine::Machine>::PROCESSORS;
        const _: () = assert!(PROCESSORS == $crate::PROCESSORS);

        static MEMORY: $crate::Memory<Board> = $crate::kernel::SmpMemory::new();

        $crate::arch::smp!($crate::kernel::Upcall<Board>, Place);

        /// Starts the board and the kernel with one thread, and one instance that has all
        /// processors: fixed priorities, and any affinity. Called by a program's entry.
        pub fn start<const N: usize>(
            main: &'static $crate::kernel::Thread<Board, N>,
            entry: fn(),
        ) -> ! {
            start_with(main, &[$crate::all_processors()], entry)
        }

        /// Like [`start`], but with other instances, at most four. The home of the first thread is
        /// the instance that has processor 0.
        pub fn start_with<const N: usize>(
            main: &'static $crate::kernel::Thread<Board, N>,
            instances: &[$crate::kernel::InstanceConfig],
            entry: fn(),
        ) -> ! {
            $begin();
            $crate::kernel::run_smp(main, &MEMORY, instances, entry)
        }
    };
}

/// The instance that has all processors.
#[doc(hidden)]
pub fn all_processors() -> InstanceConfig {
    InstanceConfig {
        name: *b"all ",
        policy: PolicyKind::StrongAffinity,
        cpus: CpuSet::first(PROCESSORS),
    }
}
