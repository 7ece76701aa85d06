//! `taktos run TASKSET`: the same tasks on the kernel and in the simulator.

use std::path::Path;

use anyhow::Result;
use taktos_experiments::compare::{self, Both, Simulated, simulate};
use taktos_experiments::outcome::{Outcome, Trace, begin};
use taktos_experiments::smp::{Case, Figures, Layout, Periodic, periodic, recorded};
use taktos_experiments::study::{Ready, board, ready};
use taktos_export::{Drawn, Recording};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, QUANTUM, each};
use taktos_runner::workspace::Workspace;
use taktos_simulate::{Policy, file};
use taktos_time::Duration;

use crate::arguments::{RunOptions, SizeOptions};

/// The program that runs task sets.
const PROGRAM: &str = "spacecraft";
/// How much time passes where the command line does not say, at most: schedules are kept whole.
const HORIZON: Duration = Duration::from_secs(2);
/// The one task by which the kernel's work for a job is measured, and how long it is run.
const ALONE: (u64, u64) = (1_000_000, 100_000);
const ALONE_FOR: Duration = Duration::from_millis(100);

/// The tasks by which its work for a job in company is measured: the periods from the shortest
/// on, what they are apart, when each comes first after the last, what of a processor they use
/// together in per cent, and how long.
const COMPANY: [u64; 4] = [500_000, 61_000, 17_000, 70];
const COMPANY_FOR: Duration = Duration::from_millis(50);

/// Work of the kernel for a job, alone and among as many tasks, in nanoseconds: measured.
#[derive(Clone, Copy, Debug)]
pub struct Works {
    /// Alone on its processor.
    pub cost: u64,
    /// Among as many tasks, on all processors.
    pub company: u64,
}

/// One case in both worlds, with what the kernel works for a job.
pub struct Compared {
    case: Case,
    /// Figures from the kernel's program.
    pub kernel: Figures,
    schedule: Recording,
    simulated: Simulated,
    works: Works,
}

impl Compared {
    /// Both schedules, side by side.
    pub fn both(&self) -> Both<'_> {
        Both {
            case: &self.case,
            kernel: &self.kernel,
            schedule: &self.schedule,
            simulated: &self.simulated,
            cost: self.works.cost,
            company: self.works.company,
        }
    }
}

/// Runs the task set of a file in both worlds, on one processor and on four.
pub(super) fn run(
    workspace: &Workspace,
    path: &Path,
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    size.only(&["for", "scheduler"])?;
    let board = board(options.board.as_deref(), Board::first().name, path)?;
    let set = file::read(path).map_err(Failure::from)?;
    let tasks = periodic(&set.workload)?;
    let horizon = size
        .horizon
        .unwrap_or_else(|| set.horizon.map_or(HORIZON, |own| own.min(HORIZON)));
    let policy = size.scheduler.or(set.scheduler).unwrap_or(Policy::Edf);
    let stem = path
        .file_stem()
        .map_or("tasks".into(), |stem| stem.to_string_lossy());
    let directory = begin(workspace, &format!("run-{stem}"), options.out.as_deref())?;
    let progress = Progress::default();
    let ready = ready(workspace, board, PROGRAM, &[QUANTUM], &progress)?;
    let cases = cases(&Case {
        tasks,
        policy,
        layout: Layout::One,
        horizon,
        quantum: QUANTUM,
    });
    let what = format!("running {stem} on {} and in the simulator ...", board.name);
    let all = progress.counted(&what, cases.len(), |done| {
        each(&cases, done, |case| {
            in_both(&ready, case, works(&ready, case)?)
        })
    })?;
    let both: Vec<Both<'_>> = all.iter().map(Compared::both).collect();
    let mut drawn: Vec<Drawn> = both.iter().map(Both::draw).collect();
    drawn.push(ready.time_probe.drawn());
    let calls = all
        .iter()
        .flat_map(|Compared { case, .. }| [case, &alone(case), &company(case)].map(Case::call));
    let calls: Vec<Call> = calls.collect();
    let outcome = Outcome {
        title: title(&set.title, &stem),
        question: "Does the kernel run these tasks as the simulator says?".into(),
        drawn,
        traces: all.iter().flat_map(|one| traces(&ready, one)).collect(),
        files: vec![("tasks.toml".into(), file::write(&set).into())],
        json: compare::json(board.name, &both),
        ..ready.results(&calls)
    };
    outcome.finish(workspace, directory, options.format)
}

/// Returns the case on one processor and on four; on four also with all releases apart, if some
/// coincide. Jobs that began to wait on different processors are served by these, in an order that
/// no rule fixes.
fn cases(one: &Case) -> Vec<Case> {
    let four = Case {
        layout: Layout::Global,
        ..one.clone()
    };
    let apart = four.apart();
    [one.clone(), four].into_iter().chain(apart).collect()
}

fn title(own: &str, stem: &str) -> String {
    match own {
        "" => format!("{stem}: kernel and simulator"),
        title => format!("{title}: kernel and simulator"),
    }
}

fn traces(ready: &Ready, compared: &Compared) -> [Trace; 2] {
    let layout = compared.case.layout.name();
    let worlds = [
        ("kernel", &compared.schedule),
        ("simulator", &compared.simulated.recording),
    ];
    worlds.map(|(world, recording)| ready.trace(&format!("{world}-{layout}"), recording))
}

/// Returns the case with one task, in the same layout and policy.
fn alone(case: &Case) -> Case {
    let (period, execution) = ALONE;
    Case {
        tasks: vec![Periodic {
            name: "alone".into(),
            period,
            execution,
            offset: 0,
        }],
        horizon: ALONE_FOR,
        ..case.clone()
    }
}

/// Returns a case with the same layout, policy and number of tasks; jobs arrive while others
/// execute and wait.
fn company(case: &Case) -> Case {
    let [shortest, step, apart, load] = COMPANY;
    let count = case.tasks.len() as u64;
    let processors = case.layout.processors() as u64;
    let task = |number: u64| {
        let period = shortest + step * number;
        let most = period * load / 100;
        Periodic {
            name: format!("company-{number}"),
            period,
            execution: (most * processors / count).min(most),
            offset: apart * number,
        }
    };
    Case {
        tasks: (0..count).map(task).collect(),
        horizon: COMPANY_FOR,
        ..case.clone()
    }
}

/// Measures the average work of the kernel for a job of the case.
fn work(ready: &Ready, case: &Case) -> Result<u64> {
    let measured = Figures::read(&ready.machine.run(&ready.image, &case.call())?, case)?;
    let work = measured.busy.saturating_sub(measured.work);
    Ok(work.div_ceil(measured.jobs().max(1)))
}

/// Measures the work of the kernel for a job under the case's policy and layout.
pub fn works(ready: &Ready, case: &Case) -> Result<Works> {
    let cost = work(ready, &alone(case))?;
    let company = work(ready, &company(case))?.max(cost);
    Ok(Works { cost, company })
}

/// Runs the case on the kernel and in the simulator.
pub fn in_both(ready: &Ready, case: &Case, works: Works) -> Result<Compared> {
    let (kernel, schedule) = recorded(ready, case)?;
    let simulated = simulate(case, &kernel, works.cost / 2)?;
    Ok(Compared {
        case: case.clone(),
        kernel,
        schedule,
        simulated,
        works,
    })
}
