//! Owns: the parts of a board that the programs for several processors need.

use core::arch::asm;

/// The parts of the board for several processors.
#[doc(hidden)]
#[macro_export]
macro_rules! several {
    () => {
        const _: () = {
            use $crate::workloads::experiment::ExperimentBoard;
            use $crate::workloads::orders::{Stage, StageBoard};
            use $crate::workloads::several::{Objects, SeveralBoard};
            use $crate::workloads::several_bench::BenchBoard;
            use $crate::workloads::storm::{StormBoard, StormObjects};
            use $crate::workloads::suite::SuiteBoard;

            static OBJECTS: Objects<Board> = Objects::new();
            static STAGE: Stage<Board> = Stage::new();
            static STORM: StormObjects<Board> = StormObjects::new();

            impl SeveralBoard for Board {
                fn objects() -> &'static Objects<Self> {
                    &OBJECTS
                }

                fn trigger_interrupt(handler: fn()) {
                    <Self as SuiteBoard>::trigger_interrupt(handler);
                }
            }

            impl StageBoard for Board {
                fn stage() -> &'static Stage<Self> {
                    &STAGE
                }

                const PROCESSORS: usize = PROCESSORS;
            }

            impl StormBoard for Board {
                fn storm() -> &'static StormObjects<Self> {
                    &STORM
                }
            }

            impl ExperimentBoard for Board {}

            impl BenchBoard for Board {
                #[inline(never)]
                fn busy(turns: u32) {
                    $crate::programs::count_down(turns);
                }
            }
        };
    };
}

/// Counts down, two instructions a turn.
#[inline(always)]
pub fn count_down(turns: u32) {
    // SAFETY: counts a register down.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "2:",
            "subs {turns:w}, {turns:w}, #1",
            "b.ne 2b",
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack)
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "riscv64")]
    unsafe {
        asm!(
            "2:",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack)
        );
    }
}
