//! Owns: what a machine tells the kernel.
#![expect(
    unsafe_code,
    reason = "declares calls that assert what only a machine knows"
)]

use crate::{Context, Fault};

/// What a machine tells the kernel. Implemented by the kernel, wired to vectors by the board.
///
/// What comes in an interrupt is a section of the kernel's, and only a machine knows that it is one: so these calls are `unsafe`.
pub trait Upcalls {
    /// The time asked for by [`Machine::set_alarm`](crate::Machine::set_alarm) has come.
    ///
    /// # Safety
    /// The caller is a handler of an interrupt at the kernel's level, or has masked these: until the call returns, no thread runs
    /// on this processor, and no other handler that may call the kernel. On a machine with several processors it does not hold the
    /// one lock.
    unsafe fn alarm();
    /// The running thread's time slice has ended. It asks for the next end by
    /// [`Machine::begin_slice`](crate::Machine::begin_slice).
    ///
    /// # Safety
    /// As of [`Upcalls::alarm`].
    unsafe fn slice_end();
    /// The thread `from` gives way to `to`, whose time slice begins or goes on. The rest of a
    /// slice stays with a thread that was preempted; `taker`, if that is `to`, takes it over from
    /// one that was not. A machine names no taker. On one processor `from` may be
    /// null: then it is the thread that went on at the call before. It asks the machine by
    /// [`Machine::slice_left`](crate::Machine::slice_left) and tells it by
    /// [`Machine::begin_slice`](crate::Machine::begin_slice). Called on whatever stack has the room
    /// of a decision.
    ///
    /// # Safety
    /// The caller has masked interrupts up to the kernel's level and, on a machine with
    /// several processors, holds the one lock until the call has returned. Both are threads of the
    /// kernel; without `from`, each switch since slices are on was told to this function.
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
    /// An interrupt ends, and the heir is null: who is to run? It is the heir from then on.
    ///
    /// # Safety
    /// The machine has several processors; the caller has masked interrupts up to the kernel's level on this one, and holds the one
    /// lock until the call has returned.
    unsafe fn choose() -> *const Context;
    /// The processor faulted. Reports and ends the program. From anywhere: the report says itself why it may look at what it tells.
    fn fault(fault: &Fault<'_>) -> !;
}
