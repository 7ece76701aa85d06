//! The scheduling library in virtual time.
//!
//! Owns: workloads, events, costs and statistics of a simulation.
//! Must never know: how to decide who runs; that is `taktos-schedule`'s, unchanged.
#![forbid(unsafe_code)]

pub mod batch;
pub mod explore;
pub mod scenario;

mod costs;
mod engine;
mod error;
pub mod file;
pub mod generate;
mod histogram;
mod import;
mod model;
mod observer;
pub mod partition;
mod policy;
pub mod random;
mod setup;
mod statistics;

pub use costs::{Cost, Costs};
pub use engine::{Engine, Plan, Tables, run};
pub use error::SimError;
pub use histogram::Histogram;
pub use model::{
    Arrival, Budget, Execution, Late, LockId, LockSpec, Partition, Pool, Protocol, ServerId,
    ServerSpec, Step, Task, VcpuPolicy, VcpuSpec, Window, Workload,
};
pub use observer::{Doing, JobId, Observer, Resource, TaskId};
pub use policy::{Policy, UnknownPolicy};
pub use setup::{Cluster, Setup};
pub use statistics::{CpuStatistics, Outcome, Summary, TaskStatistics};
