//! Owns: the steps of jobs, one by one, and the consequences of a job's end.
//! Must never know: how a lock decides which job waits.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Reasons;
use taktos_time::Duration;

use super::dispatch::proceed;
use super::event::{Class, key};
use super::job::Stage;
use super::plan::StepPlan;
use super::tournament::NEVER;
use super::{Engine, instant, settle};
use crate::{JobId, Late, Observer, SimError, TaskId};

impl<O: Observer> Engine<'_, O> {
    /// Ends the step of the thread on `cpu`, and takes its next steps up to one that takes time.
    pub(super) fn step_end(&mut self, cpu: Cpu) -> Result<(), SimError> {
        let now = self.now();
        let row = self.board.processors.row_mut(cpu);
        settle(row, &mut self.progress, now);
        let task = usize::from(row.task);
        while self.step(task, cpu)? {}
        let row = self.board.processors.changing(cpu);
        proceed(row, &self.progress);
        row.park();
        Ok(())
    }

    /// Parks a processor that has a new heir at this instant: it begins nothing before its
    /// dispatch.
    pub(super) fn park(&mut self, cpu: Cpu) {
        self.board.processors.row_mut(cpu).park();
    }

    /// Takes the next step of `task`'s job; whether another may follow at this instant.
    #[inline]
    fn step(&mut self, task: usize, cpu: Cpu) -> Result<bool, SimError> {
        let now = self.now();
        let progress = &mut self.progress[task];
        let step = match progress.step == progress.plan.end {
            true => &StepPlan::End,
            false => &self.plan.steps[usize::from(progress.step)],
        };
        match step {
            StepPlan::End => self.complete(task, cpu),
            StepPlan::Run(time) => {
                progress.left = time.at(self.seed, progress.job.number);
                progress.step += 1;
                Ok(progress.left == 0)
            }
            StepPlan::Unlock(lock) => {
                progress.step += 1;
                self.surrender(task, *lock)?;
                Ok(true)
            }
            StepPlan::Lock(_) | StepPlan::Suspend(_) | StepPlan::Until(_)
                if self.board.processors.row(cpu).has_lost() =>
            {
                Ok(false)
            }
            StepPlan::Lock(lock) => {
                progress.step += 1;
                self.obtain(task, *lock, cpu)
            }
            StepPlan::Suspend(time) => {
                let time = time.at(self.seed, progress.job.number);
                progress.step += 1;
                self.suspend(task, time)
            }
            StepPlan::Until(time) => {
                let reckoned = progress.job.arrival.saturating_add(self.rare[task].shift);
                let until = reckoned.saturating_add(*time);
                progress.step += 1;
                if now > until && progress.plan.late == Late::Shift {
                    self.shift(task, now - until);
                }
                self.suspend(task, until.saturating_sub(now))
            }
        }
    }

    /// Suspends the job of `task` for `time`. Returns whether `time` is 0, so that another step may
    /// follow.
    fn suspend(&mut self, task: usize, time: u64) -> Result<bool, SimError> {
        if time == 0 {
            return Ok(true);
        }
        self.progress[task].stage = Stage::Suspended;
        let until = self.now().saturating_add(time);
        let slot = self.plan.tasks.len() + task;
        self.agenda.set(slot, key(until, Class::Timer));
        self.agenda.set_rank(slot, self.now());
        let job = self.job(task);
        self.observer
            .suspend(instant(self.now()), job, instant(until));
        self.block(task, Reasons::TIME);
        Ok(false)
    }

    /// Completes the job of `task`. Returns whether a step of the next job may follow at once.
    fn complete(&mut self, task: usize, cpu: Cpu) -> Result<bool, SimError> {
        let now = self.now();
        let progress = &self.progress[task];
        let (arrival, deadline) = (progress.job.arrival, progress.deadline());
        let aborts = progress.plan.late == Late::Abort;
        let job = JobId {
            task: TaskId(task as u16),
            number: progress.job.number,
        };
        let response = now - arrival;
        let tally = &mut self.tallies[task];
        if !tally.has_room(response) {
            tally.flush(&mut self.statistics[task]);
        }
        tally.add(response, progress.cpu_time, now - progress.wall_start);
        self.observer
            .complete(instant(now), cpu, job, Duration::from_nanos(response));
        if now > deadline {
            let statistics = &mut self.statistics[task];
            statistics.tardiness = statistics.tardiness.max(now - deadline);
            self.missed(task, job.number, deadline);
        }
        if aborts {
            self.agenda.set(2 * self.plan.tasks.len() + task, NEVER);
        }
        self.next_job(task)?;
        if self.progress[task].stage == Stage::Inactive {
            return Ok(false);
        }
        // The task continues with the next job, without a switch.
        self.progress[task].begun = true;
        self.tell_switch(cpu, now, 0);
        Ok(self.progress[task].left == 0)
    }
}
