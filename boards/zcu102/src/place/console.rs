//! Owns: the console, UART0, the first of the ports that the board's USB socket shows. The loader
//! of the image has set its rate. Registers: UG1087, module UART.

use super::Place;
use taktos_boards::console::Line;

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

/// Writes `text`, and waits while the device takes no other byte.
pub(crate) fn write(text: &str) {
    LINE.write(text);
}
