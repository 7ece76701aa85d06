//! Owns: the console, UART2: the third of the ports that the debug socket shows. The loader of the
//! image has set its rate. Registers: IMX8MPRM, UART (16.2).

use super::Place;
use taktos_boards::registers::{load, store};

const UART2: usize = Place::CONSOLE;
const SEND: usize = UART2 + 0x40;
const CONTROL: [(usize, u32); 3] = [
    // On; both ways, eight bits, pins of requests ignored; the third bit is always set.
    (UART2 + 0x80, 1),
    (UART2 + 0x84, 0x4027),
    (UART2 + 0x88, 0x0704),
];
const STATUS: usize = UART2 + 0xB4;
const IS_FULL: u32 = 1 << 4;

/// Writes `text`, and waits while the device takes no other byte.
pub(crate) fn write(text: &str) {
    // The registers get the same values each time: without firmware, no other code has set them.
    for (register, value) in CONTROL {
        store(register, value);
    }
    for byte in text.bytes() {
        while load(STATUS) & IS_FULL != 0 {}
        store(SEND, byte.into());
    }
}
