//! The scheduling library: pure decisions, compiled unchanged into the kernel,
//! the hypervisor and the simulator.
//!
//! There is no memory, clock or processor in it: entities are names, and the caller decides where
//! their links are stored. The ready queue of one processor, with links in a table:
//!
//! ```
//! use std::cell::Cell;
//! use taktos_schedule::{Links, Priority, ReadyQueue, Ring};
//!
//! struct Table([(Cell<usize>, Cell<usize>); 3]);
//!
//! impl Links for Table {
//!     type Id = usize;
//!     fn next(&self, id: usize) -> usize { self.0[id].0.get() }
//!     fn previous(&self, id: usize) -> usize { self.0[id].1.get() }
//!     fn set_next(&self, id: usize, next: usize) { self.0[id].0.set(next) }
//!     fn set_previous(&self, id: usize, previous: usize) { self.0[id].1.set(previous) }
//! }
//!
//! let table = Table(Default::default());
//! let ready = ReadyQueue::<usize>::EMPTY;
//! let [urgent, usual] = [1, 20].map(|level| Priority::new(level).unwrap());
//! for (id, priority) in [(0, usual), (1, usual), (2, urgent)] {
//!     table.make_alone(id);
//!     ready.append(&table, id, priority);
//! }
//! assert_eq!(ready.top(), Some(2));
//! ready.remove(&table, 2, urgent);
//! assert_eq!(ready.top(), Some(0));
//! ready.rotate(&table, usual);
//! assert_eq!(ready.top(), Some(1), "equals take turns");
//! ```
//!
//! [`smp`] schedules threads on several processors, `vcpu` (a feature) virtual processors; both say
//! in their heads how they are used.
//!
//! Owns: the policies and the order of the threads that are ready.
//! Must never know: a clock, a register, a lock, where a thread's memory is.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod budget;
mod cpu;
mod heap;
mod levels;
mod links;
mod priority;
mod ready;
pub mod smp;
mod tree;
#[cfg(feature = "vcpu")]
pub mod vcpu;

pub use budget::Budget;
pub use cpu::{Cpu, CpuSet, Cpus};
pub use heap::{Branch, Branches, Heap};
pub use links::{Links, Ring};
pub use priority::Priority;
pub use ready::ReadyQueue;
pub use tree::{Side, Tree, TreeLinks};
