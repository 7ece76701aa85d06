//! Owns: the console, UART0, the first of the ports that the board's USB socket shows. Whoever loads the image has set its rate.
//! Registers: UG1087, module UART.

#[path = "common/console/line.rs"]
mod line;

use crate::place::Place;
use line::Line;

const UART0: usize = Place::CONSOLE;
const CONTROL: usize = UART0;
/// The sender on, and not off: the two have a bit each.
const SENDS: u32 = 1 << 4;

static LINE: Line = Line {
    on: (CONTROL, SENDS),
    // Eight bits without parity.
    setting: &[(UART0 + 0x04, 0x20), (CONTROL, SENDS)],
    status: UART0 + 0x2C,
    full: 1 << 4,
    send: UART0 + 0x30,
};

/// Writes `text`, waiting for the device where it is behind.
pub(crate) fn write(text: &str) {
    LINE.write(text);
}
