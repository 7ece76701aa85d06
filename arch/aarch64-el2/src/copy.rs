//! Owns: how memory comes into a partition, so that its guest sees it whatever its caches are. Must
//! never know: what it is.

use crate::fault::fail;
use core::arch::asm;

/// An operation on memory of a partition that no other code uses meanwhile.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Clear { at: u64, bytes: u64 },
    Copy { to: u64, from: u64, bytes: u64 },
}

/// How much is cleared, and copied, between two looks for interrupts: about what an exit costs.
const CLEARED: u64 = 8 * COPIED;
const COPIED: u64 = 4096;

impl Work {
    /// Does it until an interrupt is pending. Returns how many bytes are done.
    pub(crate) fn carry_out(self) -> u64 {
        let (whole, piece) = match self {
            Self::Clear { bytes, .. } => (bytes, CLEARED),
            Self::Copy { bytes, .. } => (bytes, COPIED),
        };
        let mut done = 0;
        while done < whole {
            let bytes = piece.min(whole - done);
            match self {
                Self::Clear { at, .. } => clear(at + done, bytes),
                Self::Copy { to, from, .. } => copy(to + done, from + done, bytes),
            }
            done += bytes;
            if is_interrupted() {
                break;
            }
        }
        done
    }
}

/// Whether a physical interrupt is pending for this processor (ISR_EL1.I; EL2 masks them all).
fn is_interrupted() -> bool {
    const INTERRUPT: u64 = 1 << 7;
    let pending: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, isr_el1", out(reg) pending, options(nomem, nostack, preserves_flags)) };
    pending & INTERRUPT != 0
}

/// Looks whether a line is cleared as it is copied, 64 bytes at a time; where it is not, the
/// machine ends.
pub(crate) fn check() {
    /// DCZID_EL0: lines of 16 words, and that they may be cleared.
    const LINE: u64 = 4;
    let lines: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, dczid_el0", out(reg) lines, options(nomem, nostack, preserves_flags)) };
    if lines != LINE {
        fail("the processor does not clear memory by lines of 64 bytes");
    }
}

/// Clears `bytes`, four lines of 64 at a time, of memory that guests may see with their caches off:
/// each line is cleaned, and dropped. Bound: about an instruction for 18 bytes.
fn clear(at: u64, bytes: u64) {
    // SAFETY: the caller names memory of a partition, which is mapped, and which is not the
    // hypervisor's own.
    unsafe {
        asm!(
            "b 2f",
            "1:",
            ".rept 4",
            "dc zva, {at}",
            "dc civac, {at}",
            "add {at}, {at}, #64",
            ".endr",
            "2:",
            "subs {left}, {left}, #256",
            "b.hs 1b",
            "dsb sy",
            at = inout(reg) at => _,
            left = inout(reg) bytes => _,
            options(nostack),
        );
    }
}

/// Copies `bytes`, lines of 64 bytes at a time where both addresses allow it. A guest begins with
/// its caches off: so each line is cleaned to memory, and dropped; then what instructions were
/// fetched before is forgotten by all processors. Neither range overlaps the other. Bound: about a
/// third of an instruction a byte.
fn copy(to: u64, from: u64, bytes: u64) {
    if bytes == 0 {
        return;
    }
    // SAFETY: the caller names memory of partitions and of stores, which is mapped, and which is
    // not the hypervisor's own.
    unsafe {
        asm!(
            "b 2f",
            "1:",
            "ldp x3, x4, [{from}], #16",
            "ldp x5, x6, [{from}], #16",
            "ldp x7, x8, [{from}], #16",
            "ldp x9, x10, [{from}], #16",
            "stp x3, x4, [{to}]",
            "stp x5, x6, [{to}, #16]",
            "stp x7, x8, [{to}, #32]",
            "stp x9, x10, [{to}, #48]",
            "dc civac, {to}",
            "add {to}, {to}, #64",
            "2:",
            "subs {left}, {left}, #64",
            "b.hs 1b",
            "adds {left}, {left}, #64",
            "b.eq 4f",
            "3:",
            "ldrb w3, [{from}], #1",
            "strb w3, [{to}]",
            "dc civac, {to}",
            "add {to}, {to}, #1",
            "subs {left}, {left}, #1",
            "b.ne 3b",
            "4:",
            // The line that the last whole one reached into, where `to` was no multiple of 64.
            "sub {to}, {to}, #1",
            "dc civac, {to}",
            "dsb sy",
            "ic ialluis",
            "dsb ish",
            "isb",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            left = inout(reg) bytes => _,
            out("x3") _, out("x4") _, out("x5") _, out("x6") _,
            out("x7") _, out("x8") _, out("x9") _, out("x10") _,
            options(nostack),
        );
    }
}
