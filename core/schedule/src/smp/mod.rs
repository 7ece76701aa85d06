//! Threads on several processors: instances (one for each cluster) of any policy side by side,
//! helping, pinning, locks.
//!
//! Owns: the assignment of threads to processors.
//! Must never know: a clock, a register, how an interrupt reaches another processor.
//!
//! A [`Decider`](seats::Decider) decides about each instance, by seats: one for each processor.
//! [`System`] is the rows that deciders read: the threads' homes and bindings, the priorities that
//! locks raise, and the times at which budgets are used up. Every thread has one *node* an
//! instance: its priority there, and the contributions to it. A [`Router`](seats::Router) keeps
//! both together. If the behaviour differs from the reference's on purpose, `docs/decisions/0012`
//! says so.

mod config;
mod contribution;
mod error;
mod ids;
mod instance;
mod lock;
mod memory;
mod node;
mod order;
pub mod period;
mod policy;
mod processor;
mod reasons;
pub mod seats;
mod steps;
mod system;
mod thread;

pub use config::{InstanceConfig, PolicyKind};
pub use contribution::ContributionRecord;
pub use error::Error;
pub use ids::{Instance, Lock, Thread};
pub use instance::InstanceRecord;
pub use lock::{
    Alone, EndsRecord, LineRecord, LockMemory, LockRecord, Obtained, Outcome, Ownership,
    PlaceRecord, Protocol, SideRecord, WaitRecord,
};
pub use memory::Memory;
pub use node::NodeRecord;
pub use order::{Level, Priority};
pub use policy::cbs::ServerRecord;
pub use processor::ProcessorRecord;
pub use reasons::Reasons;
pub use system::{System, Violation};
pub use thread::ThreadRecord;
