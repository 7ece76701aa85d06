//! `taktos bench --serial`, `--probe`, `--recorded`: every operation by the board's own counter.
//!
//! Owns: the way from a board to a result. Must never know: when a session is whole, or why it is
//! refused.

use anyhow::Result;
use serde_json::{Value, json};
use taktos_emulator::Board;
use taktos_experiments::experiment::load;
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::hardware::line::{Probe, listen, recorded, serial};
use taktos_experiments::hardware::{Session, has_ended, read};
use taktos_experiments::measure::Labels;
use taktos_experiments::outcome::{Outcome, begin};
use taktos_experiments::samples::{Group, Samples, Unit};
use taktos_export::{Evidence, to_json};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;
use taktos_runner::{board, image};

use crate::arguments::{CounterOptions, RunOptions, Suite};

/// The experiment, and the program that it runs.
const EXPERIMENT: &str = "experiments/bench-hardware.toml";
const LIMITS: &str = "the counter's own reading is taken off as the least of 1,001 pairs around nothing; one board, under the conditions that it names";

/// Measures on a board, or reads what one said, writes the result and shows it.
pub(super) fn hardware(
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
    let name = format!("bench-{}-hardware", session.board);
    let directory = begin(workspace, &name, options.out.as_deref())?;
    outcome(workspace, &session, &samples)?.finish(workspace, directory, options.format)
}

/// Returns the board's output until its session has ended.
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
    Ok(Outcome {
        title: experiment.title,
        question: experiment.question,
        place: format!("{board} ({cpu}), by its own counter {counter}"),
        setup,
        limits: LIMITS,
        drawn,
        files: vec![("raw/session.txt".into(), session.text.clone().into())],
        json: to_json(&json!({
            "board": board,
            "counter": counter,
            "hertz": hertz,
            "evidence": Evidence::Hardware,
            "rounds": rounds(samples),
        })),
        ..Outcome::default()
    })
}

fn rounds(samples: &Samples) -> Vec<Value> {
    let marks = samples.marks();
    let groups = samples.grouped(&["caches".to_owned()], &Labels::new());
    let round = |group: &Group<'_>| {
        let operation = |mark: &String| {
            let cycles = group.values(mark, Some(Unit::Counter))?.summary()?;
            Some(json!({ "name": mark, "cycles": cycles }))
        };
        let operations: Vec<Value> = marks.iter().filter_map(operation).collect();
        json!({ "caches": group.key.concat(), "operations": operations })
    };
    groups.iter().map(round).collect()
}
