//! Owns: the board as the machine sees it: where memory and devices are (UG1085, chapter 10).

use aarch64_rt::InitialPagetable;
use core::ops::Range;

/// The board, as the machine sees it.
pub struct Zcu102;

impl taktos_arch_aarch64::Board for Zcu102 {
    const DISTRIBUTOR: usize = 0xF901_0000;
    const PROCESSOR_INTERFACE: usize = 0xF902_0000;
    const MEMORY: Range<usize> = 0x0020_0000..0x0800_0000;
    const DEVICES: Range<usize> = 0xF900_0000..0x1_0000_0000;
}

aarch64_rt::initial_pagetable!(InitialPagetable(taktos_arch_aarch64::first_map::<Zcu102>()));
