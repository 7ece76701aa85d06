//! Owns: the console, the serial line (PL011).

const SERIAL_LINE: usize = 0x0900_0000;

/// Writes `text`, and waits while the device takes no other byte.
pub fn write(text: &str) {
    taktos_boards::console::pl011::write(SERIAL_LINE, text);
}
