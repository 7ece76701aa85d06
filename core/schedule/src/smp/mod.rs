//! Threads on several processors: instances (one for each cluster) of any policy side by side, helping, pinning, locks.
//!
//! Owns: who runs where, for threads.
//! Must never know: a clock, a register, how an interrupt reaches another processor.
//!
//! Every thread has one *node* an instance. A node is BLOCKED, READY (in the queues of the instance's policy) or SCHEDULED
//! (it holds a processor); each instance has exactly as many SCHEDULED nodes as processors, idle threads included. A thread
//! is SCHEDULED by at most one of its nodes. Where the behaviour
//! differs from the reference's on purpose, `docs/decisions/0012` says so.
//!
//! A call decides, and tells the world by [`Effects`]; [`System::dispatch`] carries a decision out on one processor.

pub mod closed;
mod config;
mod contribution;
mod effects;
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
mod steps;
mod system;
#[cfg(test)]
mod tests;
mod thread;

pub use config::{InstanceConfig, PolicyKind};
pub use contribution::ContributionRecord;
pub use effects::{Dispatch, Effects};
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
