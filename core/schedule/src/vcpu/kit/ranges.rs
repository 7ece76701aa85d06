//! Owns: the form in which parameters are checked, and the ranges that schedulers share.
//! Must never know: the parameters of one scheduler.

use crate::vcpu::{Error, in_range};

/// Returns the refusal of a check, as `?` would in a function that is not constant.
macro_rules! check {
    ($result:expr) => {
        if let Err(refused) = $result {
            return Err(refused);
        }
    };
}

pub(crate) use check;

/// Refuses rate limits, in nanoseconds, that are neither 0 nor 100 to 500 000 µs.
pub(crate) const fn ratelimit_in_range(ns: u64) -> Result<(), Error> {
    match ns {
        0 => Ok(()),
        _ => in_range("ratelimit (0 turns it off)", ns, 100_000, 500_000_000, "ns"),
    }
}
