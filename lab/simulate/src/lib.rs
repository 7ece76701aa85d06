//! The scheduling library in virtual time.
//!
//! Owns: workloads, events, costs and statistics of a simulation.
//! Must never know: how to choose the thread that runs; that is in `taktos-schedule`, unchanged.
//!
//! ```
//! use taktos_simulate::{Plan, Policy, Setup, Task, Workload, run};
//! use taktos_time::Duration;
//!
//! let ms = Duration::from_millis;
//! let tasks = vec![
//!     Task::periodic("control", ms(2), ms(10)),
//!     Task::periodic("camera", ms(2), ms(10)),
//!     Task::periodic("log", ms(10), ms(11)),
//! ];
//! let workload = Workload { tasks, ..Workload::default() };
//! // Two processors under global EDF, for a second.
//! let plan = Plan::new(&workload, &Setup::global(Policy::Edf, 2, ms(1_000)))?;
//! let outcome = run(&plan, plan.seed(), &mut ())?;
//! // Dhall's effect: a utilisation of 1.3 is too much for two processors.
//! assert_eq!(outcome.tasks[2].response.max(), Some(12_000_000));
//! assert!(outcome.missed() > 0);
//! # Ok::<(), taktos_simulate::SimError>(())
//! ```
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
mod order;
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
pub use order::Order;
pub use policy::{Policy, UnknownPolicy};
pub use setup::{Cluster, Setup};
pub use statistics::{CpuStatistics, Outcome, Summary, TaskStatistics};
