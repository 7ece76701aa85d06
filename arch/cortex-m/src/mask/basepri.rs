//! Owns: the register `BASEPRI`, which masks by priority: more urgent interrupts are never delayed.
//! Must never know: which handler masks.

use super::KERNEL_LEVEL;
use crate::interrupt::{FIRST_INTERRUPT, MOST, exception};
use core::arch::asm;
use core::hint::cold_path;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cortex_m::peripheral::NVIC;

/// The interrupts that were let through above the kernel's level, a bit each:
/// [`bring_to_kernel_level`](crate::bring_to_kernel_level) leaves them there.
static ABOVE: [AtomicU32; MOST.div_ceil(32)] = [const { AtomicU32::new(0) }; MOST.div_ceil(32)];

/// Lets an interrupt through above the kernel's level.
pub(crate) fn let_above(number: u16) {
    if let Some(word) = ABOVE.get(usize::from(number) / 32) {
        word.fetch_or(1 << (number % 32), Relaxed);
    }
}

/// Returns whether an interrupt, of [`MOST`], was let through above the kernel's level.
pub(crate) fn is_above(number: u16) -> bool {
    ABOVE[usize::from(number) / 32].load(Relaxed) >> (number % 32) & 1 != 0
}

/// Whether the running handler's priority is one at which the kernel masks it. Of the processor's
/// own exceptions the timer's, the last, may call: faults, and what cannot be masked, may not.
#[inline(always)]
pub(crate) fn may_call() -> bool {
    let number = exception().wrapping_sub(FIRST_INTERRUPT) as usize;
    // SAFETY: reads a register of the interrupt controller.
    let priorities = unsafe { &(*NVIC::PTR).ipr };
    let Some(priority) = priorities.get(number) else {
        cold_path();
        return number == usize::MAX;
    };
    priority.read() >= KERNEL_LEVEL
}

/// Masks interrupts from the kernel's level down.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: raises the execution priority to the kernel's level; memory accesses are not moved
    // across.
    unsafe {
        asm!("msr basepri, {level}", level = in(reg) u32::from(KERNEL_LEVEL), options(nostack, preserves_flags));
    }
}

/// Masks interrupts from the kernel's level down, wherever it is called: gives what was masked
/// before, for [`restore`].
#[inline(always)]
pub(crate) fn mask_over() -> usize {
    let before;
    // SAFETY: as for `mask`; the register `BASEPRI_MAX` takes a priority only where that masks more
    // than before.
    unsafe {
        asm!(
            "mrs {before}, basepri",
            "msr basepri_max, {level}",
            before = out(reg) before,
            level = in(reg) u32::from(KERNEL_LEVEL),
            options(nostack, preserves_flags),
        );
    }
    before
}

/// Makes the mask what it was before the matching [`mask_over`].
#[inline(always)]
pub(crate) fn restore(before: usize) {
    // SAFETY: puts back what `mask_over` found; memory accesses are not moved across.
    unsafe {
        asm!("msr basepri, {before}", before = in(reg) before, options(nostack, preserves_flags));
    }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: threads and the handlers that may call the kernel run with BASEPRI 0 outside the
    // kernel's sections.
    unsafe {
        asm!("msr basepri, {none}", none = in(reg) 0, options(nostack, preserves_flags));
    }
}

/// Defines `$vector`, to be put into the table of interrupts for one above the kernel's level: it
/// calls `$handler`.
///
/// A handler up there must not call the kernel: it may have come in the midst of a section. A call
/// that wakes or waits is turned away, and what is left of a call, the mask, is put back here. A
/// call that would be done in place cannot be turned away at no cost to all others; but each ends
/// the mask, by which it is noticed here and reported as a fault.
#[macro_export]
macro_rules! above {
    ($(#[$attribute:meta])* $vector:ident, $handler:path) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        unsafe extern "C" fn $vector() {
            ::core::arch::naked_asm!(
                "push {{r4, lr}}",
                "mrs r4, basepri",
                // Up here this masks nothing, and it is not zero.
                "movs r0, #0xFF",
                "msr basepri, r0",
                "bl {handler}",
                "mrs r0, basepri",
                "cbz r0, 1f",
                "msr basepri, r4",
                "pop {{r4, pc}}",
                "1:",
                "b {forbidden}",
                handler = sym $handler,
                forbidden = sym $crate::reexports::taktos_forbidden_call,
            )
        }
    };
}
