//! Owns: the mask of interrupts, and whether the caller is a handler.
//! Must never know: the caller.

use core::arch::asm;

/// Masks kernel-level interrupts.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: accesses to memory are not moved across.
    unsafe { asm!("msr daifset, #2", options(nostack, preserves_flags)) }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: as for `mask`; the crate's head says why this is right in handlers too.
    unsafe { asm!("msr daifclr, #2", options(nostack, preserves_flags)) }
}

/// Masks, and says what was.
pub(crate) fn mask_over() -> usize {
    let was;
    // SAFETY: masks, and remembers what was.
    unsafe {
        asm!("mrs {}, daif", "msr daifset, #2", out(reg) was, options(nostack, preserves_flags))
    };
    was
}

/// Makes the mask what it was.
pub(crate) fn restore(mask: usize) {
    // SAFETY: puts the mask back.
    unsafe { asm!("msr daif, {}", in(reg) mask, options(nostack, preserves_flags)) }
}

/// Whether the caller is a handler: it runs on the handlers' stack.
#[inline(always)]
pub(crate) fn in_handler() -> bool {
    let selected: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, spsel", out(reg) selected, options(nomem, nostack, preserves_flags)) };
    selected != 0
}
