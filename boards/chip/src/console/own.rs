//! Owns: the call of the program's own console. Must never know: the device.

#![expect(unsafe_code, reason = "a function of the program")]

unsafe extern "Rust" {
    /// The program's function that writes a text (`taktos::console!(function)`).
    safe fn taktos_console(text: &str);
}

/// Writes `text`, as the program does it.
pub(crate) fn write(text: &str) {
    taktos_console(text);
}
