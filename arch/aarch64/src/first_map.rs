//! Owns: the map with which a processor begins, before it knows its board's. Must never know: what lies where on a board.

/// The map that a processor uses until the machine has its own: devices in the first gigabyte, memory in the second, each one block of
/// the first level (Arm ARM, DDI 0487, D8.3). Boards hand it to the start-up code.
pub const FIRST_MAP: [usize; 512] = {
    /// Accessed, never executed, of the first kind of memory in the start-up code's `MAIR_EL1`: a device.
    const DEVICES: usize = 0x0060_0000_0000_0401;
    /// Accessed, shared by the processors, of the second kind: memory.
    const MEMORY: usize = 0x4000_0000 | 0x0000_0000_0000_0705;
    let mut table = [0; 512];
    table[0] = DEVICES;
    table[1] = MEMORY;
    table
};
