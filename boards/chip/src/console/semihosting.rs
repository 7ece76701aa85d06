//! Owns: the console of a debugger that serves semihosting.

/// There is nothing to start.
pub(crate) const fn start() {}

/// Writes `text`, and stops the processor for each byte until the debugger has it. Not inlined:
/// reports write in many places.
#[inline(never)]
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        semihosting::sys::arm_compat::sys_writec(byte);
    }
}
