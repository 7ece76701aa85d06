//! Owns: what happens when a processor looks for its heir, and what it costs.
//! Must never know: what jobs do.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Dispatch;
use taktos_schedule::smp::closed::Rows;

use super::board::{Board, Sink};
use super::job::{Progress, Stage};
use super::processor::{NOBODY, NOTHING, Processor, Use};
use super::tournament::NEVER;
use super::{Engine, instant, settle};
use crate::{Doing, JobId, Observer, SimError, TaskId};
use taktos_time::Duration;

/// Places in [`Engine::drawn`].
pub(super) const RELEASE: usize = 0;
const SCHEDULE: usize = 1;
const SWITCH: usize = 2;
const MIGRATION: usize = 3;

impl<O: Observer> Engine<'_, O> {
    /// `cpu` looks for its heir, and switches to it.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, cpu: Cpu) -> Result<(), SimError> {
        let now = self.now();
        let row = self.board.processors.row_mut(cpu);
        settle(row, &mut self.progress, now);
        if row.since > now {
            // The kernel is still at work here.
            row.request.set(row.since);
            return Ok(());
        }
        row.request.set(NEVER);
        row.statistics.decisions += 1;
        if row.waits_for.take().is_some() {
            self.waiting -= 1;
        }
        match row.heir.get() {
            NOTHING => self.ask_for_heir(cpu)?,
            heir => self.run(cpu, heir),
        }
        if self.waiting > 0 {
            let at = self.board.processors.row(cpu).since;
            self.board.processors.freed(cpu, at);
        }
        Ok(())
    }

    /// The tables say who executes on `cpu` from now on.
    #[inline(never)]
    fn ask_for_heir(&mut self, cpu: Cpu) -> Result<(), SimError> {
        let now = instant(self.now());
        let decided = self.ask(cpu, |system, effects| system.dispatch(cpu, now, effects));
        match decided.map_err(|error| self.broken("a processor of a cluster has an heir", error))? {
            Dispatch::Run(thread) => {
                self.run(cpu, self.board.thread(thread).unwrap_or(NOBODY));
            }
            Dispatch::Wait { registers_on, .. } => {
                self.exchange(cpu, NOTHING);
                let row = self.board.processors.changing(cpu);
                row.enter_kernel();
                row.waits_for = Some(registers_on);
                self.waiting += 1;
            }
        }
        Ok(())
    }

    /// `cpu` executes `task` from now on ([`NOBODY`]: an idle thread).
    #[inline(always)]
    fn run(&mut self, cpu: Cpu, task: u16) {
        let row = self.board.processors.row(cpu);
        let other = row.task != task;
        let from = match row.doing {
            Use::Kernel => row.kernel_since,
            _ => row.since,
        };
        let mut news = other || row.doing == Use::Kernel;
        let mut cost = 0;
        if !self.free.dispatches {
            cost = self.cost_of_dispatch(cpu, task, other);
            news |= cost > 0;
        }
        if other {
            self.exchange(cpu, task);
        }
        let row = self.board.processors.changing(cpu);
        row.charge(cost);
        let at = row.since;
        if other {
            row.statistics.switches += 1;
            if self.plan.slice != NEVER && task != NOBODY {
                let progress = &mut self.progress[usize::from(task)];
                let slice = match core::mem::replace(&mut progress.slice_left, NEVER) {
                    NEVER => self.plan.slice,
                    left => left,
                };
                row.slice = at.saturating_add(slice);
            }
        }
        proceed(row, &self.progress);
        if news {
            self.tell_switch(cpu, at, at - from);
        }
    }

    /// The thread on `cpu` gives its registers up to that of `task` ([`NOBODY`], [`NOTHING`]: to no
    /// task's).
    #[inline]
    fn exchange(&mut self, cpu: Cpu, task: u16) {
        let now = instant(self.now());
        let job_of = |task: u16, progress: &Progress| JobId {
            task: TaskId(task),
            number: progress.job.number,
        };
        let row = self.board.processors.changing(cpu);
        let former = core::mem::replace(&mut row.task, task);
        let slice = core::mem::replace(&mut row.slice, NEVER);
        if let Some(progress) = self.progress.get_mut(usize::from(former)) {
            progress.on = None;
            let is_ready = matches!(progress.stage, Stage::Ready | Stage::Spinning);
            progress.slice_left = match is_ready && slice != NEVER {
                true => slice.saturating_sub(row.since).max(1),
                false => NEVER,
            };
            if is_ready && progress.begun {
                self.tallies[usize::from(former)].preemptions += 1;
                self.observer.preempt(now, cpu, job_of(former, progress));
            }
        }
        if let Some(progress) = self.progress.get_mut(usize::from(task)) {
            let from = core::mem::replace(&mut progress.last, cpu);
            let in_job = core::mem::replace(&mut progress.begun, true);
            let moved = core::mem::replace(&mut progress.has_run, true) && from != cpu;
            progress.on = Some(cpu);
            if moved {
                let tally = &mut self.tallies[usize::from(task)];
                tally.migrations += 1;
                tally.migrations_in_job += u64::from(in_job);
                self.observer
                    .migrate(now, job_of(task, progress), from, cpu);
            }
        }
    }

    /// What `cpu` has on it goes on from the end of the kernel's work.
    #[inline]
    pub(super) fn proceed(&mut self, cpu: Cpu) {
        proceed(self.board.processors.row_mut(cpu), &self.progress);
    }

    /// Tells what `cpu` is doing from `at` on.
    #[inline]
    pub(super) fn tell_switch(&mut self, cpu: Cpu, at: u64, overhead: u64) {
        let row = self.board.processors.row(cpu);
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
        let row = self.board.processors.row_mut(cpu);
        if row.held {
            row.owed += cost;
            return;
        }
        row.charge(cost);
        if row.ends != NEVER {
            row.ends += cost;
        }
    }

    /// The slice of what `cpu` executes is used up: it yields to its equals.
    #[inline(never)]
    pub(super) fn slice_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        let row = self.board.processors.row_mut(cpu);
        row.slice = row.since.saturating_add(self.plan.slice);
        let task = usize::from(row.task);
        let yielded = self.yields(task, cpu);
        yielded.map_err(|error| self.broken("who executes can yield", error))
    }

    /// The budget of what `cpu` executes is used up.
    #[inline(never)]
    pub(super) fn budget_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        let board: &Board = &self.board;
        board.processors.arm(cpu.index(), NEVER);
        board.processors.act_on(cpu);
        self.router.system_mut().act_on(cpu);
        let sink = &mut Sink(&board.processors);
        let expired = self
            .router
            .expire(board, cpu, instant(board.processors.now), sink);
        expired.map_err(|error| self.broken("a budget that was armed can expire", error))
    }
}

/// The task on the processor `row` goes on from the end of the kernel's work.
#[inline(always)]
pub(super) fn proceed(row: &mut Processor, progress: &[Progress]) {
    if row.held {
        return;
    }
    (row.doing, row.ends) = match progress.get(usize::from(row.task)) {
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
        _ => return row.enter_kernel(),
    };
}
