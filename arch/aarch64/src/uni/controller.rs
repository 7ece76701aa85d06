//! Owns: the parts of an interrupt controller of version 3 that depend on the number of processors,
//! for one. Must never know: the caller.

/// Does nothing: no other processor uses the controller.
#[inline(always)]
pub(crate) fn lock() {}

/// Does nothing: no other processor waits for it.
#[inline(always)]
pub(crate) fn unlock() {}

/// Does `act` with the number of this processor, which the caller does not leave.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce(usize)) {
    act(0);
}
