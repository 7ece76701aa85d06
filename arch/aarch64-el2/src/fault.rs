//! Owns: how the machine ends when the hypervisor itself is wrong. Must never know: faults of guests.

use crate::console::Console;
use crate::start::off;
use aarch64_cpu::registers::{ELR_EL2, ESR_EL2, FAR_EL2, Readable, SPSR_EL2};
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a report was begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Prints why, and ends the machine. Of several processors the first one reports; the others halt for good.
fn end(why: fmt::Arguments<'_>) -> ! {
    if BEGUN.swap(true, Relaxed) {
        loop {
            aarch64_cpu::asm::wfi();
        }
    }
    // The console does not fail.
    let _ = Console.write_fmt(format_args!(
        "\n[taktos] the hypervisor ends the machine: {why}\n"
    ));
    off()
}

/// For a board's panic handler: prints the panic, and ends the machine.
pub fn panicked(info: &PanicInfo<'_>) -> ! {
    end(format_args!("{info}"))
}

/// An exception of EL2 itself came by this entry of the vector table; x30 and the stack pointer are what it
/// interrupted.
pub(crate) extern "C" fn report(entry: u64, link: u64, stack: u64) -> ! {
    let (syndrome, address) = (ESR_EL2.get(), FAR_EL2.get());
    let (pc, state) = (ELR_EL2.get(), SPSR_EL2.get());
    end(format_args!(
        "exception {entry} at EL2: syndrome {syndrome:#x}, address {address:#x}, \
pc {pc:#x}, state {state:#x}, x30 {link:#x}, sp {stack:#x}"
    ))
}
