//! Owns: what the programs for several processors need of a board.

use crate::{Board, PROCESSORS};
use core::arch::asm;
use taktos_workloads::experiment::ExperimentBoard;
use taktos_workloads::orders::{Stage, StageBoard};
use taktos_workloads::several::{Objects, SeveralBoard};
use taktos_workloads::several_bench::BenchBoard;
use taktos_workloads::storm::{StormBoard, StormObjects};
use taktos_workloads::suite::SuiteBoard;

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
}
