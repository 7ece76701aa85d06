//! Owns: a serial line of SiFive's chips (FU540-C000 manual, version 1p4, chapter 13).
//! Must never know: the board.

use crate::registers::{load, store};
use taktos_machine::Machine;

/// Offsets of the registers.
const TRANSMIT_DATA: usize = 0;
const TRANSMIT_CONTROL: usize = 8;
const PENDING: usize = 0x14;
/// The device's queue takes no other byte.
const FULL: u32 = 1 << 31;
/// Transmission is on; [`PENDING`] has [`EMPTY`] set when fewer bytes than one wait.
const SEND: u32 = 1 | 1 << 16;
/// Bit of [`PENDING`]: fewer bytes than one wait.
const EMPTY: u32 = 1;
/// Least interval between two bytes, in ticks of the time counter. An emulator's device (QEMU 10.0)
/// sends the bytes in its ring after 100 ns. It sends the rest when the emulator comes to it, which
/// may be too late. With this interval the ring holds one byte, and a run depends on the program
/// alone. A tick is shorter than the line needs for a byte.
const APART: u64 = 2;

/// Lets the device with its registers at `address` send; before the memory map is on, `address` is
/// physical.
pub fn start(address: usize) {
    store(address + TRANSMIT_CONTROL, SEND);
}

/// Writes `text`, and waits while the device takes no other byte. Also waits until the queue is
/// empty: bytes that are still in the queue are lost when the machine ends. If another writer
/// interrupts this one between its check and its store, and fills the queue, one byte is lost, and
/// nothing worse happens.
pub fn write<M: Machine>(address: usize, text: &str) {
    for byte in text.bytes() {
        while load(address + TRANSMIT_DATA) & FULL != 0 {}
        store(address + TRANSMIT_DATA, byte.into());
        let begin = M::ticks();
        while M::ticks() - begin < APART {}
    }
    while load(address + PENDING) & EMPTY == 0 {}
}
