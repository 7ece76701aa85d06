//! Owns: the run of a plan: events in order, the library's decisions, their effects on jobs.
//! Must never know: how to choose the thread that runs.
//!
//! # Time
//! Integer nanoseconds. The order of simultaneous events is that of [`event`]. Actions of a job
//! that take no time (locks, calls) happen within the event that leads to them.
//!
//! # Costs
//! An operation of the kernel takes effect at its event, in the library. The processor of the
//! operation then works for the kernel for as long as the operation costs. Requests to processors
//! take effect afterwards: the processor's own dispatch at once, that of another one after the
//! latency of an IPI. A processor that works for the kernel takes no request meanwhile.

mod act;
mod agenda;
mod begin;
mod board;
mod body;
mod ceilings;
mod check;
mod dispatch;
pub(crate) mod draw;
mod event;
mod guest;
mod job;
mod plan;
mod prepare;
mod priorities;
mod processor;
mod release;
mod resources;
mod steps;
mod tables;
mod tally;
pub(crate) mod tournament;
mod turned;
mod urgency;
mod waiting;

pub use plan::Plan;
pub(crate) use priorities::squeeze;
pub use tables::Tables;
pub(crate) use waiting::Ranked;

use taktos_schedule::smp::Thread;
use taktos_schedule::{Cpu, smp};
use taktos_time::Instant;

use crate::{JobId, Observer, Outcome, SimError, TaskId, TaskStatistics};
use agenda::Agenda;
use board::{Board, Router};
use event::{Class, UNSET, class_of, key, time_of};
use job::{Progress, Rare, Stage};
use processor::{Processor, Use};
use tally::Tally;

/// Runs `plan` with `seed` from 0 to its horizon.
///
/// Memory is that of the plan's tables: it does not grow with time.
///
/// # Errors
/// If the library refuses an operation of a job.
pub fn run(plan: &Plan, seed: u64, observer: &mut impl Observer) -> Result<Outcome, SimError> {
    let mut tables = Tables::new(plan);
    let mut engine = Engine::new(plan, &mut tables, seed, observer)?;
    engine.advance(plan.horizon)?;
    Ok(engine.finish())
}

/// A run of a plan, which its owner drives.
pub struct Engine<'r, O> {
    plan: &'r Plan,
    router: Router<'r>,
    board: Board,
    observer: &'r mut O,
    seed: u64,
    events: u64,
    progress: Vec<Progress>,
    rare: Vec<Rare>,
    /// Figures of each job while they are gathered; the rest is in `statistics`.
    tallies: Vec<Tally>,
    statistics: Vec<TaskStatistics>,
    /// Releases, by task; where the plan sleeps also wake-ups (from the number
    /// of tasks on) and deadlines at which jobs are given up (from twice that).
    agenda: Agenda,
    /// Whether seats with affinities decide somewhere.
    shifts: bool,
    /// How often each cost has been drawn: release, schedule, switch, migration.
    drawn: [u64; 4],
    free: Free,
}

impl<O> core::fmt::Debug for Engine<'_, O> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut engine = f.debug_struct("Engine");
        engine.field("now", &self.board.processors.now);
        engine.finish_non_exhaustive()
    }
}

/// Kinds of costs that are always nothing: none of them is drawn.
#[derive(Clone, Copy, Debug)]
struct Free {
    releases: bool,
    /// Decisions, switches and migrations.
    dispatches: bool,
}

impl<O: Observer> Engine<'_, O> {
    /// The instant of the next event, in nanoseconds; none when nothing will ever happen.
    #[inline]
    pub fn next_event(&self) -> Option<u64> {
        let processors = &self.board.processors;
        let first = processors.next().min(self.agenda.first());
        let key = first.min(processors.due());
        (key < UNSET).then(|| time_of(key))
    }

    /// Handles all events before `until`, and those at `until` that end
    /// something: what a processor was to execute or a sleeper to sleep. Releases
    /// and dispatches at `until` stay for the next call.
    ///
    /// # Errors
    /// If the library refuses an operation of a job.
    pub fn advance(&mut self, until: u64) -> Result<(), SimError> {
        self.advance_before(key(until, Class::Release))
    }

    /// Handles all events with a key below `end`.
    fn advance_before(&mut self, end: u64) -> Result<(), SimError> {
        loop {
            let processors = &mut self.board.processors;
            processors.refresh();
            let (at, timer) = (processors.next(), self.agenda.first());
            let (first, due) = (at.min(timer), processors.due());
            if first.min(due) >= end {
                return Ok(());
            }
            self.events += 1;
            let mut cpu = None;
            if due < first {
                cpu = Some(processors.take_due());
            } else {
                processors.reach(time_of(first));
                if timer < at {
                    self.timer_event()?;
                } else {
                    cpu = self.processor_event(class_of(at))?;
                }
            }
            if let Some(cpu) = cpu {
                self.dispatch(cpu);
            }
        }
    }

    /// The next event of a processor, of this class; the processor, where that looks for its heir
    /// now.
    #[inline(always)]
    fn processor_event(&mut self, class: Class) -> Result<Option<Cpu>, SimError> {
        let processors = &self.board.processors;
        match class {
            Class::StepEnd => self.step_end(processors.holder())?,
            Class::Budget => self.budget_end(processors.holder())?,
            Class::Slice => self.slice_end(processors.holder()),
            _ => return Ok(Some(processors.take_dispatch())),
        }
        Ok(None)
    }

    #[inline(always)]
    fn timer_event(&mut self) -> Result<(), SimError> {
        let slot = self.agenda.take();
        let tasks = self.plan.tasks.len();
        match slot {
            _ if slot < tasks => self.release(slot),
            _ if slot < 2 * tasks => {
                self.wake(slot - tasks);
                Ok(())
            }
            _ => self.give_up(slot - 2 * tasks),
        }
    }

    /// Checks the library's invariants, for tests. It takes as many steps as there are tasks,
    /// squared at worst.
    ///
    /// # Errors
    /// The invariant that does not hold.
    pub fn check_laws(&mut self) -> Result<(), SimError> {
        let checked = self.router.check(&self.board);
        checked.map_err(|violation| SimError::Broken {
            at: self.now(),
            law: format!("{violation:?}"),
        })
    }

    /// Ends the run: closes the accounts at the plan's horizon.
    #[must_use]
    pub fn finish(mut self) -> Outcome {
        let horizon = self.plan.horizon;
        self.board.processors.now = horizon;
        for cpu in self.plan.cpus() {
            self.settle(cpu);
            self.board.processors.row_mut(cpu).close(horizon);
        }
        for task in 0..self.progress.len() {
            self.count_unfinished(task);
            let statistics = &mut self.statistics[task];
            self.tallies[task].flush(statistics);
            // Each release has a number.
            statistics.released = self.progress[task].next.job.number;
        }
        let cpus = self.plan.cpus().into_iter();
        Outcome {
            cpus: cpus
                .map(|cpu| self.board.processors.row(cpu).statistics)
                .collect(),
            tasks: self.statistics,
            virtual_time: horizon,
            events: self.events,
        }
    }

    /// Counts the jobs of `task` that should have been done by the horizon and are not.
    fn count_unfinished(&mut self, task: usize) {
        let Progress {
            stage,
            mut job,
            backlog,
            plan,
            ..
        } = self.progress[task];
        if stage == Stage::Inactive {
            return;
        }
        for _ in 0..=backlog {
            let deadline = job.arrival.saturating_add(plan.deadline);
            if deadline <= self.now() {
                self.missed(task, job.number, deadline);
            }
            job.advance(&plan, self.plan, task, self.seed);
        }
    }

    /// The instant of the event at work.
    #[inline(always)]
    fn now(&self) -> u64 {
        self.board.processors.now
    }

    /// Accounts the time of `cpu` up to now, and with it the progress of what it executes.
    #[inline]
    fn settle(&mut self, cpu: Cpu) {
        let now = self.now();
        let row = self.board.processors.row_mut(cpu);
        settle(row, &mut self.progress, now);
    }

    fn missed(&mut self, task: usize, number: u64, deadline: u64) {
        self.statistics[task].missed += 1;
        let job = JobId {
            task: TaskId(task as u16),
            number,
        };
        self.observer
            .miss(instant(self.now()), job, instant(deadline));
    }

    /// The present job of `task`.
    #[inline(always)]
    fn job(&self, task: usize) -> JobId {
        // Without a check that could fail, nothing is left of it if there is no observer.
        let number = self.progress.get(task).map_or(0, |it| it.job.number);
        JobId {
            task: TaskId(task as u16),
            number,
        }
    }

    /// The library refused what it must not refuse.
    #[cold]
    fn broken(&self, law: &str, error: smp::Error) -> SimError {
        SimError::Broken {
            at: self.now(),
            law: format!("{law} ({error})"),
        }
    }

    /// The library refused what the present job of `task` does.
    #[cold]
    fn refused(&self, task: usize, what: &str, error: smp::Error) -> SimError {
        SimError::Refused {
            task: self.plan.entries[task].name.clone(),
            job: self.progress[task].job.number,
            at: self.now(),
            what: what.to_owned(),
            error,
        }
    }
}

/// Accounts the time of the processor `row` up to `now`, and with it the progress of what it
/// executes.
#[inline(always)]
fn settle(row: &mut Processor, progress: &mut [Progress], now: u64) {
    let passed = row.settle(now);
    if passed == 0 || !matches!(row.doing, Use::Busy | Use::Spin) {
        return;
    }
    let progress = &mut progress[usize::from(row.task)];
    progress.cpu_time += passed;
    if row.doing == Use::Busy {
        progress.left -= passed;
    }
}

/// The thread of a task: rows of the two tables correspond.
#[inline(always)]
fn thread_of(task: usize) -> Thread {
    // The plan has at most 65,000 tasks.
    Thread::new(task).unwrap_or(FIRST)
}

const FIRST: Thread = match Thread::new(0) {
    Some(thread) => thread,
    None => panic!("there is a first row"),
};

#[inline(always)]
const fn instant(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}
