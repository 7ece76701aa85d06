//! The board's serial line (PL011), which hears what it says.

use core::ptr::with_exposed_provenance_mut;

pub const NUMBER: u32 = 32 + 1;
/// One that software sends.
pub const SPARE: u32 = 3;

const DATA: usize = 0x0900_0000;
const CONTROL: usize = DATA + 0x30;
const MASK: usize = DATA + 0x38;
const CLEAR: usize = DATA + 0x44;
const LOOP: u32 = 1 << 7;
const ON: u32 = 1 | 1 << 8 | 1 << 9;
const RECEIVED: u32 = 1 << 4;

fn write(register: usize, value: u32) {
    // SAFETY: the line's registers; the console uses it when this test does not.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) };
}

/// Interrupts as soon as it has heard itself. The emulator prints what is said nevertheless.
pub fn start() {
    write(CONTROL, ON | LOOP);
    write(MASK, RECEIVED);
    write(DATA, b'\n'.into());
}

/// Is quiet again.
pub fn take() {
    // SAFETY: as for `write`; takes what was received.
    unsafe { with_exposed_provenance_mut::<u32>(DATA).read_volatile() };
    write(CLEAR, RECEIVED);
    write(MASK, 0);
    write(CONTROL, ON);
}

/// The spare interrupt.
pub fn pend() {
    super::pended.pend();
}
