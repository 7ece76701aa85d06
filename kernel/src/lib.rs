//! The portable kernel: threads with priorities, the objects by which they work together, and time,
//! for any machine.
//!
//! Nothing is allocated: threads and objects are `static`s, and a thread's stack is part of its
//! static. The most urgent ready thread runs; equals take turns. Every call that can wait takes a
//! [`Timeout`], every call that can fail gives a [`Result`], and each says its bound. A board
//! implements [`System`], and everything here is generic over it: the same code runs on every board
//! and, with threads as coroutines and time virtual, on the host.
//!
//! ```
//! use taktos_kernel::{AnyThread, Error, MessageQueue, Span, System, Timeout};
//!
//! /// Takes four samples, one every two milliseconds.
//! fn sampler<S: System>(samples: &'static MessageQueue<S, u32, 8>) -> Result<(), Error> {
//!     for sample in 1..=4 {
//!         samples.send(&sample, Timeout::FOREVER)?;
//!         AnyThread::<S>::sleep(2.millis())?;
//!     }
//!     Ok(())
//! }
//!
//! /// Sums what comes, until nothing has come for ten milliseconds.
//! fn filter<S: System>(samples: &'static MessageQueue<S, u32, 8>) -> u32 {
//!     let mut sum = 0;
//!     while let Ok(sample) = samples.receive(Timeout::after(10.millis())) {
//!         sum += sample;
//!     }
//!     sum
//! }
//! ```
//!
//! The project's book begins with a whole program (`docs/start.md`) and has every call with its
//! bound and errors (`docs/api`).
//!
//! Owns: threads, the objects by which they work together, time-outs, faults.
//! Must never know: an architecture, a device, a board.
#![no_std]

#[cfg(test)]
extern crate std;

mod critical_section;
mod ipc;
mod kernel;
mod object;
mod sched;
mod smp;
mod system;
mod thread;
pub mod user;
mod wait;

pub use ipc::{LONGEST_MESSAGE, Message, Received, Rule};
pub use kernel::{Kernel, Upcall, run, run_endless};
pub use object::branches;
pub use object::period::{self, Period};
pub use object::{
    Alarm, AlarmClock, AlarmCounts, Branch, Condition, Device, Driver, EventFlags, Fifo, Heap,
    HeapBlock, Interrupt, LONGEST_NAME, Letter, Lifo, MOST_POLLED, Mailbox, MessageQueue, Mutex,
    Names, Notify, OpenDevice, OwnerEnd, Partial, Partner, Pipe, Pollable, Pool, PoolBlock,
    Protocol, RawPool, RawQueue, RemoteCall, RemoteFunction, RemoteServer, Semaphore, Stack, Store,
    TimerDevice, Uart, UartPort, Watchdog, WatchdogPart, WatchdogPort, Work, WorkQueue,
};
pub use smp::{ClusterMutex, ClusterProtocol, Smp, SmpMemory, run_smp};
pub use system::System;
pub use taktos_abi::{Error, Status, Timeout};
pub use taktos_schedule::smp::seats::Sight;
pub use taktos_schedule::smp::{Instance, InstanceConfig, PolicyKind, Violation};
pub use taktos_schedule::{Cpu, CpuSet, Priority};
pub use taktos_time::{Duration, Instant, Span};
#[doc(hidden)]
pub use thread::Plan;
pub use thread::info::{NEXT_OFFSET, STACK_BASE_OFFSET, STACK_SIZE_OFFSET};
pub use thread::tcb::{INFO_OFFSET, URGENCY_OFFSET, WAIT_OFFSET};
pub use thread::usage::Usage;
pub use thread::{AnyThread, Idle, RawThread, State, Thread, Told, fault, table, usage};
