//! Owns: the console, the serial line (PL011).

use arm_pl011_uart::{PL011Registers, Uart, UniqueMmioPointer};
use core::ptr::NonNull;

const SERIAL_LINE: usize = 0x0900_0000;

/// Writes `text`, waiting for the device where it is behind.
pub fn write(text: &str) {
    let Some(registers) = NonNull::new(core::ptr::with_exposed_provenance_mut::<PL011Registers>(
        SERIAL_LINE,
    )) else {
        return;
    };
    // SAFETY: the registers of the device, mapped as such. A writer that is interrupted by another
    // one has its text interleaved with the other's, and nothing worse: a byte is one store.
    let mut line = Uart::new(unsafe { UniqueMmioPointer::new(registers) });
    for byte in text.bytes() {
        while line.is_tx_fifo_full() {}
        line.write_word(byte);
    }
}
