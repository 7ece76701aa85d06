//! The kit that lies under all six schedulers of virtual processors.
//!
//! Owns: the pool's membership and its checks, records and lists of units, open requests to
//! schedule, and the form in which invariants are stated.
//! Must never know: a rule by which a scheduler decides.

mod affinity;
pub(super) mod chain;
mod homes;
mod laws;
pub(super) mod list;
mod members;
mod ranges;
mod record;
mod requests;
mod steps;
pub(super) mod topology;

pub(super) use affinity::Affinity;
pub use homes::Unit;
pub(super) use homes::{Homes, at_home};
pub(super) use laws::laws;
pub(super) use members::{Rules, parts};
pub(super) use ranges::{check, ratelimit_in_range};
pub(super) use record::{Record, State, default_is, linked, record};
pub(super) use requests::Requests;
pub(super) use steps::Steps;

#[cfg(test)]
pub(super) mod tests;
