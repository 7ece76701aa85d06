//! Owns: the memory protection unit, used as a guard below the running thread's stack.

use cortex_m::peripheral::{MPU, SCB};

/// The bytes below a stack that nobody may touch: the smallest region that the unit knows.
#[repr(C, align(32))]
pub struct Guard([u8; GUARD_SIZE]);

/// The size of a guard, and the alignment that the unit wants.
pub const GUARD_SIZE: usize = 32;

/// How far behind the beginning of the control block the guard lies: the switch computes
/// the guard's address instead of loading it. (72 bytes, rounded up to the guard's alignment.)
pub const GUARD_OFFSET: usize = 96;

/// The region used: the highest number wins where regions overlap.
pub const REGION: usize = 7;

/// The bit of the region base address register that says that it names the region itself.
pub const NAMES_REGION: usize = 1 << 4;

impl Guard {
    /// Unused memory.
    pub const NEW: Self = Self([0; GUARD_SIZE]);
}

/// Switches the unit on: everything as without it, but for the guard's region.
pub fn enable() {
    const ENABLE_WITH_DEFAULT_MAP: u32 = 0b101;
    const REGION_ENABLE: u32 = 1;
    const SIZE_32_BYTES: u32 = 4 << 1;
    const NO_ACCESS_NO_EXECUTE: u32 = 1 << 28;
    const MEMORY_FAULTS: u32 = 1 << 16;
    // SAFETY: called once, before the first thread runs; the unit belongs to this port.
    unsafe {
        let mpu = &*MPU::PTR;
        mpu.rnr.write(REGION as u32);
        mpu.rasr
            .write(NO_ACCESS_NO_EXECUTE | SIZE_32_BYTES | REGION_ENABLE);
        mpu.ctrl.write(ENABLE_WITH_DEFAULT_MAP);
        (*SCB::PTR).shcsr.modify(|bits| bits | MEMORY_FAULTS);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}
