//! What crosses the border between the kernel and those who call it.
//!
//! Owns: error codes, the form of a time-out, the calls of partitions, and what a hypervisor, its guests and the tool share.
//! Must never know: how a call is carried out.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod call;
mod error;
pub mod layout;
mod timeout;
pub mod vm;

pub use error::{Error, Status};
pub use timeout::{Meaning, Timeout};
