//! Owns: what an operation tells the machine. Must never know: what was decided.

use crate::System;
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

/// What to fail with when a wait would be needed: the time-out that is none says "would block".
pub(crate) fn refuse_to_wait<S: System>() -> OutcomeOf<S> {
    fail::<S>(Error::WouldBlock)
}
