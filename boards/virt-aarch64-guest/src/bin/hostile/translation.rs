//! Owns: this program's map, identical except for the changes of an attack: all 512 GiB that the
//! first stage can name. Must never know: the contents of the addresses.

use crate::processor::{read, write};
use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

const ENTRIES: usize = 512;
const GIGABYTE: u64 = 1 << 30;
/// Blocks of devices, executable too, and of ordinary memory (Arm ARM, D8.3): valid, accessed;
/// memory is attribute 1, inner shareable.
const DEVICE: u64 = 0x401;
const MEMORY: u64 = 0x705;

#[repr(C, align(4096))]
struct Table([AtomicU64; ENTRIES]);

static TABLE: Table = Table([const { AtomicU64::new(0) }; ENTRIES]);

/// Maps all.
pub fn start() {
    calm();
    write!("ttbr0_el1", (&raw const TABLE).addr() as u64);
    forget();
}

/// Restores the map, and the processor's control of translation.
pub fn calm() {
    for (number, entry) in (0u64..).zip(&TABLE.0) {
        let kind = if number == 1 { MEMORY } else { DEVICE };
        entry.store((number * GIGABYTE) | kind, Relaxed);
    }
    let size = read!("id_aa64mmfr0_el1") & 7;
    let control = aarch64_rt::DEFAULT_TCR & !(7 << 32) | size << 32;
    write!("tcr_el1", control);
    forget();
}

/// Sets the entry of the gigabyte `number`, but for the first two, on which the program itself
/// relies.
pub fn set(number: usize, value: u64) {
    if let Some(entry) = TABLE.0.get(number).filter(|_| number > 1) {
        entry.store(value, Relaxed);
    }
}

/// Invalidates all that the processor has stored of maps.
pub fn forget() {
    // SAFETY: it is read again from the tables.
    unsafe {
        asm!(
            "dsb ish",
            "tlbi vmalle1is",
            "dsb ish",
            "isb",
            options(nostack)
        )
    };
}

/// Sets the table of the upper half, and how that half is cut (TCR_EL1's upper fields; the lower
/// half's are kept).
pub fn set_upper(table: u64, cut: u64) {
    const UPPER: u64 = 0xFFFF << 16 & !(1 << 23);
    let control = read!("tcr_el1") & !(UPPER | 1 << 23) | cut & UPPER;
    write!("ttbr1_el1", table);
    write!("tcr_el1", control);
    forget();
}

/// Switches translation off and on again.
pub fn toggle() {
    let was = read!("sctlr_el1");
    write!("sctlr_el1", was & !1);
    write!("sctlr_el1", was);
}
