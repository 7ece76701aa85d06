//! Owns: what an operation tells the machine, and how its caller gets the result. Must never know: what was decided.

use crate::System;
use crate::thread::AnyThread;
use taktos_abi::{Error, Status};
use taktos_machine::{Answer, Machine, Outcome};

/// What a decision of the system `S` tells its machine.
pub(crate) type OutcomeOf<S> = <<S as System>::Machine as Machine>::Outcome;

/// The caller goes on, with `status` and no word.
#[inline(always)]
pub(crate) fn stay<S: System>(status: Status) -> OutcomeOf<S> {
    answer::<S>(status, 0)
}

/// The caller goes on with `error`.
#[inline(always)]
pub(crate) fn fail<S: System>(error: Error) -> OutcomeOf<S> {
    stay::<S>(Status::failed(error))
}

/// The caller goes on with the result of what was done in place.
#[inline(always)]
pub(crate) fn concluded<S: System>(result: Result<(), Error>) -> OutcomeOf<S> {
    stay::<S>(match result {
        Ok(()) => Status::OK,
        Err(error) => Status::failed(error),
    })
}

/// The caller goes on, with `status` and `value`.
#[inline(always)]
pub(crate) fn answer<S: System>(status: Status, value: usize) -> OutcomeOf<S> {
    OutcomeOf::<S>::stay(Answer { status, value })
}

/// What a call told the running thread.
///
/// The invariant: the status in a thread's context is success whenever the thread runs. Who is told an error clears it,
/// so that the usual paths, on which a thread waits or is switched away from, need not set it.
pub(crate) trait IntoResult {
    /// The answer's status, as the call gives it back.
    fn into_result<S: System>(self) -> Result<(), Error>;
    /// The end of a call that cannot fail: a caller that must not call the kernel gets no answer, but ends the program.
    fn done(self) -> Result<(), Error>;
}

impl IntoResult for Answer {
    #[inline(always)]
    fn into_result<S: System>(self) -> Result<(), Error> {
        if self.status == Status::OK {
            Ok(())
        } else {
            take_error::<S>(self.status)
        }
    }

    #[inline(always)]
    fn done(self) -> Result<(), Error> {
        Ok(())
    }
}

/// The error that the calling thread was told.
#[cold]
#[inline(never)]
pub(crate) fn take_error<S: System>(status: Status) -> Result<(), Error> {
    // A handler's answer never lay in the thread that it interrupted, which may just be about to read its own.
    if !(S::Machine::HANDLERS_INTERRUPT_SWITCHES && S::Machine::in_interrupt()) {
        AnyThread::<S>::clear_own_error();
    }
    status.result()
}

/// What to fail with when a wait would be needed: the time-out that is none says "would block".
pub(crate) fn refuse_to_wait<S: System>() -> OutcomeOf<S> {
    fail::<S>(Error::WouldBlock)
}
