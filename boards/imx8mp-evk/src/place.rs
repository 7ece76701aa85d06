//! Owns: the board as the machine sees it: where memory and devices are (IMX8MPRM, 2.1).

use aarch64_rt::InitialPagetable;
use core::ops::Range;

/// The board, as the machine sees it.
pub struct Evk;

impl taktos_arch_aarch64::Board for Evk {
    const DISTRIBUTOR: usize = 0x3880_0000;
    const REDISTRIBUTORS: usize = 0x3888_0000;
    const MEMORY: Range<usize> = 0x4000_0000..0x4800_0000;
    const DEVICES: Range<usize> = 0x3000_0000..0x3A00_0000;
}

aarch64_rt::initial_pagetable!(InitialPagetable(taktos_arch_aarch64::first_map::<Evk>()));
