//! Owns: what a machine tells the kernel.

use crate::Fault;

/// What a machine tells the kernel. Implemented by the kernel, wired to vectors by the board.
///
/// [`Upcalls::alarm`] and [`Upcalls::slice_end`] come in interrupt context at the kernel's level.
pub trait Upcalls {
    /// The time asked for by [`Machine::set_alarm`](crate::Machine::set_alarm) has come.
    fn alarm();
    /// The running thread's time slice has ended.
    fn slice_end();
    /// The processor faulted. Reports and ends the program.
    fn fault(fault: &Fault<'_>) -> !;
}
