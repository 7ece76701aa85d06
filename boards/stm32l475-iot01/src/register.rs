//! Owns: registers of the board's devices, by their addresses.
//! Must never know: what they mean.

/// A register of 32 bits. There is one value of it for each address, which names a register of a device.
#[derive(Clone, Copy)]
pub struct Register(pub usize);

impl Register {
    /// Reads it.
    pub fn read(self) -> u32 {
        // SAFETY: the constants of this crate are registers of devices that belong to it.
        unsafe { core::ptr::with_exposed_provenance::<u32>(self.0).read_volatile() }
    }

    /// Writes it.
    pub fn write(self, value: u32) {
        // SAFETY: as for `read`.
        unsafe { core::ptr::with_exposed_provenance_mut::<u32>(self.0).write_volatile(value) }
    }

    /// Sets the bits `value` of those in `mask`.
    pub fn change(self, mask: u32, value: u32) {
        self.write(self.read() & !mask | value);
    }

    /// Waits until the bits in `mask` are `value`, for a while; whether they are.
    pub fn becomes(self, mask: u32, value: u32) -> bool {
        /// More looks than a crystal or a PLL takes to start (2 ms at the most), at the rate after reset.
        const LOOKS: u32 = 100_000;
        (0..LOOKS).any(|_| self.read() & mask == value)
    }
}
