//! Types that cross the border between the kernel and its callers.
//!
//! A call that waits takes its limit as a [`Timeout`], which is one word: not at all, for a span,
//! until an instant, for ever. A call that fails returns an [`Error`]:
//!
//! ```
//! use taktos_abi::{Meaning, Status, Error, Timeout};
//! use taktos_time::{Instant, Span};
//!
//! let timeout = Timeout::after(3.millis());
//! assert_eq!(timeout.meaning(), Meaning::After(3.millis()));
//! assert_eq!(timeout.deadline(Instant::from_nanos(5)), Some(Instant::from_nanos(3_000_005)));
//! assert_eq!(Timeout::FOREVER.deadline(Instant::START), None);
//! assert_eq!(Status::failed(Error::Timeout).result(), Err(Error::Timeout));
//! ```
//!
//! Owns: error codes, the form of a time-out, the calls of partitions and the data that they carry,
//! and the data that a hypervisor, its guests and the tool share. Must never know: the way in which
//! a call is carried out.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod call;
mod error;
pub mod layout;
mod plain;
mod timeout;
pub mod vm;

pub use error::{Error, Status};
pub use plain::Plain;
pub use timeout::{Meaning, Timeout};
