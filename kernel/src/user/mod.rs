//! Protected user mode: partitions with threads that run without privilege and reach nothing but
//! their own memory and the objects that their handles name.
//!
//! Owns: partitions, their threads, their handles; calls by number; the handling of faults.
//! Must never know: an architecture; how the hardware keeps memory apart
//! ([`Isolation`](taktos_machine::Isolation) does).
//!
//! A call of such a thread is an operation of the kernel by number. The machine's entry finds the
//! object in the partition's table of handles and calls the function of the table `calls`, masked,
//! as it would a decision. All that the kernel keeps of a thread is stored in memory of the
//! kernel's. Each bad number, handle, right, generation, pointer or length answers with an error,
//! and nothing has changed. A program without partitions carries nothing of this.

#[cfg(feature = "budgets")]
mod budget;
mod calls;
mod cost;
mod dispatch;
mod handle;
mod line;
#[cfg(feature = "loaded")]
mod loaded;
mod memory;
mod partition;
mod pool;
mod queue;
mod restarts;
mod supervisor;
mod thread;

#[cfg(feature = "budgets")]
pub use budget::Usage;
pub use calls::{COUNT, Row, Run, table};
pub use dispatch::{Registers, call_as, faulted, object_of};
pub use handle::{Handle, Rights};
pub use line::Line;
#[cfg(feature = "loaded")]
pub use loaded::{ImageError, Loaded};
pub use memory::{Data, Memory};
pub use partition::{AnyPartition, Partition, Policy};
pub use pool::Pool;
pub use queue::Queue;
pub use supervisor::{Incident, Supervisor};
pub use taktos_abi::Plain;
pub use taktos_machine::{Access, UserFault};
pub use thread::UserThread;
