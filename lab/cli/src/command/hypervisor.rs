//! `taktos reproduce hypervisor`: real-time guests under each scheduler, and on the bare machine.

mod runs;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use taktos_emulator::El2;
use taktos_experiments::experiment::{Hypervisor, Scale};
use taktos_experiments::figure::Material;
use taktos_experiments::hypervisor::{
    Case, Extent, Latency, Measure, Measured, Plan, Run, json, samples,
};
use taktos_experiments::outcome::Outcome;
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::each;
use taktos_runner::station::{Station, Task};
use taktos_runner::workspace::Workspace;

use super::experiment::begin;
use super::guests::{failures, judged, no_board, outcome};
use super::several::result_name;
use crate::arguments::{RunOptions, SizeOptions};
use runs::{Bench, needs};

/// How the machine is called in the data.
const PLATFORM: &str = El2::BOARD.0;
/// What these figures cannot say.
const LIMITS: &str = "one instruction takes one nanosecond; no caches, no bus contention, sequentially consistent memory, so \
     what neighbours do to each other's caches is not in a figure; on four processors an interrupt to a running processor \
     is off by up to one quantum";

/// Runs the experiment of a file.
pub(super) fn run(
    workspace: &Workspace,
    experiment: &Hypervisor,
    (file, scale): (&Path, Option<Scale>),
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    no_board(options)?;
    let measure = measure(experiment);
    let plan = plan(experiment, size)?;
    let directory = begin(
        workspace,
        &result_name(file, options.board.as_deref()),
        options,
    )?;
    let progress = Progress::default();
    let needs = needs(&plan, &measure);
    let kept = Kept::beside(directory.place(), size.fresh);
    let bench = Bench {
        station: Station::ready(workspace, needs, kept, &progress)?,
        measure: measure.clone(),
    };
    let runs: Vec<Run> = plan.cases.iter().flat_map(|case| plan.runs(case)).collect();
    let tasks: Vec<Task> = runs.iter().map(|run| bench.task(run)).collect();
    progress.note(bench.station.taken_over(&tasks));
    let (found, failed) = all(&bench, &plan, &runs, &progress)?;
    let samples = samples(&found);
    let material = Material {
        workspace,
        board: PLATFORM,
        cpu: &experiment.processor,
        samples: &samples,
        run: None,
    };
    let figures = (&*experiment.figures, &material);
    let failures = [("Runs that failed", &*failed)];
    let outcome = Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        setup: setup(&bench, experiment),
        limits: LIMITS,
        json: json(PLATFORM, scale, measure.interval, &found),
        ..outcome((&bench.station, &tasks), figures, &failures)?
    };
    let outcome = outcome.of(scale);
    outcome.finish(workspace, directory, options.format)?;
    judged(&failed)
}

fn measure(experiment: &Hypervisor) -> Measure {
    Measure {
        interval: experiment.interval.0.as_nanos() / 1000,
        processor: experiment.processor.clone(),
        quantum: experiment.quantum,
    }
}

fn plan(experiment: &Hypervisor, size: &SizeOptions) -> Result<Plan> {
    let of_four = experiment.loops_of_four;
    let plan = Plan::new(Extent {
        loops: size.loops.unwrap_or(experiment.loops),
        loops_of_four: size.loops.map_or(of_four, |loops| loops.min(of_four)),
        phases: experiment.phases_us.clone(),
        variants: experiment.variants,
        only: size.cases.clone(),
    });
    match plan.cases.is_empty() {
        false => Ok(plan),
        true => Err(no_case(size)),
    }
}

fn no_case(size: &SizeOptions) -> anyhow::Error {
    let name = one_line(size.cases.as_deref().unwrap_or_default());
    let called = "cases are called like dedicated-credit-linux-rt or shared-rtds-taktos: docs/hypervisor.md lists them";
    match size.full {
        true => Failure::error(format!("no case is called `{name}`"), called),
        false => Failure::error(
            format!("no case of the quick form is called `{name}`"),
            format!("{called}; --full has those of four processors and other parameters, too"),
        ),
    }
}

/// Does all runs, and puts those of a case together. A run that fails is told, and so is its
/// case; the others go on.
fn all(
    bench: &Bench,
    plan: &Plan,
    runs: &[Run],
    progress: &Progress,
) -> Result<(Vec<Measured>, Vec<String>)> {
    let finished = AtomicUsize::new(0);
    let found = progress.counted("measuring guests ...", runs.len(), |done| {
        each(runs, done, |run| {
            let found = bench.run(run).map_err(|error| error.to_string());
            let number = finished.fetch_add(1, Ordering::Relaxed) + 1;
            bench.tell(number, runs.len(), run, &found);
            Ok(found)
        })
    })?;
    let failed = failures(runs.iter().map(Run::name), found.iter());
    let of_case = |case: &Case| {
        let own = runs.iter().zip(&found).filter(|(run, _)| run.case == *case);
        let latencies: Option<Vec<Latency>> = own.map(|(_, found)| found.clone().ok()).collect();
        let latencies = latencies?;
        Some(Latency::merged(&latencies).map(|latency| Measured {
            case: *case,
            latency,
        }))
    };
    let measured = plan.cases.iter().filter_map(of_case);
    Ok((measured.collect::<Result<_>>()?, failed))
}

fn setup(bench: &Bench, experiment: &Hypervisor) -> Vec<(String, String)> {
    let phases: Vec<String> = experiment.phases_us.iter().map(u32::to_string).collect();
    let mut setup = vec![
        (
            "emulator".to_owned(),
            format!("QEMU {}", bench.station.emulator()),
        ),
        (
            "machine".into(),
            format!(
                "virt, GICv3, virtualization=on, {}; one processor with -icount shift=0,sleep=off, four with the \
                 laboratory's clock at a quantum of {} ns",
                experiment.processor, experiment.quantum
            ),
        ),
        ("phases, us".into(), phases.join(" ")),
    ];
    setup.extend(bench.station.images.shown());
    setup
}
