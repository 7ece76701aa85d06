//! Owns: the call of the program's own console.

#![expect(unsafe_code, reason = "a function of the program")]

unsafe extern "Rust" {
    /// The program's function that writes a text (`taktos::console!(function)`).
    safe fn taktos_console(text: &str);
}

/// The program's function starts its device itself.
pub(crate) const fn start() {}

/// Writes `text`, as the program does it.
pub(crate) fn write(text: &str) {
    taktos_console(text);
}
