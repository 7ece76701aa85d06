//! Owns: the events when a processor looks for its heir, and their costs.
//! Must never know: the work of jobs.

use taktos_schedule::Cpu;

use super::board::Home;
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

impl<'r, O: Observer> Engine<'r, O> {
    /// `cpu` looks for its heir, and switches to it.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, cpu: Cpu) {
        let now = self.now();
        let row = self.board.processors.row_mut(cpu);
        settle(row, &mut self.progress, now);
        if row.since > now {
            // The kernel is still at work here.
            row.request.set(row.since);
            return;
        }
        row.request.set(NEVER);
        row.statistics.decisions += 1;
        let heir = row.heir.get();
        self.board.processors.end_waiting(cpu);
        match heir {
            NOTHING => self.ask_for_heir(cpu),
            NOBODY if self.shifts => self.idle_or_wait(cpu),
            heir => self.run(cpu, heir),
        }
        self.board.processors.let_go(cpu);
    }

    /// Dispatches `cpu`: from now on it executes its heir, or idles, or waits.
    #[inline(never)]
    fn ask_for_heir(&mut self, cpu: Cpu) {
        self.board.processors.tell_waiting(cpu);
        match self.drive(cpu, |driver| driver.dispatch(cpu)) {
            NOBODY => self.idle_or_wait(cpu),
            heir => self.run(cpu, heir),
        }
    }

    /// Makes `cpu`, which has no thread to execute, idle or wait. It waits for the registers of the
    /// thread that is to run there.
    #[inline(never)]
    fn idle_or_wait(&mut self, cpu: Cpu) {
        let user = |home: &'r Home| match home.lends() {
            true => self.router.told_user(&self.board, cpu),
            false => home.decider().owner(&self.board, cpu.index()),
        };
        let user = self.router.home_of(cpu).and_then(user);
        match user.and_then(|user| self.progress[usize::from(user)].on) {
            Some(on) => self.wait(cpu, on),
            None => self.run(cpu, NOBODY),
        }
    }

    /// `cpu` waits for registers that are on the processor `on`.
    fn wait(&mut self, cpu: Cpu, on: Cpu) {
        self.exchange(cpu, NOTHING);
        self.board.processors.changing(cpu).enter_kernel();
        self.board.processors.wait(cpu, on);
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

    /// Resumes the activity of `cpu` at the end of the kernel's work.
    #[inline]
    pub(super) fn proceed(&mut self, cpu: Cpu) {
        proceed(self.board.processors.row_mut(cpu), &self.progress);
    }

    /// Reports the activity of `cpu` from `at` on.
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

    /// Returns the cost of a decision for `task`; `other` is whether it is another thread than
    /// before.
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
    pub(super) fn slice_end(&mut self, cpu: Cpu) {
        self.settle(cpu);
        let row = self.board.processors.row_mut(cpu);
        row.slice = row.since.saturating_add(self.plan.slice);
        let task = usize::from(row.task);
        self.yields(task, cpu);
    }

    /// The budget of what `cpu` executes is used up.
    #[inline(never)]
    pub(super) fn budget_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        self.settle(cpu);
        self.board.processors.arm(cpu.index(), NEVER);
        let expired = self.drive(cpu, |driver| driver.expire(cpu));
        expired.map_err(|error| self.broken("a budget that was armed can expire", error))
    }
}

/// Resumes the task on the processor `row` at the end of the kernel's work.
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
