//! Owns: the console, a serial line of the kind 16550.
//! Must never know: where it is. The crate has that at its root, as `Place::CONSOLE`.

use crate::Place;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

const DATA: usize = Place::CONSOLE;
const QUEUE_CONTROL: usize = DATA + 2;
const LINE_STATUS: usize = DATA + 5;
/// The device takes another byte.
const EMPTY: u8 = 1 << 5;

/// Lets the device queue bytes: then a writer that is interrupted between its look and its store loses none.
pub(crate) fn start() {
    // SAFETY: the device's queue control, at physical addresses before the memory map is on.
    unsafe { write_volatile(with_exposed_provenance_mut::<u8>(QUEUE_CONTROL), 1) };
}

/// Writes `text`, waiting for the device where it is behind.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        // SAFETY: the registers of the device, mapped as such. A writer that is interrupted by another
        // one has its text interleaved with the other's, and nothing worse: a byte is one store.
        unsafe {
            while read_volatile(with_exposed_provenance::<u8>(LINE_STATUS)) & EMPTY == 0 {}
            write_volatile(with_exposed_provenance_mut::<u8>(DATA), byte);
        }
    }
}
