//! Invariants of every run: nothing is lost, no processor idles next to work, the same input gives
//! the same bytes.

use std::fmt::Write as _;

use crate::common::random::{self, Dice};
use crate::common::{UNIT, check_accounts};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::{
    Budget, Doing, Engine, JobId, Observer, Outcome, Plan, Policy, Protocol, Resource, Setup,
    Tables, Task, Workload, batch, run,
};
use taktos_time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Inactive,
    Ready,
    Waiting,
    Suspended,
}

/// Observer of a run from outside: which tasks are ready, which run, and for how long.
struct Watch {
    states: Vec<State>,
    backlog: Vec<u64>,
    allowed: Vec<CpuSet>,
    on: Vec<Doing>,
    since: Vec<u64>,
    busy: Vec<u64>,
    spinning: Vec<u64>,
    at: u64,
    /// The first breach that was seen.
    breach: Option<String>,
}

impl Watch {
    fn new(workload: &Workload, setup: &Setup) -> Self {
        let home = |name: &Option<String>| {
            let name = name.as_deref();
            let found = setup
                .clusters
                .iter()
                .find(|cluster| Some(cluster.name.as_str()) == name);
            found.map_or(CpuSet::EMPTY, |cluster| cluster.cpus)
        };
        let cpus = setup.cpus().count();
        let tasks = workload.tasks.len();
        Self {
            states: vec![State::Inactive; tasks],
            backlog: vec![0; tasks],
            allowed: workload
                .tasks
                .iter()
                .map(|task| home(&task.cluster).and(task.affinity.unwrap_or(CpuSet::ALL)))
                .collect(),
            on: vec![Doing::Idle; cpus],
            since: vec![0; cpus],
            busy: vec![0; cpus],
            spinning: vec![0; cpus],
            at: 0,
            breach: None,
        }
    }

    /// When a new instant begins, what held at the end of the old one is looked at.
    fn time(&mut self, at: Instant) {
        if at.as_nanos() != self.at {
            self.look();
            self.at = at.as_nanos();
        }
    }

    fn look(&mut self) {
        if self.breach.is_some() {
            return;
        }
        let runs = |task: usize| {
            self.on.iter().any(|doing| match doing {
                Doing::Job(job) | Doing::Spin(job) => job.task.index() == task,
                Doing::Idle => false,
            })
        };
        for (task, state) in self.states.iter().enumerate() {
            if *state != State::Ready || runs(task) {
                continue;
            }
            let idle = self.allowed[task]
                .into_iter()
                .find(|cpu| self.on[cpu.index()] == Doing::Idle);
            if let Some(cpu) = idle {
                self.breach = Some(format!(
                    "at {}: task {task} is ready, {cpu:?} idles",
                    self.at
                ));
            }
        }
    }

    fn set(&mut self, at: Instant, job: JobId, state: State) {
        self.time(at);
        self.states[job.task.index()] = state;
    }

    fn account(&mut self, cpu: usize, at: u64) {
        let passed = at - self.since[cpu];
        self.since[cpu] = at;
        match self.on[cpu] {
            Doing::Idle => {}
            Doing::Job(_) => self.busy[cpu] += passed,
            Doing::Spin(_) => {
                self.busy[cpu] += passed;
                self.spinning[cpu] += passed;
            }
        }
    }
}

impl Observer for Watch {
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, _: Duration) {
        self.time(at);
        self.account(cpu.index(), at.as_nanos());
        self.on[cpu.index()] = doing;
    }

    fn release(&mut self, at: Instant, job: JobId, _: Instant, _: Option<Instant>) {
        self.time(at);
        let task = job.task.index();
        if self.states[task] == State::Inactive {
            self.states[task] = State::Ready;
        } else {
            self.backlog[task] += 1;
        }
    }

    fn complete(&mut self, at: Instant, _: Cpu, job: JobId, _: Duration) {
        self.time(at);
        let task = job.task.index();
        if self.backlog[task] > 0 {
            self.backlog[task] -= 1;
        } else {
            self.states[task] = State::Inactive;
        }
    }

    fn wait(&mut self, at: Instant, job: JobId, _: Resource) {
        self.set(at, job, State::Waiting);
    }

    fn lock(&mut self, at: Instant, job: JobId, _: Resource) {
        self.set(at, job, State::Ready);
    }

    fn suspend(&mut self, at: Instant, job: JobId, _: Instant) {
        self.set(at, job, State::Suspended);
    }

    fn resume(&mut self, at: Instant, job: JobId) {
        self.set(at, job, State::Ready);
    }
}

const HORIZON: u64 = 200 * UNIT;

/// Checks runs without costs: no processor idles while a task that it may execute is ready.
fn watch(seed: u64, sets: u64, protocols: &[Protocol]) -> u64 {
    let mut jobs = 0;
    for set in 0..sets {
        let mut dice = Dice::new(seed, set);
        let setup = random::setup(&mut dice, HORIZON);
        let workload = random::workload(&mut dice, &setup, protocols);
        let plan = Plan::new(&workload, &setup).unwrap_or_else(|error| panic!("{error}"));
        let mut watch = Watch::new(&workload, &setup);
        let outcome =
            run(&plan, setup.seed, &mut watch).unwrap_or_else(|error| panic!("set {set}: {error}"));
        if watch.at < HORIZON {
            // A task that becomes ready at the horizon is not served any more.
            watch.look();
        }
        check_accounts(&outcome);
        assert_eq!(watch.breach, None, "set {set}: {setup:#?} {workload:#?}");
        for (index, cpu) in outcome.cpus.iter().enumerate() {
            watch.account(index, HORIZON);
            assert_eq!(
                (watch.busy[index], watch.spinning[index]),
                (cpu.busy, cpu.spinning),
                "set {set}"
            );
            assert_eq!(cpu.overhead, 0);
        }
        jobs += outcome.jobs();
    }
    jobs
}

#[test]
fn no_processor_idles_beside_work() {
    assert!(watch(1, 3_000, &[]) > 100_000);
}

#[test]
fn no_processor_idles_beside_work_with_locks() {
    assert!(watch(2, 3_000, &[Protocol::None, Protocol::Inheritance]) > 80_000);
}

/// Everything at once, with costs, late jobs given up, all protocols. Under deadlines
/// ceilings are refused, so the clusters are of the other policies.
fn storm(set: u64) -> (Workload, Setup) {
    let mut dice = Dice::new(3, set);
    let mut setup = random::setup(&mut dice, HORIZON);
    for cluster in &mut setup.clusters {
        if cluster.policy.by_deadline() {
            cluster.policy = Policy::Priority;
        }
    }
    setup.costs = random::costs(&mut dice);
    let protocols: &[Protocol] = match dice.throw(0, 2) {
        0 => &[],
        1 => &[Protocol::None, Protocol::Inheritance],
        _ => &[Protocol::MrsP],
    };
    let mut workload = random::workload(&mut dice, &setup, protocols);
    for task in &mut workload.tasks {
        task.affinity = None;
    }
    random::some_are_late(&mut dice, &mut workload);
    (workload, setup)
}

/// Like [`run`], with the library's invariants checked after each event.
fn run_checked(plan: &Plan, seed: u64) -> Outcome {
    let mut tables = Tables::new(plan);
    let mut observer = ();
    let mut engine = Engine::new(plan, &mut tables, seed, &mut observer).expect("a set-up");
    while let Some(next) = engine.next_event().filter(|next| *next < plan.horizon()) {
        engine
            .advance(next)
            .unwrap_or_else(|error| panic!("{error}"));
        engine
            .check_laws()
            .unwrap_or_else(|error| panic!("{error}"));
        engine
            .advance_through(next)
            .unwrap_or_else(|error| panic!("{error}"));
        engine
            .check_laws()
            .unwrap_or_else(|error| panic!("{error}"));
    }
    engine.advance(plan.horizon()).expect("a run");
    engine.finish()
}

#[test]
fn nothing_is_lost_in_a_storm_and_no_law_is_broken() {
    let (mut jobs, mut aborted, mut skipped, mut spun) = (0, 0, 0, 0);
    for set in 0..2_000 {
        let (workload, setup) = storm(set);
        let plan = Plan::new(&workload, &setup).unwrap_or_else(|error| panic!("{error}"));
        let outcome = run_checked(&plan, setup.seed);
        check_accounts(&outcome);
        assert_eq!(
            outcome,
            run(&plan, setup.seed, &mut ()).expect("a run"),
            "set {set}"
        );
        jobs += outcome.jobs();
        aborted += outcome.tasks.iter().map(|task| task.aborted).sum::<u64>();
        skipped += outcome.tasks.iter().map(|task| task.skipped).sum::<u64>();
        spun += outcome.cpus.iter().map(|cpu| cpu.spinning).sum::<u64>();
    }
    assert!(
        jobs > 50_000 && aborted > 1_000 && skipped > 1_000 && spun > 100_000,
        "{jobs} {aborted} {skipped} {spun}"
    );
}

#[test]
fn any_number_of_workers_gives_the_same() {
    for set in 0..20 {
        let (workload, setup) = storm(set);
        let plan = Plan::new(&workload, &setup).expect("a workload");
        let mut expected = Outcome::default();
        for number in 0..300 {
            let outcome = run(&plan, batch::seed(setup.seed, number), &mut ()).expect("a run");
            if number == 0 {
                expected = outcome;
            } else {
                expected.merge(&outcome);
            }
        }
        for workers in [1, 2, 3, 8] {
            assert_eq!(batch::replicate(&plan, 300, workers), Ok(expected.clone()));
        }
    }
}

/// Observer that writes all events down.
#[derive(Default)]
struct Diary(String);

impl Observer for Diary {
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, overhead: Duration) {
        let _ = writeln!(self.0, "{at:?} {cpu:?} {doing:?} {overhead:?}");
    }
    fn release(&mut self, at: Instant, job: JobId, arrival: Instant, deadline: Option<Instant>) {
        let _ = writeln!(self.0, "{at:?} {job:?} {arrival:?} {deadline:?}");
    }
    fn miss(&mut self, at: Instant, job: JobId, deadline: Instant) {
        let _ = writeln!(self.0, "{at:?} {job:?} missed {deadline:?}");
    }
    fn migrate(&mut self, at: Instant, job: JobId, from: Cpu, to: Cpu) {
        let _ = writeln!(self.0, "{at:?} {job:?} {from:?} {to:?}");
    }
    fn lock(&mut self, at: Instant, job: JobId, resource: Resource) {
        let _ = writeln!(self.0, "{at:?} {job:?} {resource:?}");
    }
}

#[test]
fn a_run_is_a_function_of_its_seed() {
    let (mut differ, mut lines) = (0, 0);
    for set in 0..100 {
        let (workload, setup) = storm(set);
        let plan = Plan::new(&workload, &setup).expect("a workload");
        let diary = |seed| {
            let mut diary = Diary::default();
            run(&plan, seed, &mut diary).expect("a run");
            diary.0
        };
        let told = diary(7);
        lines += told.lines().count();
        assert_eq!(told, diary(7), "set {set}");
        differ += u64::from(told != diary(8));
    }
    assert!(lines > 20_000, "{lines}");
    assert!(differ > 80, "{differ}: seeds should matter");
}

/// How long each task had a processor.
struct Had {
    on: Vec<(Doing, u64)>,
    busy: Vec<u64>,
}

impl Had {
    fn account(&mut self, cpu: usize, at: u64, doing: Doing) {
        let (former, since) = std::mem::replace(&mut self.on[cpu], (doing, at));
        if let Doing::Job(job) | Doing::Spin(job) = former {
            self.busy[job.task.index()] += at - since;
        }
    }
}

impl Observer for Had {
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, _: Duration) {
        self.account(cpu.index(), at.as_nanos(), doing);
    }
}

/// Tasks that want more than they get, with budgets that are admitted by the bound of Goossens,
/// Funk and Baruah (2003): whether each is hard.
fn greedy(dice: &mut Dice, cpus: u64) -> Vec<Task> {
    let count = dice.throw(1, 4 * cpus);
    let task = |index: u64| {
        let period = dice.throw(4, 30) * UNIT;
        // At most half each: of m processors m / 2 and more can be given away then.
        let most = (period / 2).min(period * cpus / (2 * count));
        let budget = Budget {
            runtime: Duration::from_nanos(dice.throw(1, most)),
            period: Duration::from_nanos(period),
            hard: !dice.once_in(3),
        };
        let every = Duration::from_nanos(dice.throw(1, 2 * period));
        let mut task = Task::periodic(&format!("t{index}"), every, every);
        task.budget = Some(budget);
        task
    };
    (0..count).map(task).collect()
}

#[test]
fn a_task_that_has_a_hard_budget_has_it_and_no_more() {
    let seed = taktos_random::seed();
    let horizon = 3_000 * UNIT;
    for set in 0..300 {
        let mut dice = Dice::new(seed, set);
        let cpus = dice.throw(1, 3);
        let setup = crate::common::global(Policy::Cbs, cpus as usize, 3_000);
        let workload = crate::common::workload(greedy(&mut dice, cpus));
        let mut had = Had {
            on: vec![(Doing::Idle, 0); cpus as usize],
            busy: vec![0; workload.tasks.len()],
        };
        let plan = Plan::new(&workload, &setup).unwrap();
        run(&plan, 0, &mut had).unwrap();
        (0..cpus as usize).for_each(|cpu| had.account(cpu, horizon, Doing::Idle));
        for (task, busy) in workload.tasks.iter().zip(&had.busy) {
            let budget = task.budget.expect("each has one");
            let (runtime, period) = (budget.runtime.as_nanos(), budget.period.as_nanos());
            let share = (u128::from(horizon) * u128::from(runtime) / u128::from(period)) as u64;
            assert!(
                *busy + 2 * runtime >= share,
                "set {set}: {} has {busy} of {share}",
                task.name
            );
            assert!(
                !budget.hard || *busy <= share + runtime,
                "set {set}: {} has {busy} of {share}",
                task.name
            );
        }
    }
}
