//! Owns: checks of the second stage of translation that is loaded: an emulator does not show its
//! effect, since it has no caches. Must never know: how the tables are made.

use core::arch::asm;
use core::ptr::with_exposed_provenance;

/// The fields of an entry that maps a page or a block (Arm ARM, D5.3.3): the address; the kind of
/// memory; access permissions; shareability; the access flag; not executed.
const ADDRESS: u64 = 0x0000_FFFF_FFFF_F000;
const MEMORY: u64 = 0b1111 << 2;
const READ_WRITE: u64 = 0b11 << 6;
const SHARED: u64 = 0b11 << 8;
const ACCESSED: u64 = 1 << 10;
const NOT_EXECUTED: u64 = 1 << 54;
const ALL: u64 = MEMORY | READ_WRITE | SHARED | ACCESSED | NOT_EXECUTED;

/// Returns the entry that maps `at`.
fn entry(at: u64) -> u64 {
    let root: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, vttbr_el2", out(reg) root, options(nomem, nostack, preserves_flags)) };
    let mut found = root;
    for level in 1..=3 {
        let place = (found & ADDRESS) + (at >> (39 - 9 * level) & 511) * 8;
        // SAFETY: a table of the hypervisor, which is mapped at its own address.
        found = unsafe { with_exposed_provenance::<u64>(place as usize).read_volatile() };
        if found & 0b10 == 0 {
            break;
        }
    }
    found
}

/// Returns whether `at` maps memory that is cached, written back and shared by all processors;
/// `executable` or not.
pub(crate) fn is_memory(at: u64, executable: bool) -> bool {
    let kind = MEMORY | READ_WRITE | SHARED | ACCESSED;
    let executed = if executable { 0 } else { NOT_EXECUTED };
    let found = entry(at);
    found & 1 != 0 && found & ALL == kind | executed
}

/// Returns whether `at` maps a device: neither gathered nor reordered, nor executed, and no write
/// is complete before it has arrived.
pub(crate) fn is_device(at: u64) -> bool {
    let found = entry(at);
    found & 1 != 0 && found & (MEMORY | NOT_EXECUTED | READ_WRITE) == NOT_EXECUTED | READ_WRITE
}
