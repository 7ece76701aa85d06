//! Owns: what happens when a processor looks for its heir, and what it costs.
//! Must never know: what jobs do.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Dispatch;

use super::agenda::NEVER;
use super::job::{Progress, Stage};
use super::processor::{NOBODY, NOTHING, Use};
use super::{Engine, instant, thread_of};
use crate::{Doing, Observer, SimError};
use taktos_time::Duration;

/// Places in [`Engine::drawn`].
pub(super) const RELEASE: usize = 0;
const SCHEDULE: usize = 1;
const SWITCH: usize = 2;
const MIGRATION: usize = 3;

impl<O: Observer> Engine<'_, O> {
    /// `cpu` looks for its heir, and switches to it.
    pub(super) fn dispatch(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        let row = self.processors.row_mut(cpu);
        if row.since > self.now {
            // The kernel is still at work here.
            row.request = row.since;
            self.processors.rekey(cpu);
            return Ok(());
        }
        row.request = NEVER;
        row.statistics.decisions += 1;
        if row.waits_for.take().is_some() {
            self.waiting -= 1;
        }
        self.system.act_on(cpu);
        let sink = &mut self.processors.sink(cpu, self.now);
        let decided = self.system.dispatch(cpu, instant(self.now), sink);
        match decided.map_err(|error| self.broken("a processor of a cluster has an heir", error))? {
            Dispatch::Run(thread) => {
                let index = thread.index();
                let task = if index < self.plan.tasks.len() {
                    index as u16
                } else {
                    NOBODY
                };
                self.run(cpu, task);
            }
            Dispatch::Wait { registers_on, .. } => {
                self.take_off(cpu);
                let row = self.processors.row_mut(cpu);
                row.enter_kernel();
                row.waits_for = Some(registers_on);
                self.waiting += 1;
                self.processors.rekey(cpu);
            }
        }
        if self.waiting > 0 {
            let at = self.processors.row(cpu).since;
            self.processors.freed(cpu, at);
        }
        Ok(())
    }

    /// `cpu` executes `task` from now on ([`NOBODY`]: an idle thread).
    #[inline]
    fn run(&mut self, cpu: Cpu, task: u16) {
        let other = self.processors.row(cpu).task != task;
        let cost = if self.free {
            0
        } else {
            self.cost_of_dispatch(cpu, task, other)
        };
        if other {
            self.take_off(cpu);
            self.put_on(cpu, task);
        }
        let row = self.processors.row_mut(cpu);
        let from = if row.doing == Use::Kernel {
            row.kernel_since
        } else {
            row.since
        };
        let news = other || row.doing == Use::Kernel || cost > 0;
        row.charge(cost);
        let at = row.since;
        if other {
            row.statistics.switches += 1;
            if task != NOBODY {
                let left = self.progress[usize::from(task)].slice_left.take();
                row.slice = at.saturating_add(left.unwrap_or(self.plan.slice));
            }
        }
        self.proceed(cpu);
        if news {
            self.tell_switch(cpu, at, at - from);
        }
    }

    /// The thread on `cpu` gives its registers up.
    fn take_off(&mut self, cpu: Cpu) {
        let row = self.processors.row_mut(cpu);
        let task = core::mem::replace(&mut row.task, NOTHING);
        let slice = core::mem::replace(&mut row.slice, NEVER);
        let slice_left = slice.saturating_sub(row.since).max(1);
        if usize::from(task) >= self.progress.len() {
            return;
        }
        let progress = &mut self.progress[usize::from(task)];
        progress.on = None;
        let is_ready = matches!(progress.stage, Stage::Ready | Stage::Spinning);
        progress.slice_left = (is_ready && slice != NEVER).then_some(slice_left);
        if is_ready && progress.begun {
            self.statistics[usize::from(task)].preemptions += 1;
            let job = self.job(usize::from(task));
            self.observer.preempt(instant(self.now), cpu, job);
        }
    }

    /// `cpu` takes the registers of `task`'s thread.
    fn put_on(&mut self, cpu: Cpu, task: u16) {
        self.processors.row_mut(cpu).task = task;
        if task == NOBODY {
            return;
        }
        let task = usize::from(task);
        let progress = &mut self.progress[task];
        let from = core::mem::replace(&mut progress.last, cpu);
        let in_job = core::mem::replace(&mut progress.begun, true);
        let moved = core::mem::replace(&mut progress.has_run, true) && from != cpu;
        progress.on = Some(cpu);
        if moved {
            let statistics = &mut self.statistics[task];
            statistics.migrations += 1;
            statistics.migrations_in_job += u64::from(in_job);
            let job = self.job(task);
            self.observer.migrate(instant(self.now), job, from, cpu);
        }
    }

    /// What `cpu` has on it goes on from the end of the kernel's work.
    #[inline]
    pub(super) fn proceed(&mut self, cpu: Cpu) {
        let row = self.processors.row_mut(cpu);
        if row.held {
            return;
        }
        (row.doing, row.ends) = match self.progress.get(usize::from(row.task)) {
            None if row.task == NOBODY => (Use::Idle, NEVER),
            Some(Progress {
                stage: Stage::Ready,
                left,
                ..
            }) => (Use::Busy, row.since + left),
            Some(Progress {
                stage: Stage::Spinning,
                ..
            }) => (Use::Spin, NEVER),
            // Blocked, or not there yet: the processor is about to look again.
            _ => {
                row.enter_kernel();
                (Use::Kernel, NEVER)
            }
        };
        self.processors.rekey(cpu);
    }

    /// Tells what `cpu` is doing from `at` on.
    #[inline]
    pub(super) fn tell_switch(&mut self, cpu: Cpu, at: u64, overhead: u64) {
        let row = self.processors.row(cpu);
        let doing = match row.doing {
            Use::Busy => Doing::Job(self.job(usize::from(row.task))),
            Use::Spin => Doing::Spin(self.job(usize::from(row.task))),
            Use::Idle => Doing::Idle,
            Use::Kernel | Use::Stolen => return,
        };
        self.observer
            .switch(instant(at), cpu, doing, Duration::from_nanos(overhead));
    }

    /// What a decision costs that leads to `task`, which is another thread than before or not.
    #[cold]
    fn cost_of_dispatch(&mut self, cpu: Cpu, task: u16, other: bool) -> u64 {
        let mut cost = self.cost(SCHEDULE);
        if other {
            cost += self.cost(SWITCH);
            let progress = self.progress.get(usize::from(task));
            if progress.is_some_and(|progress| progress.has_run && progress.last != cpu) {
                cost += self.cost(MIGRATION);
            }
        }
        cost
    }

    /// Draws what an act costs.
    pub(super) fn cost(&mut self, kind: usize) -> u64 {
        let costs = &self.plan.costs;
        let draw = match kind {
            RELEASE => &costs.release,
            SCHEDULE => &costs.schedule,
            SWITCH => &costs.switch,
            _ => &costs.migration,
        };
        let place = self.drawn[kind];
        self.drawn[kind] += 1;
        draw.at(self.seed, place)
    }

    /// `cpu` works for the kernel for `cost`, in the middle of whatever it does.
    #[cold]
    pub(super) fn interrupt(&mut self, cpu: Cpu, cost: u64) {
        self.settle(cpu);
        let row = self.processors.row_mut(cpu);
        if row.held {
            row.owed += cost;
            return;
        }
        row.charge(cost);
        if row.ends != NEVER {
            row.ends += cost;
        }
        self.processors.rekey(cpu);
    }

    /// The slice of what `cpu` executes is used up: it yields to its equals.
    pub(super) fn slice_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        let row = self.processors.row_mut(cpu);
        row.slice = row.since.saturating_add(self.plan.slice);
        let task = usize::from(row.task);
        self.processors.rekey(cpu);
        self.system.act_on(cpu);
        let sink = &mut self.processors.sink(cpu, self.now);
        let yielded = self
            .system
            .yield_now(thread_of(task), instant(self.now), sink);
        yielded.map_err(|error| self.broken("who executes can yield", error))
    }

    /// The budget of what `cpu` executes is used up.
    pub(super) fn budget_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        self.processors.row_mut(cpu).budget = NEVER;
        self.processors.rekey(cpu);
        self.system.act_on(cpu);
        let sink = &mut self.processors.sink(cpu, self.now);
        let expired = self.system.expire(cpu, instant(self.now), sink);
        expired.map_err(|error| self.broken("a budget that was armed can expire", error))
    }
}
