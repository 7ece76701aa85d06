//! Threads on several processors, decided by the plainest means: each call checks everything about
//! every thread. The tests compare the seats of `taktos-schedule` with it; nothing that ships links
//! it.
//!
//! Owns: the thread that runs on each processor, by its own copies of all that holds state or
//! decides.
//! Must never know: seats, rings, the rows of the library.
//!
//! Every thread has one *node* an instance. A node is BLOCKED, READY or SCHEDULED (it holds a
//! processor); each instance has exactly as many SCHEDULED nodes as processors, idle threads
//! included. A thread is SCHEDULED by at most one of its nodes. The words of calls and answers are
//! the library's, so that both can be compared.
#![forbid(unsafe_code)]

// The unit tests share their world with the integration tests, which know the crate by its name.
#[cfg(test)]
extern crate self as taktos_schedule_oracle;

mod affinity;
mod budget;
mod dispatch;
mod effects;
mod help;
mod idle;
mod laws;
mod lifecycle;
mod lock;
mod matching;
mod membership;
mod new;
mod pin;
mod place;
mod policy;
mod priority;
mod query;
mod ready;
mod rows;
mod scheduled;
mod server;
#[cfg(test)]
mod tests;

pub use effects::{Dispatch, Effects};
use lock::LockRow;
use rows::{InstanceRow, Node, Presence, ProcessorRow, ThreadRow};
use taktos_schedule::smp::{Error, Instance, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

/// All threads, instances and processors.
///
/// Every operation that takes `now` reports its consequences by [`Effects`].
#[derive(Debug)]
pub struct System {
    threads: Vec<ThreadRow>,
    /// One for each thread, an instance's together.
    nodes: Vec<Vec<Node>>,
    instances: Vec<InstanceRow>,
    processors: Vec<ProcessorRow>,
    locks: Vec<Option<LockRow>>,
    /// Rows from here on are idle threads.
    idle_from: usize,
    /// The rows of threads and of locks that are not used, the next one last.
    free_threads: Vec<usize>,
    free_locks: Vec<usize>,
    /// How many threads spin.
    spinners: usize,
    /// The processor that acts: it carries out the requests for help that its calls bring about.
    acting: Cpu,
    online: CpuSet,
    /// The time of the call, and what it has brought about so far.
    now: Instant,
    told: Vec<Told>,
}

/// An effect that the world receives when a call ends.
#[derive(Clone, Copy, Debug)]
enum Told {
    Preempt(Cpu),
    Arm(Cpu, Option<Instant>),
}

/// The name of the thread in this row.
const fn thread(row: usize) -> Thread {
    Thread::of_row(row as u16)
}

/// The name of the instance in this row.
const fn instance(row: usize) -> Instance {
    Instance::of_row(row as u8)
}

impl System {
    /// The calls that follow are made on `cpu`: its next dispatch carries out the requests for help
    /// that they bring about. At the start it is the lowest one online; a dispatch makes it the one
    /// that it is for.
    pub fn act_on(&mut self, cpu: Cpu) {
        if self.online.contains(cpu) {
            self.acting = cpu;
        }
    }

    /// Does `act` at `now`, and reports its effects to the world.
    fn at<T>(
        &mut self,
        now: Instant,
        effects: &mut impl Effects,
        act: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.now = now;
        let answer = act(self);
        for told in self.told.drain(..) {
            match told {
                Told::Preempt(cpu) => effects.preempt(cpu),
                Told::Arm(cpu, at) => effects.arm(cpu, at),
            }
        }
        answer
    }

    fn preempt(&mut self, cpu: Cpu) {
        self.told.push(Told::Preempt(cpu));
    }

    /// The row of a thread that exists and is not an idle one.
    fn known(&self, thread: Thread) -> Result<usize, Error> {
        let id = thread.index();
        let known = id < self.idle_from && self.threads[id].exists;
        known.then_some(id).ok_or(Error::InvalidId)
    }

    /// The row of an instance that exists.
    fn known_instance(&self, instance: Instance) -> Result<usize, Error> {
        let known = instance.index() < self.instances.len();
        known.then_some(instance.index()).ok_or(Error::InvalidId)
    }

    fn node(&self, instance: usize, id: usize) -> &Node {
        &self.nodes[instance][id]
    }

    fn node_mut(&mut self, instance: usize, id: usize) -> &mut Node {
        &mut self.nodes[instance][id]
    }

    fn processor(&self, cpu: Cpu) -> &ProcessorRow {
        &self.processors[cpu.index()]
    }

    fn processor_mut(&mut self, cpu: Cpu) -> &mut ProcessorRow {
        &mut self.processors[cpu.index()]
    }

    fn is_idle_row(&self, id: usize) -> bool {
        id >= self.idle_from
    }

    fn is_blocked(&self, id: usize) -> bool {
        self.threads[id].presence == Presence::Blocked
    }
}
