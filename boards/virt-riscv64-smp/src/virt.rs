//! Owns: the board as the machine sees it: where memory and devices are, how many processors there are.

use core::ops::Range;

/// The board, as the machine sees it.
pub struct Virt;

impl taktos_arch_riscv64::Board for Virt {
    const HERTZ: u64 = 10_000_000;
    const MEMORY: Range<usize> = 0x8000_0000..0x8800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x1020_0000;
    const PROCESSORS: usize = 4;
    const CALLS: usize = 0x02F0_0000;
}
