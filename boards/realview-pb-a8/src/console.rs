//! Owns: the console, the first serial line.

/// Writes `text`, and waits while the device takes no other byte.
pub(crate) fn write(text: &str) {
    taktos_boards::console::pl011::write(crate::Place::CONSOLE, text);
}
