//! The portable kernel.
//!
//! Owns: threads, the objects by which they work together, time-outs, faults.
//! Must never know: an architecture, a device, a board.
#![no_std]

mod block;
pub mod fault;
mod inherit;
mod info;
mod kernel;
mod mutex;
mod registry;
mod section;
mod semaphore;
mod system;
mod tcb;
mod thread;
mod timeout_queue;
mod urgency;
mod wait;

pub use mutex::{Mutex, Protocol};
pub use kernel::{Kernel, Upcall, run};
pub use semaphore::Semaphore;
pub use system::System;
pub use taktos_abi::{Error, Status, Timeout};
pub use taktos_schedule::Priority;
pub use taktos_time::{Duration, Instant, Span};
pub use thread::{AnyThread, State, Thread};
