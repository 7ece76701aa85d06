//! Owns: what programs say: the emulator hears it.

/// Writes `text`.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        semihosting::sys::arm_compat::sys_writec(byte);
    }
}
