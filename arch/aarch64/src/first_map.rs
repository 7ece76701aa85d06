//! Owns: the map with which a processor begins, before it knows its board's. Must never know: the
//! locations of anything else on a board.

use crate::board::Board;

/// The map that a processor uses until the machine has its own: the gigabyte of the board's devices
/// and that of its memory, each one block of the first level (Arm ARM, DDI 0487, D8.3). Boards hand
/// it to the start-up code.
#[must_use]
pub const fn first_map<B: Board>() -> [usize; 512] {
    /// Accessed, never executed, of the first kind of memory in the start-up code's `MAIR_EL1`: a
    /// device.
    const DEVICES: usize = 0x0060_0000_0000_0401;
    /// Accessed, shared by the processors, of the second kind: memory.
    const MEMORY: usize = 0x0705;
    const GIGABYTE: usize = 1 << 30;
    let (devices, memory) = (B::DEVICES.start / GIGABYTE, B::MEMORY.start / GIGABYTE);
    assert!(devices != memory, "devices and memory share a gigabyte");
    let mut table = [0; 512];
    table[devices] = (devices * GIGABYTE) | DEVICES;
    table[memory] = (memory * GIGABYTE) | MEMORY;
    table
}
