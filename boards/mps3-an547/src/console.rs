//! Owns: the console: UART0 by its secure address, which the board shows as its first serial port;
//! 115,200 baud. Registers: CMSDK APB UART (DDI 0479); address: AN547 (DAI 0547).

use crate::clock::DEVICES_HERTZ;
use taktos_boards::registers::{load, store};

const DATA: usize = 0x5930_3000;
const STATE: usize = 0x5930_3004;
const CONTROL: usize = 0x5930_3008;
const DIVISOR: usize = 0x5930_3010;
const ENABLE_SENDING: u32 = 1;
const FULL: u32 = 1;
const BAUD: u32 = 115_200;

/// Starts the console, with a device clock of `hertz`.
pub(crate) fn start(hertz: u32) {
    store(DIVISOR, (hertz + BAUD / 2) / BAUD);
    store(CONTROL, ENABLE_SENDING);
}

/// Writes `text`, and waits for the line. Before the kernel has started (the `main` of a C program)
/// it starts the console.
pub(crate) fn write(text: &str) {
    if load(CONTROL) & ENABLE_SENDING == 0 {
        start(DEVICES_HERTZ);
    }
    for byte in text.bytes() {
        while is_full() {}
        store(DATA, byte.into());
    }
}

fn is_full() -> bool {
    load(STATE) & FULL != 0
}
