//! Owns: what a machine tells the kernel.

use crate::{Context, Fault};

/// What a machine tells the kernel. Implemented by the kernel, wired to vectors by the board.
///
/// [`Upcalls::alarm`] and [`Upcalls::slice_end`] come in interrupt context at the kernel's level.
pub trait Upcalls {
    /// The time asked for by [`Machine::set_alarm`](crate::Machine::set_alarm) has come.
    fn alarm();
    /// The running thread's time slice has ended.
    fn slice_end();
    /// Another processor has called this one by [`Machine::call`](crate::Machine::call). In interrupt context.
    fn called();
    /// An interrupt ends, and the heir is null: who is to run? It is the heir from then on. Called
    /// with the one lock held, on a machine with several processors alone.
    fn choose() -> *const Context;
    /// The processor faulted. Reports and ends the program.
    fn fault(fault: &Fault<'_>) -> !;
}
