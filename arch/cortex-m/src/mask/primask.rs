//! Owns: the register `PRIMASK`, which masks all interrupts: on Armv6-M none is above the kernel.
//! Must never know: which handler masks.

use crate::interrupt::exception;
use core::arch::asm;

/// The exception of the timer, the last before the interrupts.
const TIMER: u32 = 15;

/// Refused: the mask lets no interrupt through.
pub(crate) fn let_above(_: u16) {
    panic!("the kernel masks all interrupts of a Cortex-M0: none can be above its level");
}

/// Returns false: none is above the kernel's level.
pub(crate) const fn is_above(_: u16) -> bool {
    false
}

/// Whether the running handler is one that the kernel masks. Of the processor's own exceptions that
/// is the timer's: faults, and what cannot be masked, may not call.
#[inline(always)]
pub(crate) fn may_call() -> bool {
    exception() >= TIMER
}

/// Masks all interrupts.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: masks; memory accesses are not moved across.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Masks all interrupts, wherever it is called: gives whether they were masked before, for
/// [`restore`].
#[inline(always)]
pub(crate) fn mask_over() -> usize {
    let before;
    // SAFETY: as for `mask`.
    unsafe {
        asm!("mrs {before}, primask", "cpsid i", before = out(reg) before, options(nostack, preserves_flags));
    }
    before
}

/// Makes the mask what it was before the matching [`mask_over`].
#[inline(always)]
pub(crate) fn restore(before: usize) {
    // SAFETY: puts back what `mask_over` found; memory accesses are not moved across.
    unsafe {
        asm!("msr primask, {before}", before = in(reg) before, options(nostack, preserves_flags));
    }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: threads and handlers run without the mask outside the kernel's sections.
    unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
}

/// Refused: no interrupt of Armv6-M is above the kernel.
#[macro_export]
macro_rules! above {
    ($($any:tt)*) => {
        compile_error!(
            "the kernel masks all interrupts of a Cortex-M0: none can be above its level"
        );
    };
}
