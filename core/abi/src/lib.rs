//! What crosses the border between the kernel and those who call it.
//!
//! Owns: error codes and the form of a time-out.
//! Must never know: how a call is carried out.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod timeout;

pub use error::{Error, Status};
pub use timeout::{Meaning, Timeout};
