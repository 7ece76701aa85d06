//! Owns: the state of a run before its first event.
//! Must never know: the events of the run.

use taktos_schedule::smp::{Error, InstanceConfig, Priority, Reasons, System};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::agenda::Agenda;
use super::board::{Board, Router};
use super::event::{Class, key};
use super::job::{Progress, Rare};
use super::plan::Plan;
use super::processor::Processors;
use super::tables::Tables;
use super::tally::Tally;
use super::{Engine, Free, thread_of};
use crate::{Budget, Observer, Policy, SimError, TaskStatistics};

impl<'r, O: Observer> Engine<'r, O> {
    /// A run of `plan` at instant 0, in `tables`, which were made for it.
    ///
    /// # Errors
    /// If the library refuses the set-up.
    pub fn new(
        plan: &'r Plan,
        tables: &'r mut Tables,
        seed: u64,
        observer: &'r mut O,
    ) -> Result<Self, SimError> {
        let instances: Vec<InstanceConfig> = plan
            .clusters
            .iter()
            .map(|cluster| InstanceConfig {
                name: cluster.name,
                policy: cluster.policy.into(),
                cpus: cluster.cpus,
            })
            .collect();
        let (memory, homes) = tables.parts();
        let system = System::new(memory, plan.cpus(), &instances);
        let system = system.map_err(|error| SimError::SetUp {
            what: "the clusters".to_owned(),
            error,
        })?;
        let costs = &plan.costs;
        let processors = Processors::new(plan.cpus(), costs, seed);
        let mut engine = Self {
            plan,
            router: Router::new(system, homes),
            board: Board::new(plan, processors),
            observer,
            seed,
            events: 0,
            progress: (0..plan.tasks.len())
                .map(|task| progress(plan, task, seed))
                .collect(),
            rare: vec![Rare::default(); plan.tasks.len()],
            tallies: vec![Tally::new(); plan.tasks.len()],
            statistics: vec![TaskStatistics::default(); plan.tasks.len()],
            agenda: Agenda::new(plan.tasks.len().max(1) * if plan.sleeps { 3 } else { 1 }),
            shifts: plan.shifts(),
            drawn: [0; 4],
            free: Free {
                releases: costs.release.is_zero(),
                dispatches: [&costs.schedule, &costs.switch, &costs.migration]
                    .iter()
                    .all(|cost| cost.is_zero()),
            },
        };
        engine.router.begin(&engine.board, Instant::START);
        for task in 0..plan.tasks.len() {
            engine.enter(task).map_err(|error| SimError::SetUp {
                what: format!("task `{}`", plan.entries[task].name),
                error,
            })?;
            engine.set_release(task);
        }
        engine.make_locks()?;
        Ok(engine)
    }

    /// Makes the thread of `task`, which waits for its first release.
    fn enter(&mut self, task: usize) -> Result<(), Error> {
        let plan = &self.plan.entries[task];
        let home = plan.home();
        let system = self.router.system_mut();
        let thread = system.create(home, Priority(plan.priority), plan.affinity)?;
        // Rows of the library's table and of the plan's correspond.
        if thread != thread_of(task) {
            return Err(Error::InvalidId);
        }
        self.board.add_reasons(task, Reasons::PERIOD);
        if let Some(home) = self.router.home(home) {
            let cpus = plan.affinity.unwrap_or(CpuSet::ALL);
            home.begin_with(&self.board, task as u16, cpus);
        }
        let enforced = self.plan.clusters[usize::from(plan.cluster)].policy == Policy::Cbs;
        plan.budget
            .filter(|_| enforced)
            .map_or(Ok(()), |budget| self.serve(task, budget))
    }

    /// The thread of `task`, which waits, has this budget.
    fn serve(&mut self, task: usize, budget: Budget) -> Result<(), Error> {
        let (board, id) = (&self.board, task as u16);
        let Budget {
            runtime,
            period,
            hard,
        } = budget;
        match hard {
            true => self.router.set_hard_server(board, id, runtime, period),
            false => self.router.set_server(board, id, Some((runtime, period))),
        }
    }

    /// The timer of the next release of `task`.
    #[inline(always)]
    pub(super) fn set_release(&mut self, task: usize) {
        let at = self.progress[task].next.ready;
        self.agenda.set(task, key(at, Class::Release));
    }
}

fn progress(plan: &Plan, task: usize, seed: u64) -> Progress {
    let cpu = Cpu::new(plan.entries[task].first_cpu.into());
    // The plan took it from a set of processors.
    let cpu = cpu.unwrap_or_else(|| unreachable!("a processor of a set"));
    Progress::new(plan, task, cpu, seed)
}
