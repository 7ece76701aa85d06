//! Owns: what seats note in the rows of threads and processors.
//! Must never know: how they decide.

use super::System;
use crate::{
    Cpu,
    smp::{Instance, PolicyKind, Priority, Thread, ids::NONE, order::Level},
};
use taktos_time::Instant;

/// The thread that has its registers on a processor.
#[derive(Clone, Copy)]
pub(crate) enum Executing {
    Idle,
    Thread(Thread),
    /// One that does not exist any more.
    Nobody,
}

impl System<'_> {
    /// The policy of `instance`.
    pub(crate) fn policy(&self, instance: Instance) -> Option<PolicyKind> {
        let record = self.instances.get(instance.index());
        record.map(|record| record.kind)
    }

    /// The deadline of the job of `thread` is this, or it has none: nothing follows.
    pub(crate) fn note_job(&mut self, thread: Thread, deadline: Option<Instant>) {
        self.note_deadline(thread, deadline.map(|at| Level(at.as_nanos())));
    }

    /// The deadline of `thread` is this from now on, be it a job's or a server's, or it has none.
    pub(crate) fn note_deadline(&mut self, thread: Thread, deadline: Option<Level>) {
        if let Ok(id) = self.known(thread) {
            let home = self.thread(id).home;
            self.node_mut(home, id).deadline = deadline.unwrap_or(Level::NONE);
        }
    }

    /// Whether `thread` has a server.
    pub(crate) fn has_server(&self, thread: Thread) -> bool {
        self.known(thread).is_ok_and(|id| self.serves(id))
    }

    /// Returns the thread that lost `cpu`, which no instance has any more, having used up its
    /// budget, until that budget is checked.
    pub(crate) fn spent_on(&self, cpu: Cpu) -> Option<Thread> {
        let spent = self.processors[cpu.index()].spent;
        (spent != NONE).then_some(Thread(spent))
    }

    /// Notes that the budget of [`System::spent_on`] was checked.
    pub(crate) fn forget_spent(&mut self, cpu: Cpu) {
        self.processors[cpu.index()].spent = NONE;
    }

    /// Notes that `spent` lost `cpu`, which its instance has no longer, with its budget used up; or
    /// that no thread did.
    pub(crate) fn take_over_alarm(&mut self, cpu: Cpu, spent: Option<Thread>) {
        let processor = &mut self.processors[cpu.index()];
        processor.spent = spent.map_or(NONE, |spent| spent.0);
    }

    /// The rows of all threads that exist, but for the idle ones.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.idle_from).map(Thread)
    }

    /// The row of `thread` says that it has this priority of its own at home, ceilings among it.
    pub(crate) fn bring_up_to_date(&mut self, thread: Thread, priority: Priority) {
        if let Ok(id) = self.known(thread) {
            let home = self.thread(id).home;
            let real = self.level(Instance(home), priority);
            self.node_mut(home, id).real = real;
            self.refresh(home, id);
        }
    }

    /// Seats decide about `instance` from `now` on: its processors are charged by its decider.
    pub(crate) fn begin(&mut self, instance: Instance, now: Instant) {
        for cpu in self.instances[instance.index()].owned {
            self.charge_idle(cpu, now);
        }
    }
}
