//! Owns: the beginning of jobs: releases, wake-ups, and the end of those that are too late.
//! Must never know: the work of a job between beginning and end.

use taktos_schedule::smp::Reasons;

use super::dispatch::RELEASE;
use super::event::{Class, key};
use super::job::{Cursor, Stage};
use super::plan::StepPlan;
use super::tournament::NEVER;
use super::{Engine, instant};
use crate::{JobId, Late, Observer, SimError, TaskId};

impl<O: Observer> Engine<'_, O> {
    /// The time of the next job of `task` has come.
    pub(super) fn release(&mut self, task: usize) -> Result<(), SimError> {
        let progress = &mut self.progress[task];
        let (stage, late) = (progress.stage, progress.plan.late);
        if late == Late::Shift && stage != Stage::Inactive {
            progress.withheld = true;
            self.agenda.set(task, NEVER);
            return Ok(());
        }
        let (released, deadline) = self.arrive(task);
        self.interrupt_for_release(task);
        let progress = &mut self.progress[task];
        if stage == Stage::Inactive {
            progress.job = released;
            progress.stage = Stage::Ready;
            let deadline = self.begin(task);
            return self.release_and_unblock(task, deadline);
        }
        match late {
            Late::Skip => {
                self.statistics[task].skipped += 1;
                self.missed(task, released.number, deadline);
            }
            Late::Queue | Late::Abort | Late::Shift => progress.backlog += 1,
        }
        Ok(())
    }

    /// The next job of `task` is released: it, and its deadline.
    #[inline(always)]
    fn arrive(&mut self, task: usize) -> (Cursor, u64) {
        let progress = &mut self.progress[task];
        let plan = progress.plan;
        let released = progress.next.job;
        progress.next.advance(&plan, self.plan, task, self.seed);
        self.set_release(task);
        let deadline = released.arrival.saturating_add(plan.deadline);
        self.observer.release(
            instant(self.now()),
            JobId {
                task: TaskId(task as u16),
                number: released.number,
            },
            instant(released.arrival),
            (plan.deadline != NEVER).then(|| instant(deadline)),
        );
        (released, deadline)
    }

    /// All that is reckoned from the arrival of the present job of `task` is later by `shift`, its
    /// next job too.
    pub(super) fn shift(&mut self, task: usize, shift: u64) {
        self.rare[task].shift += shift;
        let progress = &mut self.progress[task];
        progress.next.delay(shift);
        // A withheld job is due already: it is checked when the present job is done.
        if !progress.withheld {
            self.set_release(task);
        }
    }

    /// The timer's interrupt takes its time, where the task executed last.
    #[inline(always)]
    fn interrupt_for_release(&mut self, task: usize) {
        if !self.free.releases {
            let cost = self.cost(RELEASE);
            self.interrupt(self.progress[task].last, cost);
        }
    }

    /// Makes `progress.job` the job of `task` from now on. Returns its deadline, if it has one,
    /// which the library must receive.
    #[inline(always)]
    fn begin(&mut self, task: usize) -> Option<u64> {
        let now = self.now();
        let progress = &mut self.progress[task];
        let (plan, deadline) = (progress.plan, progress.deadline());
        progress.wall_start = now;
        progress.cpu_time = 0;
        progress.begun = false;
        progress.left = 0;
        if plan.first_run == NEVER {
            progress.step = plan.body;
            self.fetch(task);
        } else {
            progress.step = plan.body + 1;
            progress.left = plan.first_run;
        }
        if plan.late == Late::Shift {
            self.rare[task].shift = 0;
        }
        if plan.deadline == NEVER {
            return None;
        }
        if plan.late == Late::Abort {
            let at = deadline.max(self.now());
            self.agenda
                .set(2 * self.plan.tasks.len() + task, key(at, Class::Timer));
        }
        Some(deadline)
    }

    /// Continues with `progress.job` of `task`, because its former job has ended.
    #[cold]
    fn go_on(&mut self, task: usize) -> Result<(), SimError> {
        match self.begin(task) {
            Some(deadline) => self.release_job(task, deadline),
            None => Ok(()),
        }
    }

    /// Where the next step uses the processor, it is begun.
    #[inline(always)]
    fn fetch(&mut self, task: usize) {
        let progress = &mut self.progress[task];
        if let StepPlan::Run(time) = &self.plan.steps[usize::from(progress.step)] {
            progress.left = time.at(self.seed, progress.job.number);
            progress.step += 1;
        }
    }

    /// The suspension of `task` is over.
    #[inline(never)]
    pub(super) fn wake(&mut self, task: usize) {
        self.agenda.set(self.plan.tasks.len() + task, NEVER);
        self.interrupt_for_release(task);
        self.progress[task].stage = Stage::Ready;
        self.fetch(task);
        let job = self.job(task);
        self.observer.resume(instant(self.now()), job);
        self.unblock(task, Reasons::TIME);
    }

    /// The deadline of the job of `task` has come, and it is not done: it ends here.
    #[inline(never)]
    pub(super) fn give_up(&mut self, task: usize) -> Result<(), SimError> {
        let tasks = self.plan.tasks.len();
        self.agenda.set(2 * tasks + task, NEVER);
        if let Some(cpu) = self.progress[task].on {
            self.settle(cpu);
        }
        let stage = self.progress[task].stage;
        if matches!(stage, Stage::Waiting | Stage::Spinning) {
            self.stop_waiting(task)?;
        }
        while let Some(lock) = self.rare[task].held.last().copied() {
            self.surrender(task, lock)?;
        }
        self.statistics[task].aborted += 1;
        let progress = &self.progress[task];
        let (number, deadline) = (progress.job.number, progress.deadline());
        self.missed(task, number, deadline);
        self.next_job(task)?;
        if stage == Stage::Suspended {
            self.agenda.set(tasks + task, NEVER);
            self.unblock(task, Reasons::TIME);
        }
        if let Some(cpu) = self.progress[task].on {
            self.proceed(cpu);
        }
        Ok(())
    }

    /// The job of `task` has ended: on to the next, or to wait for it.
    pub(super) fn next_job(&mut self, task: usize) -> Result<(), SimError> {
        let now = self.now();
        let progress = &mut self.progress[task];
        if core::mem::take(&mut progress.withheld) {
            let late = now.saturating_sub(progress.next.ready);
            progress.next.delay(late);
            if progress.next.ready == self.now() {
                self.progress[task].job = self.arrive(task).0;
                self.progress[task].stage = Stage::Ready;
                return self.go_on(task);
            }
            self.set_release(task);
        }
        let progress = &mut self.progress[task];
        if progress.backlog == 0 {
            progress.stage = Stage::Inactive;
            self.agenda.set_rank(task, self.now());
            self.block(task, Reasons::PERIOD);
            return Ok(());
        }
        progress.backlog -= 1;
        let plan = progress.plan;
        progress.job.advance(&plan, self.plan, task, self.seed);
        progress.stage = Stage::Ready;
        self.go_on(task)
    }
}
