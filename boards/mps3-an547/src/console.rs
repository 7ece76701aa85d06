//! Owns: the console: UART0 by its secure address, which the board shows as its first serial port; 115,200 baud.
//! Registers: CMSDK APB UART (DDI 0479); where it is: AN547 (DAI 0547).

use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

const DATA: usize = 0x5930_3000;
const STATE: usize = 0x5930_3004;
const CONTROL: usize = 0x5930_3008;
const DIVISOR: usize = 0x5930_3010;
const ENABLE_SENDING: u32 = 1;
const FULL: u32 = 1;
const BAUD: u32 = 115_200;

/// Begins, where the device is clocked with `hertz`.
pub(crate) fn start(hertz: u32) {
    write_register(DIVISOR, (hertz + BAUD / 2) / BAUD);
    write_register(CONTROL, ENABLE_SENDING);
}

/// Writes `text`, and waits for the line.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        while is_full() {}
        write_register(DATA, byte.into());
    }
}

fn is_full() -> bool {
    // SAFETY: a register of the device, which belongs to this module.
    unsafe { read_volatile(with_exposed_provenance::<u32>(STATE)) & FULL != 0 }
}

fn write_register(register: usize, value: u32) {
    // SAFETY: as in `is_full`.
    unsafe { write_volatile(with_exposed_provenance_mut(register), value) }
}
