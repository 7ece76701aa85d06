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
                "subs {turns:w}, {turns:w}, #1",
                "b.ne 2b",
                turns = inout(reg) turns.max(1) => _,
                options(nomem, nostack)
            );
        }
    }
}
