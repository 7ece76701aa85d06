//! Owns: what masks interrupts from the kernel's level down, and which handlers may mask.
//! Must never know: what a section is for.

#[cfg(not(armv6m))]
mod basepri;
#[cfg(armv6m)]
mod primask;

#[cfg(not(armv6m))]
use basepri as register;
#[cfg(armv6m)]
use primask as register;

use crate::interrupt::number;
pub(crate) use register::{is_above, let_above, mask_over, may_call, restore, unmask};

/// The most urgent priority of interrupts that may call the kernel: what the kernel masks begins
/// here.
pub const KERNEL_LEVEL: u8 = 0x80;

/// Masks interrupts from the kernel's level down. A handler above the level that comes here calls
/// the kernel. With debug assertions that is reported at once, whatever table of vectors led to the
/// handler. Without them nothing is checked.
#[inline(always)]
pub(crate) fn mask() {
    if cfg!(debug_assertions) && number().is_some() && !may_call() {
        forbidden_call();
    }
    register::mask();
}

#[cold]
#[inline(never)]
fn forbidden_call() -> ! {
    // SAFETY: the board's report of such a call, which ends the program.
    unsafe { crate::reexports::taktos_forbidden_call() }
}
