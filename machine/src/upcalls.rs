//! Owns: the calls of a machine to the kernel.
#![expect(
    unsafe_code,
    reason = "declares calls that assert what only a machine knows"
)]

use crate::{Context, Fault};

/// Calls of a machine to the kernel. Implemented by the kernel, wired to vectors by the board.
///
/// A call inside an interrupt is a section of the kernel's, and only a machine knows that it is
/// one: so these calls are `unsafe`.
pub trait Upcalls {
    /// The time requested by [`Machine::set_alarm`](crate::Machine::set_alarm) has come.
    ///
    /// # Safety
    /// The caller is a handler of an interrupt at the kernel's level, or has masked these: until
    /// the call returns, no thread runs on this processor, and no other handler that may call
    /// the kernel. On a machine with several processors it does not hold the one lock.
    unsafe fn alarm();
    /// The running thread's time slice has ended. The kernel requests the next end by
    /// [`Machine::begin_slice`](crate::Machine::begin_slice).
    ///
    /// # Safety
    /// As of [`Upcalls::alarm`].
    unsafe fn slice_end();
    /// Notes a switch from the thread `from` to `to`, with which the time slice of `to` begins or
    /// continues. A thread that was preempted keeps the rest of its slice. From one that was not,
    /// `taker` takes the rest over, if that is `to`. A machine names no taker. On one processor
    /// `from` may be null: then it is the thread that resumed at the call before. The kernel reads
    /// the rest of a slice by [`Machine::slice_left`](crate::Machine::slice_left) and begins one by
    /// [`Machine::begin_slice`](crate::Machine::begin_slice). Called on any stack that has the
    /// space for a decision.
    ///
    /// # Safety
    /// The caller has masked interrupts up to the kernel's level and, on a machine with several
    /// processors, holds the one lock until the call has returned. Both are threads of the kernel.
    /// Without `from`, each switch since slices are on was reported to this function.
    unsafe extern "C" fn switch_slice(
        from: *const Context,
        to: *const Context,
        taker: *const Context,
    );
    /// Another processor has called this one by [`Machine::call`](crate::Machine::call).
    ///
    /// # Safety
    /// As of [`Upcalls::alarm`].
    unsafe fn called();
    /// Chooses the heir, which is null, at the end of an interrupt, and returns it. It stays the
    /// heir.
    ///
    /// # Safety
    /// The machine has several processors; the caller has masked interrupts up to the kernel's
    /// level on this one, and holds the one lock until the call has returned.
    unsafe fn choose() -> *const Context;
    /// Reports a fault of the processor and ends the program. Callable from anywhere: the report
    /// itself states why it may read its data.
    fn fault(fault: &Fault<'_>) -> !;
}
