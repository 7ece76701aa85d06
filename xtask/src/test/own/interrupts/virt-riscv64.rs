//! The board's serial line (16550), which hears what it says.

use core::ptr::with_exposed_provenance_mut;

pub const NUMBER: u32 = 16 + 10;
/// One that software sends.
pub const SPARE: u32 = 3;

const DATA: usize = 0x1000_0000;
const INTERRUPTS: usize = DATA + 1;
const MODEM: usize = DATA + 4;
const LOOP: u8 = 1 << 4;
const RECEIVED: u8 = 1;

fn write(register: usize, value: u8) {
    // SAFETY: the line's registers; the console uses it when this test does not.
    unsafe { with_exposed_provenance_mut::<u8>(register).write_volatile(value) };
}

/// Interrupts as soon as it has heard itself. The emulator prints what is said nevertheless.
pub fn start() {
    write(MODEM, LOOP);
    write(INTERRUPTS, RECEIVED);
    write(DATA, b'\n');
}

/// Is quiet again.
pub fn take() {
    // SAFETY: as for `write`; takes what was received.
    unsafe { with_exposed_provenance_mut::<u8>(DATA).read_volatile() };
    write(INTERRUPTS, 0);
    write(MODEM, 0);
}

/// The spare interrupt.
pub fn pend() {
    super::pended.pend();
}
