//! Owns: the console: UART0 by its secure address, which the board shows as its first serial port; 115,200 baud.
//! Registers: CMSDK APB UART (DDI 0479); where it is: AN547 (DAI 0547).

use crate::clock::DEVICES_HERTZ;
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

/// Writes `text`, and waits for the line. Before the kernel has started (the `main` of a C program) it begins the console.
pub(crate) fn write(text: &str) {
    if read_register(CONTROL) & ENABLE_SENDING == 0 {
        start(DEVICES_HERTZ);
    }
    for byte in text.bytes() {
        while is_full() {}
        write_register(DATA, byte.into());
    }
}

fn is_full() -> bool {
    read_register(STATE) & FULL != 0
}

fn read_register(register: usize) -> u32 {
    // SAFETY: callers pass registers of the device, which belongs to this module.
    unsafe { read_volatile(with_exposed_provenance(register)) }
}

fn write_register(register: usize, value: u32) {
    // SAFETY: as in `read_register`.
    unsafe { write_volatile(with_exposed_provenance_mut(register), value) }
}
