//! The portable kernel.
//!
//! Owns: threads, the objects by which they work together, time-outs, faults.
//! Must never know: an architecture, a device, a board.
#![no_std]

mod block;
mod exchange;
pub mod fault;
mod inherit;
mod info;
mod ipc;
mod kernel;
mod mutex;
mod queue;
mod registry;
mod ring;
mod section;
mod semaphore;
mod system;
mod tcb;
mod thread;
mod timeout_queue;
mod transfer;
mod urgency;
mod wait;

pub use mutex::{Mutex, Protocol};
pub use ipc::{LONGEST_MESSAGE, Message, Received, Rule};
pub use kernel::{Kernel, Upcall, run};
pub use queue::MessageQueue;
pub use semaphore::Semaphore;
pub use system::System;
pub use taktos_abi::{Error, Status, Timeout};
pub use taktos_schedule::Priority;
pub use taktos_time::{Duration, Instant, Span};
pub use thread::{AnyThread, State, Thread};
