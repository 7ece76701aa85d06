//! Owns: the board as the machine sees it: where memory and devices are, how many processors there are.

use aarch64_rt::InitialPagetable;
use core::ops::Range;

/// The board, as the machine sees it.
pub struct Virt;

impl taktos_arch_aarch64::Board for Virt {
    const DISTRIBUTOR: usize = 0x0800_0000;
    const REDISTRIBUTORS: usize = 0x080A_0000;
    const MEMORY: Range<usize> = 0x4000_0000..0x4800_0000;
    const DEVICES: Range<usize> = 0x0800_0000..0x0A00_0000;
    const PROCESSORS: usize = 4;
}

aarch64_rt::initial_pagetable!(InitialPagetable(taktos_arch_aarch64::first_map::<Virt>()));
