//! Comparison of the same tasks on the kernel and in the simulator: the figures of each, and their
//! differences, task by task.
//!
//! Owns: the comparison and its bounds. Must never know: the running of images.

mod backlog;
pub mod draw;
mod jobs;
mod order;
mod schedule;
mod simulated;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use taktos_export::table::{Cell, Column, Table, thousands};
use taktos_export::{Basis, Drawn, Evidence, Recording, to_json};
use taktos_simulate::Summary;
use taktos_trace::Thread;

pub use order::{Order, Turns};
pub use schedule::schedule;
pub use simulated::{Simulated, simulate};

use backlog::Backlog;
use jobs::{Job, jobs};

use crate::number::millis;
use crate::smp::{Case, Figures, Periodic, TaskFigures, Times};

/// Results of the kernel and of the simulator for the same case.
#[derive(Clone, Copy)]
pub struct Both<'a> {
    /// Case that both ran.
    pub case: &'a Case,
    /// The kernel's own figures.
    pub kernel: &'a Figures,
    /// The kernel's schedule, from outside: its first threads are the tasks, its time begins with
    /// the first release.
    pub schedule: &'a Recording,
    /// The simulator's.
    pub simulated: &'a Simulated,
    /// Work of the kernel for one job alone, in nanoseconds: measured.
    pub cost: u64,
    /// Work of the kernel for one job among as many tasks, at least as much: measured.
    pub company: u64,
}

/// One task in both worlds.
struct Pair<'a> {
    kernel: &'a TaskFigures,
    wall: Option<Times>,
    jobs: u64,
    missed: u64,
    /// By how much the wall times may differ; none where the orders part, or may part.
    bound: Option<u64>,
    /// By how many its jobs may differ where there is no bound.
    apart: u64,
}

impl Both<'_> {
    fn pairs(&self) -> Vec<Pair<'_>> {
        let same = matches!(self.order(), Order::Same(_));
        let backlogs = same.then(|| self.backlogs());
        let jobs = jobs(&self.simulated.recording, self.case.tasks.len());
        let bound = |place: usize| self.bound(place, &jobs[place], backlogs.as_ref()?);
        let tasks = self
            .kernel
            .tasks
            .iter()
            .zip(&self.simulated.outcome.tasks)
            .enumerate();
        tasks
            .map(|(place, (kernel, simulated))| Pair {
                kernel,
                wall: times(&simulated.wall),
                jobs: simulated.jobs,
                missed: simulated.missed,
                bound: bound(place),
                apart: self.jobs_apart(place),
            })
            .collect()
    }

    /// Returns by how many jobs a task without a bound may differ: one at the end, and without
    /// spare capacity the number of its jobs that are together as long as the kernel's work in the
    /// whole run.
    fn jobs_apart(&self, place: usize) -> u64 {
        let works = self.kernel.jobs().saturating_mul(self.company);
        1 + works / self.case.tasks[place].execution.max(1)
    }

    /// Of each instance, in either world.
    fn backlogs(&self) -> Vec<Backlog> {
        let (tasks, until) = (self.case.tasks.len(), self.case.horizon.as_nanos());
        let of = |cpus| {
            let kernel = Backlog::of(self.schedule, tasks, cpus, until);
            // The simulator's own work is the thread after the tasks.
            let simulated = Backlog::of(&self.simulated.recording, tasks + 1, cpus, until);
            [kernel, simulated]
        };
        self.case.layout.instances().iter().flat_map(of).collect()
    }

    /// Returns the largest possible difference of a wall time of the task if the orders are equal:
    /// the most work of the kernel while one of its jobs is active, from the last instant with an
    /// idle processor on.
    ///
    /// Turns are of tasks. The way in which the task left shows the turn in which a job ended,
    /// unless the next job was there already. Then the job may have ended in another turn, before
    /// or after all that executed in between, if the work makes up its margin. So there is no bound
    /// then, nor if one world has a job more.
    fn bound(&self, place: usize, jobs: &[Job], backlogs: &[Backlog]) -> Option<u64> {
        let done = jobs.len() as u64;
        if done != self.kernel.tasks[place].jobs || done != self.simulated.outcome.tasks[place].jobs
        {
            return None;
        }
        let mut most = 0;
        for job in jobs {
            let work = self.work(job, backlogs);
            if job.margin.is_some_and(|margin| margin <= work) {
                return None;
            }
            most = most.max(work);
        }
        Some(most)
    }

    /// Returns the longest work of the kernel for the jobs that arrive, or are active, in the
    /// stretch without an idle processor before the job was done.
    ///
    /// Up to its end a job has waited for the same jobs in both worlds, and these have executed for
    /// the same times; so only the work for them can differ. Each job costs the kernel at most the
    /// time measured in company, on several processors one quantum more, and the simulator less.
    /// During the kernel's further work other jobs may arrive before the end: these are work, too.
    fn work(&self, job: &Job, backlogs: &[Backlog]) -> u64 {
        let processors = self.case.layout.processors() as u64;
        let quantum = match processors {
            1 => 0,
            _ => u64::from(self.case.quantum),
        };
        let horizon = self.case.horizon.as_nanos();
        let mut work = 0;
        loop {
            let to = (job.end + work).min(horizon);
            let begins = backlogs
                .iter()
                .map(|backlog| backlog.begin(job.release, to));
            let of = begins.min().unwrap_or(job.release)..to;
            let released = self.case.tasks.iter().map(|task| task.released(&of));
            // Those that are on when the stretch begins, at most one a processor, were released
            // before.
            let jobs = released.sum::<u64>() + processors;
            let next = jobs.saturating_mul(self.company + quantum);
            if next <= work || to == horizon {
                return work.max(next);
            }
            work = next;
        }
    }

    /// The policy, the layout, and whether releases were moved apart.
    pub fn name(&self) -> String {
        let tied = self.case.apart().is_some();
        let how = if tied { "" } else { ", releases apart" };
        format!("{}{how}", self.case.name())
    }

    /// Returns how the orders of the turns compare.
    pub fn order(&self) -> Order {
        let (tasks, instances) = (self.case.tasks.len(), self.case.layout.instances());
        let until = self.case.horizon.as_nanos();
        let kernel = Turns::of(self.schedule, tasks, None, &instances, until);
        // The simulator's own work is the thread after the tasks.
        let work = u16::try_from(tasks).ok().map(Thread);
        let simulated = Turns::of(&self.simulated.recording, tasks, work, &instances, until);
        kernel.compare(
            &simulated,
            instances.first().map_or(1, ExactSizeIterator::len),
        )
    }

    /// The tables, and the words.
    pub fn draw(&self) -> Drawn {
        let name = self.name();
        Drawn {
            title: format!("Kernel and simulator: {name}"),
            answer: vec![self.about_order(), self.about_times()],
            tables: vec![self.table(&name)],
            evidence: vec![Evidence::Emulated, Evidence::Simulated],
            printed: true,
            ..Drawn::default()
        }
    }

    fn table(&self, name: &str) -> Table {
        let emulated = |name: &str| Column::figures(name, Basis::Ours(Evidence::Emulated));
        let simulated = |name: &str| Column::figures(name, Basis::Ours(Evidence::Simulated));
        let pairs = self.pairs();
        let wall = |pair: &Pair<'_>, part: Part| (of(pair.kernel.wall, part), of(pair.wall, part));
        let mut table = Table::over(
            format!("Kernel and simulator, task by task: {name}"),
            &pairs,
        )
        .label("task", |pair| pair.kernel.name.as_str())
        .column(emulated("jobs"), |pair| pair.kernel.jobs)
        .column(simulated("jobs"), |pair| pair.jobs)
        .column(emulated("late"), |pair| pair.kernel.missed)
        .column(simulated("late"), |pair| pair.missed);
        let parts: [(_, Part); 2] = [
            ("wall, mean", |times| times.mean),
            ("longest", |times| times.max),
        ];
        for (what, part) in parts {
            let name = format!("{what}, ms");
            table = table
                .column(emulated(&name), |pair| wall(pair, part).0.map(millis))
                .column(simulated(&name), |pair| wall(pair, part).1.map(millis))
                .label("difference, ns", |pair| {
                    let (kernel, simulated) = wall(pair, part);
                    Some(signed(kernel?, simulated?))
                });
        }
        table
            .label("bound, ns", |pair| pair.bound)
            .label("within", Pair::verdict)
            .note(format!(
                "The kernel works {} ns for a job that nothing disturbs (measured with one task): this is what the \
                 simulator charges, half of it for each of two switches. Among as many tasks it works {} ns for one \
                 (measured). Bound: that, for each job that comes or is on from the instant on from which no processor \
                 idled before one of the task was done. Where the orders part there is none, nor for a task one of whose \
                 jobs may have ended in another turn, or only in one of both.",
                thousands(self.cost),
                thousands(self.company)
            ))
            .done()
    }

    fn about_order(&self) -> String {
        let name = self.name();
        let task = |task: Option<u16>| task.and_then(|task| self.case.tasks.get(usize::from(task)));
        let called =
            |task: Option<&Periodic>| task.map_or("nobody", |task| task.name.as_str()).to_owned();
        match self.order() {
            Order::Same(turns) => format!(
                "Order, {name}: kernel (emulated) and simulator (simulated) gave the processors to the same tasks in \
                 the same order, in all {} turns.",
                thousands(turns as u64)
            ),
            Order::Parts {
                instance,
                turn,
                first,
                second,
            } => {
                let (first, second) = (task(first), task(second));
                if let Some(same) = first.filter(|first| second == Some(first)) {
                    return format!(
                        "Order, {name}: they part at turn {turn} of instance {instance}: {}'s job is done in one of \
                         kernel (emulated) and simulator (simulated), and loses its processor in the other.",
                        same.name
                    );
                }
                let tied = first
                    .zip(second)
                    .is_some_and(|(first, second)| first.coincides_with(second));
                let why = match tied && self.case.layout.processors() > 1 {
                    true => {
                        "; both are released at one instant, by whichever processors, so neither comes first by any rule"
                    }
                    false => "",
                };
                format!(
                    "Order, {name}: they part at turn {turn} of instance {instance}: {} on the kernel (emulated), {} \
                     in the simulator (simulated){why}.",
                    called(first),
                    called(second)
                )
            }
        }
    }

    fn about_times(&self) -> String {
        let pairs = self.pairs();
        let within = pairs
            .iter()
            .filter(|pair| pair.bound.is_some() && pair.is_within())
            .count();
        let worst = pairs
            .iter()
            .filter_map(|pair| Some((pair.difference()?, &pair.kernel.name)))
            .max();
        let (most, whose) = worst.map_or((0, "none"), |(most, name)| (most, name.as_str()));
        let bounded = pairs.iter().filter(|pair| pair.bound.is_some()).count();
        let bounded = match self.order() {
            Order::Same(_) if bounded == pairs.len() => {
                format!("the wall times of {within} of {bounded} tasks lie within the bound")
            }
            Order::Same(_) => format!(
                "the wall times of {within} of {bounded} tasks that have a bound lie within it; in which turns all \
                 jobs of the others ended is not known"
            ),
            Order::Parts { .. } => "there is no bound, because the orders part".to_owned(),
        };
        format!(
            "Times, {}: {bounded}; the greatest difference is {} ns ({whose}).",
            self.name(),
            thousands(most)
        )
    }

    /// Returns whether the orders are equal, and all times within their bounds.
    pub fn agree(&self) -> bool {
        matches!(self.order(), Order::Same(turns) if turns > 0)
            && self.pairs().iter().all(Pair::is_within)
    }
}

impl Pair<'_> {
    /// The greatest difference of least, mean and greatest wall times.
    fn difference(&self) -> Option<u64> {
        let (kernel, simulated) = self.kernel.wall.zip(self.wall)?;
        let all = [
            kernel.min.abs_diff(simulated.min),
            kernel.mean.abs_diff(simulated.mean),
            kernel.max.abs_diff(simulated.max),
        ];
        all.into_iter().max()
    }

    /// Returns whether the times are within the bound; without one, whether the numbers of jobs
    /// differ by no more than they may.
    fn is_within(&self) -> bool {
        match (self.bound, self.difference()) {
            (Some(bound), Some(difference)) => difference <= bound,
            (Some(_), None) => true,
            (None, _) => self.kernel.jobs.abs_diff(self.jobs) <= self.apart,
        }
    }

    fn verdict(&self) -> Option<Cell> {
        self.bound.map(|_| Cell::yes_or_no(self.is_within()))
    }
}

/// A part of some times.
type Part = fn(Times) -> u64;

fn of(times: Option<Times>, part: Part) -> Option<u64> {
    times.map(part)
}

fn signed(kernel: u64, simulated: u64) -> String {
    let sign = match kernel.cmp(&simulated) {
        std::cmp::Ordering::Less => "−",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", thousands(kernel.abs_diff(simulated)))
}

fn times(summary: &Summary) -> Option<Times> {
    Some(Times {
        min: summary.min()?,
        mean: summary.mean()?,
        max: summary.max()?,
    })
}

/// The figures for programs; wall times are least, mean, greatest.
pub fn json(platform: &str, all: &[Both<'_>]) -> String {
    to_json(&json!({
        "platform": platform,
        "evidence": [Evidence::Emulated, Evidence::Simulated],
        "runs": all.iter().map(Both::form).collect::<Vec<_>>(),
    }))
}

impl Both<'_> {
    fn form(&self) -> Value {
        let turns = match self.order() {
            Order::Same(turns) => Some(turns),
            Order::Parts { .. } => None,
        };
        let task = |pair: &Pair<'_>| (pair.kernel.name.clone(), pair.form());
        json!({
            "policy": self.case.policy.name(),
            "layout": self.case.layout.name(),
            "releases_apart": self.case.apart().is_none(),
            "processors": self.case.layout.processors(),
            "cost_ns": self.cost,
            "company_cost_ns": self.company,
            "same_order": turns.is_some(),
            "turns": turns,
            "agree": self.agree(),
            "tasks": self.pairs().iter().map(task).collect::<Value>(),
        })
    }
}

impl Pair<'_> {
    fn form(&self) -> Value {
        let world = |jobs: u64, missed: u64, wall: Option<Times>| {
            let wall = wall.map(|times| [times.min, times.mean, times.max]);
            json!({ "jobs": jobs, "missed": missed, "wall_ns": wall })
        };
        json!({
            "emulated": world(self.kernel.jobs, self.kernel.missed, self.kernel.wall),
            "simulated": world(self.jobs, self.missed, self.wall),
            "bound_ns": self.bound,
            "within": self.bound.map(|_| self.is_within()),
        })
    }
}
