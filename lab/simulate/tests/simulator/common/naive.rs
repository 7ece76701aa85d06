//! A model that sorts all jobs at every event: slow, tiny, and written from
//! the definition of the policies alone.

use taktos_schedule::CpuSet;
use taktos_simulate::{Arrival, Execution, Step, Task};

use super::record::{Job, Said};

/// Key by which the model orders jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The task's priority.
    Priority,
    /// The job's absolute deadline.
    Deadline,
}

struct Pending {
    job: Job,
    /// (priority or deadline, turn): smaller runs first; earlier turns go first among equals.
    key: (u64, u64),
    left: u64,
}

/// One policy on the processors 0 to `cpus` − 1 up to `horizon`, at no cost:
/// periodic tasks with one step each. None where the answer hangs on which
/// processor a job is on: two late jobs of equal deadline that begin at one instant.
pub fn simulate(tasks: &[Task], by: By, cpus: usize, horizon: u64) -> Option<Vec<Said>> {
    let mut model = Model {
        tasks,
        by,
        cpus,
        released: vec![0; tasks.len()],
        done: vec![0; tasks.len()],
        idle_since: vec![0; tasks.len()],
        pending: Vec::new(),
        turns: 0,
    };
    let mut said = Vec::new();
    let mut last = Vec::new();
    let mut now = 0;
    loop {
        let mut finished: Vec<(Job, u64)> = Vec::new();
        model.pending.retain(|pending| {
            if pending.left == 0 {
                finished.push((pending.job, pending.key.1));
            }
            pending.left > 0
        });
        finished.sort_unstable();
        said.extend(finished.iter().map(|(job, _)| Said::Done(now, *job)));
        if now == horizon {
            return Some(said);
        }
        model.follow(&finished, now)?;
        model.release(now);
        let executing = model.choose();
        let mut jobs: Vec<Job> = executing
            .iter()
            .map(|index| model.pending[*index].job)
            .collect();
        jobs.sort_unstable();
        if jobs != last {
            last.clone_from(&jobs);
            said.push(Said::Executing(now, jobs));
        }
        let ends = executing
            .iter()
            .map(|index| now + model.pending[*index].left);
        let arrivals = (0..tasks.len()).map(|task| model.arrival(task, model.released[task]));
        let next = ends.chain(arrivals).min().unwrap_or(horizon).min(horizon);
        for index in executing {
            model.pending[index].left -= next - now;
        }
        now = next;
    }
}

struct Model<'t> {
    tasks: &'t [Task],
    by: By,
    cpus: usize,
    released: Vec<u64>,
    done: Vec<u64>,
    /// Since when each task waits, or did last: equals that are released together go in this
    /// order.
    idle_since: Vec<u64>,
    pending: Vec<Pending>,
    turns: u64,
}

impl Model<'_> {
    fn arrival(&self, task: usize, number: u64) -> u64 {
        match self.tasks[task].arrival {
            Arrival::Periodic { period, offset, .. } => {
                offset.as_nanos() + number * period.as_nanos()
            }
            _ => panic!("the model knows periodic tasks"),
        }
    }

    fn begin(&mut self, task: usize, turn: u64) {
        let number = self.done[task];
        let Step::Run(Execution::Fixed(time)) = &self.tasks[task].body[0] else {
            panic!("the model knows one fixed step")
        };
        let deadline = self.tasks[task]
            .relative_deadline()
            .map_or(0, |deadline| deadline.as_nanos());
        let value = match self.by {
            By::Priority => u64::from(self.tasks[task].priority.unwrap_or(0)),
            By::Deadline => self.arrival(task, number) + deadline,
        };
        self.pending.push(Pending {
            job: (task, number),
            key: (value, turn),
            left: time.as_nanos(),
        });
    }

    fn turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Begins the next job of each task that has finished one, if it is released already.
    fn follow(&mut self, finished: &[(Job, u64)], now: u64) -> Option<()> {
        let first_new = self.pending.len();
        for ((task, _), turn) in finished {
            self.done[*task] += 1;
            if self.released[*task] > self.done[*task] {
                // A new deadline is a new turn; a priority that stays is none.
                let turn = match self.by {
                    By::Priority => *turn,
                    By::Deadline => self.turn(),
                };
                self.begin(*task, turn);
            } else {
                self.idle_since[*task] = now;
            }
        }
        let new = &self.pending[first_new..];
        let same = |a: &Pending, b: &Pending| a.job != b.job && a.key.0 == b.key.0;
        let ambiguous = new.iter().any(|a| new.iter().any(|b| same(a, b)));
        (self.by == By::Priority || !ambiguous).then_some(())
    }

    fn release(&mut self, now: u64) {
        let mut tasks: Vec<usize> = (0..self.tasks.len()).collect();
        tasks.sort_by_key(|task| self.idle_since[*task]);
        for task in tasks {
            while self.arrival(task, self.released[task]) <= now {
                self.released[task] += 1;
                if self.released[task] == self.done[task] + 1 {
                    let turn = self.turn();
                    self.begin(task, turn);
                }
            }
        }
    }

    /// The jobs that execute: the first in order for which all chosen so far
    /// and itself can be given a processor each (the best set, as such sets are a matroid).
    fn choose(&mut self) -> Vec<usize> {
        self.pending.sort_by_key(|pending| pending.key);
        let mut chosen: Vec<usize> = Vec::new();
        let mut holder: Vec<Option<usize>> = vec![None; self.cpus];
        for index in 0..self.pending.len() {
            let mut tried = vec![false; self.cpus];
            if self.place(index, &mut holder, &mut tried) {
                chosen.push(index);
            }
        }
        chosen
    }

    fn place(&self, index: usize, holder: &mut [Option<usize>], tried: &mut [bool]) -> bool {
        let task = self.pending[index].job.0;
        let allowed = self.tasks[task].affinity.unwrap_or(CpuSet::ALL);
        for cpu in allowed.and(CpuSet::first(self.cpus)) {
            let cpu = cpu.index();
            if tried[cpu] {
                continue;
            }
            tried[cpu] = true;
            if holder[cpu].is_none_or(|other| self.place(other, holder, tried)) {
                holder[cpu] = Some(index);
                return true;
            }
        }
        false
    }
}
