//! Owns: the machine's console, a PL011. Must never know: the writers of the bytes.

use arm_pl011_uart::{Interrupts, PL011Registers, Uart, UniqueMmioPointer};
use core::ptr::{NonNull, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_abi::vm::layout;

/// Sources of input that always interrupt.
const INPUT: Interrupts = Interrupts::RXI.union(Interrupts::RTI);

/// Gives the device to `body`. Callers have the one lock, or are the start-up code, or end the
/// machine.
fn with_line<R>(body: impl FnOnce(&mut Uart<'static>) -> R) -> Option<R> {
    let registers = NonNull::new(with_exposed_provenance_mut::<PL011Registers>(
        layout::CONSOLE as usize,
    ))?;
    // SAFETY: the registers of the device, mapped as such; guests find another one there.
    Some(body(&mut Uart::new(unsafe {
        UniqueMmioPointer::new(registers)
    })))
}

/// Set while the hypervisor waits for space in the device. Changed by the holder of the device.
static BEHIND: AtomicBool = AtomicBool::new(false);

/// Writes of `bytes` what the device has room for: how many. Where that is not all, its interrupt
/// comes when there is more room: the level of the transmit FIFO is passed then, for it was full.
pub(crate) fn offer(bytes: &[u8]) -> usize {
    let sent = with_line(|line| {
        let mut rest = bytes.iter();
        while !line.is_tx_fifo_full()
            && let Some(&byte) = rest.next()
        {
            line.write_word(byte);
        }
        let behind = !rest.as_slice().is_empty();
        if BEHIND.swap(behind, Relaxed) != behind {
            let room = if behind {
                Interrupts::TXI
            } else {
                Interrupts::empty()
            };
            line.set_interrupt_masks(INPUT | room);
        }
        bytes.len() - rest.len()
    });
    sent.unwrap_or(bytes.len())
}

/// Writes `bytes`, waiting until the device has taken them. Only for the end of the machine and for
/// the time before its guests start.
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
    with_line(|line| line.set_interrupt_masks(INPUT));
}
