//! Owns: how the machine ends, also when the hypervisor itself is wrong. Must never know: faults
//! of guests.

use crate::console::write;
use crate::image::code;
use crate::tables::PAGE;
use aarch64_cpu::registers::{ELR_EL2, ESR_EL2, FAR_EL2, Readable, SPSR_EL2};
use core::arch::asm;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use smccc::{Smc, psci};

/// Whether a report was begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins a report. Of several processors the first one reports; the others halt for good.
fn begin() {
    if BEGUN.swap(true, Relaxed) {
        loop {
            aarch64_cpu::asm::wfi();
        }
    }
    write(b"\n[taktos] the hypervisor ends the machine: ");
}

/// Ends the machine (PSCI `SYSTEM_OFF`).
pub(crate) fn off() -> ! {
    if psci::system_off::<Smc>().is_err() {
        write(b"[taktos] the firmware does not end the machine\n");
    }
    loop {
        aarch64_cpu::asm::wfi();
    }
}

fn end() -> ! {
    write(b"\n");
    off()
}

/// The bytes of a call instruction; the return address is after it.
const CALL: u64 = 4;

/// For a board's panic handler: prints the calls that have return addresses on the stack, in the
/// page that the stack pointer is in, the latest first; ends the machine. The line tables of the
/// image tell the source of each address. The location in the panic itself is not read: so the
/// compiler drops it at each of the hundreds of checks.
#[inline(never)]
pub fn panicked() -> ! {
    begin();
    write(b"a panic, called from");
    let top: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) };
    for place in (top..top.next_multiple_of(PAGE as usize)).step_by(size_of::<usize>()) {
        // SAFETY: the address is in a page of the stack, and any content of that page is a valid
        // number.
        let value = unsafe { with_exposed_provenance::<usize>(place).read_volatile() };
        if code().contains(&value) {
            write_number("", value as u64 - CALL);
        }
    }
    end()
}

/// Ends the machine, and says why.
pub fn fail(why: &str) -> ! {
    begin();
    write(why.as_bytes());
    end()
}

/// Ends the machine because of processor `number`.
pub(crate) fn refuse_processor(number: usize, why: &str) -> ! {
    begin();
    write(b"processor ");
    write_decimal(number as u32);
    write(why.as_bytes());
    end()
}

fn write_decimal(value: u32) {
    if value >= 10 {
        write_decimal(value / 10);
    }
    write(&[b'0' + (value % 10) as u8]);
}

fn write_number(name: &str, value: u64) {
    write(name.as_bytes());
    write(b" 0x");
    for digit in (0..16).rev() {
        write(&[b"0123456789abcdef"[(value >> (4 * digit)) as usize % 16]]);
    }
}

/// An exception of EL2 itself came by this entry of the vector table; x30 and the stack pointer are
/// what it interrupted.
pub(crate) extern "C" fn report(entry: u64, link: u64, stack: u64) -> ! {
    begin();
    write_number("an exception at EL2, by entry", entry);
    write_number(": syndrome", ESR_EL2.get());
    write_number(", address", FAR_EL2.get());
    write_number(", pc", ELR_EL2.get());
    write_number(", state", SPSR_EL2.get());
    write_number(", x30", link);
    write_number(", sp", stack);
    end()
}
