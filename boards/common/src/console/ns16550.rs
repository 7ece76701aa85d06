//! Owns: a serial line of the kind 16550. Must never know: the board.

use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

/// Offsets of the registers: data, control of the queue, state of the line.
const DATA: usize = 0;
const QUEUE_CONTROL: usize = 2;
const LINE_STATUS: usize = 5;
/// The device takes another byte.
const EMPTY: u8 = 1 << 5;

/// Lets the device with its registers at `address` queue bytes: then a writer that is interrupted
/// between its check and its store loses none.
pub fn start(address: usize) {
    // SAFETY: the device's queue control, at physical addresses before the memory map is on.
    unsafe { write_volatile(with_exposed_provenance_mut(address + QUEUE_CONTROL), 1u8) };
}

/// Writes `text`, and waits while the device takes no other byte.
pub fn write(address: usize, text: &str) {
    for byte in text.bytes() {
        // SAFETY: the registers of the device, mapped as such. A writer that is interrupted by
        // another one has its text interleaved with the other's, and nothing worse: a byte
        // is one store.
        unsafe {
            while read_volatile::<u8>(with_exposed_provenance(address + LINE_STATUS)) & EMPTY == 0 {
            }
            write_volatile(with_exposed_provenance_mut(address + DATA), byte);
        }
    }
}
