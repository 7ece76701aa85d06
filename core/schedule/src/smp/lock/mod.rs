//! Mutual exclusion for threads (spec 01, section 5): five protocols over one kind of lock.
//!
//! Owns: the owner of a lock, its waiters, their effect on the owner's priority, and the detection
//! of waits that would never end.
//! Must never know: how a policy orders its queues, how a thread is switched, when a wait is over
//! by the clock: the world calls [`System::time_out`](super::System::time_out).
//!
//! - **Inheritance** across instances is migratory: an owner runs in place of its waiters, in their
//!   instance, at their priority there. **OMIP** (Brandenburg, "A fully preemptive multiprocessor
//!   semaphore protocol for latency-sensitive real-time applications", ECRTS 2013) is this with the
//!   queues that its bound rests upon.
//! - **Ceiling** is the immediate ceiling of one instance.
//! - **MrsP** (Burns and Wellings, "A schedulability compatible multiprocessor resource sharing
//!   protocol", ECRTS 2013): a waiter spins at the ceiling that its instance has given the lock,
//!   and lends its processor to an owner that was displaced. An owner that blocks leaves its place;
//!   one that spins keeps it.
//!
//! Bounds: with at most n waiters in a tree, s contributions to a node, i instances, and U
//! the bound of the policy's update of one node, an operation that follows a chain of h
//! owners (at most as many as there are locks) takes at most
//! (h + 2)·i·(3·log2(n + 1) + 8·s + 4 + U) + h² steps; the walk that looks for a deadlock takes h.

mod alone;
mod chain;
mod create;
mod give_up;
mod laws;
mod lend;
mod obtain;
mod omip;
#[cfg(test)]
mod omip_tests;
mod queue;
mod seam;
mod seated;
mod surrender;
mod table;

pub use alone::{Alone, Ownership};
pub(crate) use lend::LoanRecord;
pub use queue::{EndsRecord, LineRecord, PlaceRecord};
pub(crate) use table::Table;
pub use table::{LockMemory, LockRecord, SideRecord, WaitRecord};

/// The effect of a lock on the priority of its owner and on the threads that wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Protocol {
    /// Nothing. Waiters block.
    None,
    /// In each instance the owner has the priority of its most urgent waiter there, and
    /// runs there when it has lost its processor at home. Waiters block. Instances take
    /// turns, and the most urgent waiter of an instance has its turn, as in the reference.
    Inheritance,
    /// [`Protocol::Inheritance`] with the queues of OMIP as published: a request that has
    /// come to the front is not overtaken by more urgent ones. So at most 2m − 1 requests
    /// block one, with m processors in clusters of one size.
    Omip,
    /// The owner has the ceiling's priority. Only threads of the creator's home may obtain
    /// it. Waiters block.
    Ceiling,
    /// The owner has the ceiling's priority of its home; waiters have theirs, stay ready
    /// and spin, and the owner may run in their place.
    MrsP,
}

/// The result of an attempt to obtain a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Obtained {
    /// It is the thread's.
    Owned,
    /// The thread is blocked ([`Reasons::LOCK`](super::Reasons::LOCK)) until it is
    /// granted, timed out or flushed.
    Waiting,
    /// The thread is still ready: it is to spin until [`System::outcome`](super::System::outcome)
    /// says how that ended.
    Spinning,
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The lock is the thread's.
    Granted,
    /// The time was over.
    Timeout,
    /// All waiters were sent away: unsatisfied.
    Flushed,
}
