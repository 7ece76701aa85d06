//! Owns: the console of a debugger, or of an emulator, that serves semihosting.

/// Writes `text`, and stops the processor for each byte until the debugger has it.
pub fn write(text: &str) {
    for byte in text.bytes() {
        semihosting::sys::arm_compat::sys_writec(byte);
    }
}
