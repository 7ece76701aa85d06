//! Owns: a serial line of the kind PL011. Must never know: the board.

use arm_pl011_uart::{PL011Registers, Uart, UniqueMmioPointer};
use core::ptr::NonNull;

/// Writes `text` to the line with its registers at `address`, and waits while it takes no other
/// byte.
pub fn write(address: usize, text: &str) {
    let Some(registers) = NonNull::new(core::ptr::with_exposed_provenance_mut::<PL011Registers>(
        address,
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
