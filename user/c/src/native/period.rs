//! Periods: a thread that calls `taktos_period_next` once a round becomes a periodic one.

use super::{At, Code, kind, native, with};
use taktos::board::Board;
use taktos::{Duration, Period};

type Object = Period<Board>;
kind!(Object as taktos_period_t, 0x97, 64);

native! {
    /// Makes a period, which does not exist until a thread creates it.
    fn taktos_period_init(period: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `period` is null or memory of the header's type that
        // stays.
        unsafe { period.make(Period::new("")) }
    }

    /// Creates the period: the caller owns it. Errors: State if it exists; Context in a handler.
    fn taktos_period_create(period: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `period` is null or memory of the header's type.
        unsafe { with(period, |object| object.create()) }
    }

    /// Begins the period, or ends the present job and waits for the next release, `length`
    /// nanoseconds after the last. Errors: Timeout where the job was late, and jobs were postponed;
    /// NotOwner, Deleted, Parameter, Cancelled; Context in a handler.
    fn taktos_period_next(period: At<Object>, length: u64) -> Code {
        // SAFETY: the caller guarantees that `period` is null or memory of the header's type.
        unsafe { with(period, |object| object.next(Duration::from_nanos(length))) }
    }

    /// Ends the period without waiting: the next call of taktos_period_next begins it again.
    /// Errors: NotOwner, Deleted, State.
    fn taktos_period_cancel(period: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `period` is null or memory of the header's type.
        unsafe { with(period, |object| object.cancel()) }
    }

    /// Deletes the period; it can be created again. Errors: Deleted if it does not exist.
    fn taktos_period_delete(period: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `period` is null or memory of the header's type.
        unsafe { with(period, |object| object.delete()) }
    }
}
