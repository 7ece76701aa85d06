//! Owns: what of an interrupt controller of version 3 the number of processors changes, for one.
//! Must never know: who asks.

/// Nobody else uses the controller.
#[inline(always)]
pub(crate) fn lock() {}

/// Nobody else waits for it.
#[inline(always)]
pub(crate) fn unlock() {}

/// Does `act` with the number of this processor, which the caller does not leave.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce(usize)) {
    act(0);
}
