//! Registers of one word: reads and writes. Must never know: the device.

use core::ptr::with_exposed_provenance_mut;

/// Reads the register at an address.
pub fn load(register: usize) -> u32 {
    // SAFETY: callers pass a register of a device, mapped as such: what a read changes is the
    // device's.
    unsafe { with_exposed_provenance_mut::<u32>(register).read_volatile() }
}

/// Writes the register at an address.
pub fn store(register: usize, value: u32) {
    // SAFETY: as above. A writer that is interrupted by another one has its text interleaved with
    // the other's, and nothing worse.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) }
}

/// A register, by its address: one value of it names a register of a device.
#[derive(Clone, Copy, Debug)]
pub struct Register(pub usize);

impl Register {
    /// Reads the register.
    pub fn read(self) -> u32 {
        load(self.0)
    }

    /// Writes the register.
    pub fn write(self, value: u32) {
        store(self.0, value);
    }

    /// Clears the bits in `mask`, and sets the bits `value` of them.
    pub fn change(self, mask: u32, value: u32) {
        self.write(self.read() & !mask | value);
    }

    /// Waits for a limited time until the bits in `mask` are `value`. Returns whether they are.
    pub fn becomes(self, mask: u32, value: u32) -> bool {
        /// More reads than a crystal or a PLL takes to start (2 ms at the most), at the rate after
        /// reset.
        const LOOKS: u32 = 100_000;
        (0..LOOKS).any(|_| self.read() & mask == value)
    }
}
