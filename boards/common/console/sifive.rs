//! Owns: the console, a serial line of SiFive's chips (FU540-C000 manual, version 1p4, chapter 13).
//! Must never know: where it is. The crate has that at its root, as `Place::CONSOLE`.

use crate::{Machine, Place};
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};
use taktos_machine::Machine as _;

const TRANSMIT_DATA: usize = Place::CONSOLE;
const TRANSMIT_CONTROL: usize = Place::CONSOLE + 8;
const PENDING: usize = Place::CONSOLE + 0x14;
/// The device's queue takes no other byte.
const FULL: u32 = 1 << 31;
/// The device sends, and tells when fewer bytes than one wait.
const SEND: u32 = 1 | 1 << 16;
/// That is so.
const EMPTY: u32 = 1;
/// So long no byte follows another, in ticks of the counter of time. An emulator's device (QEMU 10.0) sends after 100 ns what lies together in its
/// ring, and the rest when the emulator comes to it, which may be too late: so that the ring holds one byte, and a run hangs on nothing else than
/// the program. A tick is shorter than the line needs for a byte.
const APART: u64 = 2;

/// Lets the device send.
pub(crate) fn start() {
    // SAFETY: the device's transmit control, at physical addresses before the memory map is on.
    unsafe { write_volatile(with_exposed_provenance_mut::<u32>(TRANSMIT_CONTROL), SEND) };
}

/// Writes `text`, waiting for the device where it is behind; and to the end, for what is still in its queue is lost when the machine ends.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        // SAFETY: the registers of the device, mapped as such. A writer that is interrupted by another one between its look and its store,
        // by which the queue fills up, loses a byte, and nothing worse.
        unsafe {
            while read_volatile(with_exposed_provenance::<u32>(TRANSMIT_DATA)) & FULL != 0 {}
            write_volatile(
                with_exposed_provenance_mut::<u32>(TRANSMIT_DATA),
                byte.into(),
            );
        }
        let begin = Machine::ticks();
        while Machine::ticks() - begin < APART {}
    }
    // SAFETY: as above; reading what is pending changes nothing.
    while unsafe { read_volatile(with_exposed_provenance::<u32>(PENDING)) } & EMPTY == 0 {}
}
