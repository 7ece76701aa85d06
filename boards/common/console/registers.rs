//! Owns: how registers of a word are read and written.
//! Must never know: of which device, and of which board. Others take this file as it is.

use core::ptr::with_exposed_provenance_mut;

pub(crate) fn load(register: usize) -> u32 {
    // SAFETY: callers pass a register of a device, mapped as such: what a read changes is the device's.
    unsafe { with_exposed_provenance_mut::<u32>(register).read_volatile() }
}

pub(crate) fn store(register: usize, value: u32) {
    // SAFETY: as above. A writer that is interrupted by another one has its text interleaved with the other's, and nothing worse.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) }
}
