//! The second simple timer of the board (CMSDK TRM, section 4.2).

use core::ptr::with_exposed_provenance_mut;

pub const NUMBER: u32 = 9;
/// No device has it.
pub const SPARE: u32 = 13;

const CONTROL: usize = 0x4000_1000;
const VALUE: usize = 0x4000_1004;
const CLEAR: usize = 0x4000_100C;
const COUNTS_AND_INTERRUPTS: u32 = 0b1001;

fn write(register: usize, value: u32) {
    // SAFETY: the timer's registers, which no other code uses.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) };
}

/// Interrupts in a millisecond.
pub fn start() {
    write(VALUE, 25_000);
    write(CONTROL, COUNTS_AND_INTERRUPTS);
}

/// Is quiet again.
pub fn take() {
    write(CONTROL, 0);
    write(CLEAR, 1);
}

/// The spare interrupt, by way of one that the kernel never delays.
pub fn pend() {
    urgent.enable();
    urgent.pend();
}

/// Above the kernel, which is not called from here.
#[taktos::interrupt(12, above = 0x20)]
fn urgent() {
    super::pended.pend();
}
