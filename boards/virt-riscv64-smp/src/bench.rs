//! Owns: what the programs that are measured need of this board.

use crate::system::Board;
use core::arch::asm;
use taktos_workloads::several_bench::BenchBoard;

impl BenchBoard for Board {
    #[inline(never)]
    fn busy(turns: u32) {
        // SAFETY: counts a register down.
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
