//! Owns: the interrupts that software sends to its own processor, the way to those of devices, and
//! the mask. Must never know: what an interrupt is good for.

use crate::clint;
use crate::processors::{devices, serve_calls, stay};
use crate::state::pending;
use crate::timer;
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;

/// Handles an interrupt, at the kernel's level: it may call what does not block.
pub type Handler = fn();

/// How many interrupts software has: they share the processor's one.
pub(crate) const INTERRUPTS: usize = 16;

struct Handlers([Cell<Option<Handler>>; INTERRUPTS]);

// SAFETY: one word each, written before the interrupt is sent.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; INTERRUPTS]);

/// The bit of software interrupts in `sip` and `sie`, and those that are let through to threads:
/// also the timer's, and those of devices.
pub(crate) const SOFTWARE: usize = 1 << 1;
pub(crate) const ENABLED: usize = SOFTWARE | 1 << 5 | devices::ENABLED;
/// Values of `scause` for them, below its highest bit.
const SOFTWARE_CAUSE: usize = 1;
const TIMER_CAUSE: usize = 5;

/// Makes `handler` handle the interrupt `number`.
pub(crate) fn set_handler(number: u32, handler: Handler) {
    if let Some(place) = HANDLERS.0.get(number as usize) {
        place.set(Some(handler));
    }
}

/// Sends this processor the interrupt `number`.
#[inline(always)]
pub(crate) fn pend(number: u32) {
    if (number as usize) < INTERRUPTS {
        stay(|| {
            pending().fetch_or(1 << number, Relaxed);
            raise();
        });
    }
}

/// Makes this processor's software interrupt pending.
#[inline(always)]
fn raise() {
    // SAFETY: memory is not moved across.
    unsafe { asm!("csrs sip, {}", in(reg) SOFTWARE, options(nostack, preserves_flags)) };
}

/// Serves the interrupt that `scause` names. Interrupts that come meanwhile wait.
///
/// # Safety
/// The caller has been interrupted by that, and has let through no other: so what is called here is
/// a handler at the kernel's level, of which there is one at a time, and begins without the lock,
/// which a holder is not interrupted with.
pub(crate) unsafe extern "C" fn dispatch(cause: usize) {
    match cause & (usize::MAX >> 1) {
        // SAFETY: the caller's.
        SOFTWARE_CAUSE => unsafe { serve_software() },
        // SAFETY: the caller's.
        TIMER_CAUSE => unsafe { timer::due() },
        _ => devices::serve(),
    }
    // A handler that called the kernel comes back with the mask cleared.
    mask();
}

/// Serves one of those that wait, the lowest number first. For the others the processor comes again
/// at once.
///
/// # Safety
/// As of [`dispatch`].
unsafe fn serve_software() {
    // SAFETY: takes the interrupt; it is sent again below while others wait.
    unsafe { asm!("csrc sip, {}", in(reg) SOFTWARE, options(nostack, preserves_flags)) };
    // SAFETY: the caller's.
    unsafe { serve_calls() };
    if clint::IS_DUE_BY_SOFTWARE {
        // SAFETY: the caller's; the kernel's calls are done before it.
        unsafe { timer::due() };
    }
    let waiting = pending().load(Relaxed);
    if waiting == 0 {
        return;
    }
    let number = waiting.trailing_zeros();
    pending().fetch_and(!(1 << number), Relaxed);
    if let Some(handler) = HANDLERS.0.get(number as usize).and_then(Cell::get) {
        handler();
    }
    if pending().load(Relaxed) != 0 {
        raise();
    }
}

/// Masks kernel-level interrupts.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: accesses to memory are not moved across.
    unsafe { asm!("csrci sstatus, 2", options(nostack, preserves_flags)) }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: as for `mask`; the crate's head says why this is right in handlers too.
    unsafe { asm!("csrsi sstatus, 2", options(nostack, preserves_flags)) }
}

/// Masks kernel-level interrupts; says in `sstatus.SIE` whether they were let through.
#[inline(always)]
pub(crate) fn mask_over() -> usize {
    let was;
    // SAFETY: as for `mask`.
    unsafe { asm!("csrrci {}, sstatus, 2", out(reg) was, options(nostack, preserves_flags)) };
    was
}

/// Ends the mask if it was not set before.
#[inline(always)]
pub(crate) fn restore(was: usize) {
    // SAFETY: as for `mask`.
    unsafe { asm!("csrs sstatus, {}", in(reg) was & 2, options(nostack, preserves_flags)) };
}

/// Whether the caller is a handler.
#[inline(always)]
pub(crate) fn in_handler() -> bool {
    let stack: usize;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, sscratch", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack == 0
}
