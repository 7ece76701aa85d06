//! `taktos reproduce ethercat`: a controller of EtherCAT in a real-time guest, under each scheduler.

use std::path::Path;

use anyhow::Result;
use taktos_emulator::El2;
use taktos_experiments::ethercat::{
    Case, Common, DEVICES, Measured, Place, Run, Told, described, json, samples, text, words,
};
use taktos_experiments::experiment::{Ethercat, Scale};
use taktos_experiments::figure::Material;
use taktos_experiments::outcome::Outcome;
use taktos_linux::{Job, command_line};
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::each;
use taktos_runner::station::{Needs, Station, Task, What};
use taktos_runner::workspace::Workspace;

use super::experiment::begin;
use super::guests::{failures, judged, no_board, outcome};
use super::several::result_name;
use crate::arguments::{RunOptions, SizeOptions};

/// How the machine is called in the data.
const PLATFORM: &str = El2::BOARD.0;
/// The measured program of the Taktos kernel.
const PROGRAM: &str = "ethercat";
/// What these figures cannot say.
const LIMITS: &str = "one instruction takes one nanosecond, no caches, no bus; the segment is a model that computes with the instants at which \
     frames are sent, and its wire one of 100 Mbit/s without errors; on several processors an interrupt to a running one is off by up to a quantum";

/// Runs the experiment of a file.
pub(super) fn run(
    workspace: &Workspace,
    experiment: &Ethercat,
    (file, scale): (&Path, Option<Scale>),
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    no_board(options)?;
    let cases = cases(experiment, size.cases.as_deref())?;
    let common = common(experiment, file)?;
    only_in_partitions(&cases, &common)?;
    let cycles = size.loops.unwrap_or(experiment.cycles);
    let runs: Vec<Run> = cases
        .iter()
        .flat_map(|case| Run::of(*case, cycles, experiment.phases))
        .collect();
    let directory = begin(
        workspace,
        &result_name(file, options.board.as_deref()),
        options,
    )?;
    let progress = Progress::default();
    let needs = needs(&cases, &common);
    let kept = Kept::beside(directory.place(), size.fresh);
    let station = Station::ready(workspace, needs, kept, &progress)?;
    let bench = Bench { station, common };
    let tasks: Vec<Task> = runs.iter().map(|run| bench.task(run)).collect();
    progress.note(bench.station.taken_over(&tasks));
    let found = progress.counted("controlling segments ...", runs.len(), |done| {
        each(&runs, done, |run| {
            Ok(bench.run(run).map_err(|error| error.to_string()))
        })
    })?;
    let failed = failures(runs.iter().map(Run::name), found.iter());
    let measured: Vec<Measured> = runs
        .iter()
        .zip(found)
        .filter_map(|(run, told)| {
            Some(Measured {
                run: *run,
                told: told.ok()?,
            })
        })
        .collect();
    let samples = samples(&measured);
    let material = Material {
        workspace,
        board: PLATFORM,
        cpu: &experiment.processor,
        samples: &samples,
        run: None,
    };
    let figures = (&*experiment.figures, &material);
    let never = never_in_op(&measured);
    let without = [("Never in OP", &*never), ("Runs that failed", &failed)];
    let outcome = Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        setup: bench.setup(experiment, cycles),
        limits: LIMITS,
        json: json(PLATFORM, scale, &cases, &measured),
        ..outcome((&bench.station, &tasks), figures, &without)?
    };
    let outcome = outcome.of(scale);
    outcome.finish(workspace, directory, options.format)?;
    judged(&failed)
}

/// The cases of the file whose name holds the letters.
fn cases(experiment: &Ethercat, only: Option<&str>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for group in &experiment.cases {
        for scheduler in &group.schedulers {
            cases.extend(group.cycles_us.iter().map(|cycle| Case {
                place: group.place,
                scheduler: *scheduler,
                cycle: *cycle,
            }));
        }
    }
    let refused = cases
        .iter()
        .find_map(|case| Some((case, case.contradiction()?)));
    if let Some((case, why)) = refused {
        return Err(Failure::error(
            format!("there is no case {}", case.name()),
            why,
        ));
    }
    cases.retain(|case| only.is_none_or(|only| case.name().contains(only)));
    match cases.is_empty() {
        false => Ok(cases),
        true => Err(Failure::error(
            format!("no case is called `{}`", one_line(only.unwrap_or_default())),
            "cases are called like alone-rtds-250us or shared-credit2-1000us: the experiment's file lists them",
        )),
    }
}

/// On the bare machine there is nobody who would give the program a file.
fn only_in_partitions(cases: &[Case], common: &Common) -> Result<()> {
    let native = cases.iter().find(|case| case.place == Place::Native);
    match native {
        Some(case) if !common.devices.is_empty() => Err(Failure::error(
            format!("{}: devices of ESI files need a partition", case.name()),
            "leave the place `native` out of the experiment's cases, or name others by --only",
        )),
        _ => Ok(()),
    }
}

fn common(experiment: &Ethercat, file: &Path) -> Result<Common> {
    let devices = match experiment.devices.as_slice() {
        [] => Vec::new(),
        devices => described(devices, file)?,
    };
    Ok(Common {
        processor: experiment.processor.clone(),
        quantum: experiment.quantum,
        settle: experiment.settle.0.as_nanos() / 1_000_000,
        busy: command_line(&Job::Busy { seconds: None }),
        devices,
    })
}

fn needs(cases: &[Case], common: &Common) -> Needs {
    let several = cases.iter().filter(|case| case.place.processors() > 1);
    Needs {
        program: PROGRAM,
        linux: cases.iter().any(|case| case.place.is_busy()),
        processor: common.processor.clone(),
        quanta: several.map(|_| common.quantum).collect(),
    }
}

/// Where runs are done.
struct Bench {
    station: Station,
    common: Common,
}

impl Bench {
    /// Does a run, unless it was done on the same machine before.
    fn run(&self, run: &Run) -> Result<Told> {
        self.station.run(&self.task(run), Told::read)
    }

    fn task(&self, run: &Run) -> Task {
        let what = match run.case.place {
            Place::Native => What::Program(words(run, &self.common, "both")),
            _ => What::Partitions(text(run, &self.common)),
        };
        let beside = match what.is_partitions() && !self.common.devices.is_empty() {
            true => vec![(DEVICES.to_owned(), self.common.devices.clone())],
            false => Vec::new(),
        };
        Task {
            name: run.name(),
            case: (run.number == 0).then(|| run.case.name()),
            what,
            beside,
            processors: run.case.place.processors(),
            quantum: self.common.quantum,
        }
    }

    fn setup(&self, experiment: &Ethercat, cycles: u64) -> Vec<(String, String)> {
        let (processor, quantum) = (&experiment.processor, experiment.quantum);
        let mut setup = vec![
            (
                "emulator".to_owned(),
                format!("QEMU {}", self.station.emulator()),
            ),
            (
                "machine".into(),
                format!(
                    "virt, GICv3, {processor}; one processor with -icount shift=0,sleep=off, several with the laboratory's clock at a \
                     quantum of {quantum} ns"
                ),
            ),
            ("cycles of a case".into(), cycles.to_string()),
            ("phases".into(), experiment.phases.to_string()),
        ];
        setup.extend(self.station.images.shown());
        setup
    }
}

/// The runs whose segment never came to OP, each with the reason.
fn never_in_op(measured: &[Measured]) -> Vec<String> {
    let never = measured.iter().filter_map(|one| match &one.told {
        Told::NeverInOp(why) => Some(format!("{}: {why}", one.run.name())),
        Told::Found(_) => None,
    });
    never.collect()
}
