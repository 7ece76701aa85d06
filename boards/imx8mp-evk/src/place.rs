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

/// The map that is used until the machine has its own: devices in the first gigabyte, memory in the second.
const FIRST_MAP: InitialPagetable = {
    const DEVICES: usize = 0x0060_0000_0000_0401;
    const MEMORY: usize = 0x4000_0000 | 0x0000_0000_0000_0705;
    let mut table = [0; 512];
    table[0] = DEVICES;
    table[1] = MEMORY;
    InitialPagetable(table)
};

aarch64_rt::initial_pagetable!(FIRST_MAP);
