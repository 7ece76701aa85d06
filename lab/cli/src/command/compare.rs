//! `taktos run TASKSET`: the same tasks on the kernel and in the simulator.

use std::path::Path;

use anyhow::Result;
use taktos_export::Recording;
use taktos_simulate::{Policy, file};
use taktos_time::Duration;

use super::experiment::begin;
use super::several::{Ready, board, ready};
use super::smp::recorded;
use crate::arguments::{RunOptions, SizeOptions};
use crate::compare::{self, Both, Simulated, simulate};
use crate::failure::Failure;
use crate::figure::Drawn;
use crate::progress::Progress;
use crate::several::{Board, Outcome, QUANTUM, each};
use crate::smp::{Case, Figures, Layout, Periodic, periodic};
use crate::workspace::Workspace;

/// The program that runs task sets.
const PROGRAM: &str = "spacecraft";
/// How much time passes where the command line does not say, at most: schedules are kept whole.
const HORIZON: Duration = Duration::from_secs(2);
/// The one task by which the kernel's work for a job is measured, and how long it is run.
const ALONE: (u64, u64) = (1_000_000, 100_000);
const ALONE_FOR: Duration = Duration::from_millis(100);

/// One case in both worlds, with what the kernel works for a job alone.
struct Compared {
    case: Case,
    kernel: Figures,
    schedule: Recording,
    simulated: Simulated,
    cost: u64,
}

impl Compared {
    fn both(&self) -> Both<'_> {
        Both {
            case: &self.case,
            kernel: &self.kernel,
            schedule: &self.schedule,
            simulated: &self.simulated,
            cost: self.cost,
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
    let board = board(options.board.as_deref(), Board::ALL[0].name, path)?;
    let set = file::read(path).map_err(|error| {
        let mend = error.mend.clone();
        Failure::error(error.to_string(), mend)
    })?;
    let tasks = periodic(&set.workload)?;
    let horizon = size
        .horizon
        .unwrap_or_else(|| set.horizon.map_or(HORIZON, |own| own.min(HORIZON)));
    let policy = size.scheduler.or(set.scheduler).unwrap_or(Policy::Edf);
    let stem = path
        .file_stem()
        .map_or("tasks".into(), |stem| stem.to_string_lossy());
    let directory = begin(workspace, &format!("run-{stem}"), options)?;
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
        each(&cases, done, |case| in_both(&ready, case))
    })?;
    let both: Vec<Both<'_>> = all.iter().map(Compared::both).collect();
    let mut drawn: Vec<Drawn> = both.iter().map(Both::draw).collect();
    drawn.push(ready.honest.drawn());
    let outcome = Outcome {
        title: title(&set.title, &stem),
        question: "Does the kernel run these tasks as the simulator says?".into(),
        board,
        emulator: ready.machine.emulator(),
        program: PROGRAM.into(),
        image: ready.image.digest.clone(),
        calls: all
            .iter()
            .flat_map(|compared| [compared.case.call(), alone(&compared.case).call()])
            .collect(),
        drawn,
        traces: all.iter().flat_map(traces).collect(),
        files: vec![("tasks.toml".into(), file::write(&set))],
        json: compare::json(board.name, &both),
    };
    outcome.finish(workspace, directory, options.format)
}

/// On one processor and on four; where releases coincide, also with all of
/// them apart: who comes first of two at one instant is no rule of any policy.
fn cases(one: &Case) -> Vec<Case> {
    let four = Case {
        layout: Layout::Global,
        ..one.clone()
    };
    let apart: Vec<Case> = [one, &four].into_iter().filter_map(Case::apart).collect();
    [one.clone(), four].into_iter().chain(apart).collect()
}

fn title(own: &str, stem: &str) -> String {
    match own {
        "" => format!("{stem}: kernel and simulator"),
        title => format!("{title}: kernel and simulator"),
    }
}

fn traces(compared: &Compared) -> [(String, Recording); 2] {
    let layout = compared.case.layout.name();
    [
        (format!("kernel-{layout}"), compared.schedule.clone()),
        (
            format!("simulator-{layout}"),
            compared.simulated.recording.clone(),
        ),
    ]
}

/// The same layout and policy with one task.
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

fn in_both(ready: &Ready, case: &Case) -> Result<Compared> {
    let alone = alone(case);
    let measured = Figures::read(&ready.machine.run(&ready.image, &alone.call())?, &alone)?;
    let cost = measured
        .busy
        .saturating_sub(measured.work)
        .div_ceil(measured.jobs().max(1));
    let (kernel, schedule) = recorded(ready, case)?;
    let simulated = simulate(case, &kernel, cost / 2)?;
    Ok(Compared {
        case: case.clone(),
        kernel,
        schedule,
        simulated,
        cost,
    })
}
