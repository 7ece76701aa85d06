//! Owns: the output of programs, which goes to the emulator.

/// Writes `text`.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        semihosting::sys::arm_compat::sys_writec(byte);
    }
}
