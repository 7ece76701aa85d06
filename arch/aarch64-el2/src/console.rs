//! Owns: the machine's console, a PL011. Must never know: whose bytes they are.

use arm_pl011_uart::{Interrupts, PL011Registers, Uart, UniqueMmioPointer};
use core::ptr::{NonNull, with_exposed_provenance_mut};
use taktos_abi::vm::layout;

/// Gives the device to `body`. Callers have the one lock, or are the start-up code, or end the machine.
fn with_line<R>(body: impl FnOnce(&mut Uart<'static>) -> R) -> Option<R> {
    let registers = NonNull::new(with_exposed_provenance_mut::<PL011Registers>(
        layout::CONSOLE as usize,
    ))?;
    // SAFETY: the registers of the device, mapped as such; guests find another one there.
    Some(body(&mut Uart::new(unsafe {
        UniqueMmioPointer::new(registers)
    })))
}

/// Writes `bytes`, waiting for the device where it is behind.
pub(crate) fn write(bytes: &[u8]) {
    with_line(|line| {
        for &byte in bytes {
            while line.is_tx_fifo_full() {}
            line.write_word(byte);
        }
    });
}

/// The next byte of input. A byte that came broken is left out.
pub(crate) fn read() -> Option<u8> {
    with_line(|line| line.read_word().ok().flatten()).flatten()
}

/// Lets input come as the device's interrupt.
pub(crate) fn announce_input() {
    with_line(|line| line.set_interrupt_masks(Interrupts::RXI | Interrupts::RTI));
}
