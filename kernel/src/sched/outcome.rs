//! Owns: the outcome of an operation, as the machine receives it. Must never know: the decision.

use crate::System;
use taktos_abi::{Error, Status};
use taktos_machine::{Answer, Machine, Outcome};

/// The form in which a decision of the system `S` reaches its machine.
pub(crate) type OutcomeOf<S> = <<S as System>::Machine as Machine>::Outcome;

/// Continues the caller, with `status` and no word.
#[inline(always)]
pub(crate) fn stay<S: System>(status: Status) -> OutcomeOf<S> {
    answer::<S>(status, 0)
}

/// Continues the caller with `error`.
#[inline(always)]
pub(crate) fn fail<S: System>(error: Error) -> OutcomeOf<S> {
    stay::<S>(Status::failed(error))
}

/// Continues the caller with the result of an operation that was done in place.
#[inline(always)]
pub(crate) fn concluded<S: System>(result: Result<(), Error>) -> OutcomeOf<S> {
    stay::<S>(match result {
        Ok(()) => Status::OK,
        Err(error) => Status::failed(error),
    })
}

/// Continues the caller, with `status` and `value`.
#[inline(always)]
pub(crate) fn answer<S: System>(status: Status, value: usize) -> OutcomeOf<S> {
    OutcomeOf::<S>::stay(Answer { status, value })
}

/// Fails an operation that would have to wait: its time-out is none, which means "would block".
pub(crate) fn refuse_to_wait<S: System>() -> OutcomeOf<S> {
    fail::<S>(Error::WouldBlock)
}
