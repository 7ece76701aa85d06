//! `taktos bench --serial`, `--probe`, `--recorded`: every operation by the board's own counter.
//!
//! Owns: the way from a board to a result. Must never know: when a session is whole, or what refuses it.

use anyhow::Result;
use serde::Serialize;
use taktos_emulator::Board;
use taktos_experiments::experiment::load;
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::hardware::line::{Probe, listen, recorded, serial};
use taktos_experiments::hardware::{Session, has_ended, read};
use taktos_experiments::measure::Summary;
use taktos_experiments::outcome::Outcome;
use taktos_experiments::samples::{Samples, Unit};
use taktos_export::{Evidence, to_json};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;
use taktos_runner::{board, image};

use crate::arguments::{CounterOptions, RunOptions, Suite};
use crate::command::experiment::begin;

/// The experiment, and the program that it runs.
const EXPERIMENT: &str = "experiments/bench-hardware.toml";
const LIMITS: &str = "the counter's own reading is taken off as the least of 1,001 pairs around nothing; one board, under the conditions that it names";

/// Measures on a board, or reads what one said, writes the result and shows it.
pub(in super::super) fn hardware(
    workspace: &Workspace,
    suite: Suite,
    options: &RunOptions,
    counter: &CounterOptions,
) -> Result<()> {
    if suite != Suite::Kernel {
        return Err(Failure::error(
            "a board's own counter measures the suite kernel",
            "leave out --suite",
        ));
    }
    let named = options.board.as_deref();
    let named = named
        .map(|name| board::by_name(name, "--board"))
        .transpose()?;
    let console = match &counter.recorded {
        Some(file) => recorded(file)?,
        None => heard(workspace, named, counter)?,
    };
    let session = read(&console)?;
    if let Some(other) = named.filter(|board| board.name() != session.board) {
        return Err(Failure::error(
            format!(
                "the console is of the board {}, not of {}",
                session.board,
                other.name()
            ),
            format!("name it: --board {}", session.board),
        ));
    }
    let samples = session.samples()?;
    let directory = begin(
        workspace,
        &format!("bench-{}-hardware", session.board),
        options,
    )?;
    outcome(workspace, &session, &samples)?.finish(workspace, directory, options.format)
}

/// What the board says until its session has ended.
fn heard(workspace: &Workspace, named: Option<Board>, counter: &CounterOptions) -> Result<String> {
    let Some(board) = named else {
        return Err(Failure::error(
            "no board is named, so there is no image for it",
            "name the board: --board stm32f405",
        ));
    };
    // A device that cannot be opened is known before anything is built.
    let line = counter.serial.as_deref().map(serial).transpose()?;
    let progress = Progress::default();
    let building = format!("building bench for {} ...", board.name());
    let program = load(&workspace.path(EXPERIMENT))?.program;
    let built = || image::build_counted(workspace, board, program.get_ref());
    let image = progress.during(&building, built)?.path;
    let probe = counter
        .probe
        .as_deref()
        .map(|words| Probe::start(words, &image));
    let mut probe = probe.transpose()?;
    if probe.is_none() {
        eprintln!(
            "the image: {}; once it is on the board, reset that",
            workspace.opened(&image)
        );
    }
    let listening = format!("listening to {} ...", board.name());
    progress.during(&listening, || match (line, &mut probe) {
        (Some(line), _) => listen(line, has_ended),
        (None, Some(probe)) => probe
            .printed()
            .map_or(Ok(String::new()), |from| listen(from, has_ended)),
        (None, None) => Ok(String::new()),
    })
}

/// The figures, by the way of all others.
fn outcome(workspace: &Workspace, session: &Session, samples: &Samples) -> Result<Outcome> {
    let experiment = load(&workspace.path(EXPERIMENT))?;
    let cpu = Board::named(&session.board).map_or("its processor", Board::cpu_name);
    let material = Material {
        workspace,
        board: &session.board,
        cpu,
        samples,
        run: None,
    };
    let drawn = draw_all(&experiment.figures, &material)?;
    let Session {
        board,
        counter,
        hertz,
        ..
    } = session;
    let mut setup = vec![
        ("board".to_owned(), format!("{board} ({cpu})")),
        ("program".into(), experiment.program.get_ref().clone()),
        ("counter".into(), format!("{counter}, {hertz} a second")),
    ];
    setup.extend(session.conditions.clone());
    let marks = samples.marks();
    Ok(Outcome {
        title: experiment.title,
        question: experiment.question,
        place: format!("{board} ({cpu}), by its own counter {counter}"),
        setup,
        limits: LIMITS,
        drawn,
        files: vec![("raw/session.txt".into(), session.text.clone().into())],
        json: to_json(&Hardware {
            board,
            counter,
            hertz: *hertz,
            evidence: Evidence::Hardware,
            rounds: rounds(samples, &marks),
        }),
        ..Outcome::default()
    })
}

#[derive(Serialize)]
struct Hardware<'a> {
    board: &'a str,
    counter: &'a str,
    hertz: u64,
    evidence: Evidence,
    rounds: Vec<Round>,
}

#[derive(Serialize)]
struct Round {
    caches: String,
    operations: Vec<Operation>,
}

#[derive(Serialize)]
struct Operation {
    name: String,
    cycles: Summary,
}

fn rounds(samples: &Samples, marks: &[String]) -> Vec<Round> {
    let groups = samples.grouped(
        &["caches".to_owned()],
        &taktos_experiments::measure::Labels::new(),
    );
    let round = |group: &taktos_experiments::samples::Group<'_>| Round {
        caches: group.key.concat(),
        operations: marks
            .iter()
            .filter_map(|mark| {
                let cycles = group.values(mark, Some(Unit::Counter))?.summary()?;
                let name = mark.clone();
                Some(Operation { name, cycles })
            })
            .collect(),
    };
    groups.iter().map(round).collect()
}
