//! `taktos bench`: every operation, and what changed since the baseline.

mod hardware;
pub mod several;
mod simulation;
pub mod thread_metric;

use std::path::Path;

use anyhow::Result;
use hardware::hardware;
use simulation::simulation;
use taktos_emulator::Board;
use taktos_experiments::baseline::{Baseline, Baselined, Baselines, Best, FILE};
use taktos_experiments::figure::operations;
use taktos_experiments::form::Form;
use taktos_experiments::outcome::begin;
use taktos_experiments::published::Peers;
use taktos_experiments::session;
use taktos_experiments::study::run_one;
use taktos_runner::board::{kernels, unknown};
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::workspace::Workspace;
use thread_metric::{Calls, thread_metric};

use super::install::Form as Compiled;
use crate::arguments::{BenchOptions, Interface, RunOptions, Suite};
use crate::book;

/// Measures a suite; saves the figures, or compares them.
pub(super) fn run(workspace: &Workspace, bench: &BenchOptions) -> Result<()> {
    let (options, suite) = (&bench.options, bench.suite);
    let baseline = (bench.baseline.as_deref(), bench.save_baseline);
    if bench.interface.is_some() && suite != Suite::ThreadMetric {
        return Err(Failure::error(
            "only the suite thread-metric is measured by one interface or another",
            "say --suite thread-metric, or leave out --interface",
        ));
    }
    if bench.interface == Some(Interface::Rust) && bench.lto {
        return Err(Failure::error(
            "the tests in Rust are compiled with the kernel in any case",
            "leave out --lto, or take another --interface",
        ));
    }
    if bench.counter.any() {
        return hardware(workspace, suite, options, &bench.counter);
    }
    match suite {
        Suite::Kernel => kernel(workspace, options, baseline),
        Suite::User => count(workspace, options, USER, baseline),
        Suite::Budgets => count(workspace, options, BUDGETS, baseline),
        Suite::ThreadMetric => {
            let calls = Calls {
                interface: bench.interface.unwrap_or_default(),
                library: Compiled::of(bench.lto),
            };
            thread_metric(workspace, options, calls, baseline)
        }
        Suite::Simulation => simulation(workspace, options, baseline != (None, false)),
    }
}

/// Counts every operation; saves the counts, or compares them.
fn kernel(workspace: &Workspace, options: &RunOptions, baseline: Compare<'_>) -> Result<()> {
    let board = options.board.as_deref();
    if let Some(board) = board.and_then(several::board) {
        return several::run(workspace, board, options, baseline);
    }
    if let Some(name) = board.filter(|name| Board::named(name).is_none()) {
        let known: Vec<&str> = kernels()
            .into_iter()
            .chain([Board::HYPERVISOR.name()])
            .collect();
        return Err(unknown(name, "--board", &known));
    }
    count(workspace, options, (file_for(board), ""), baseline)
}

/// The file of baselines, if it is not the usual one, and whether the figures become the baseline.
type Compare<'a> = (Option<&'a Path>, bool);

/// An experiment, and the part of its baseline's name after the board's name.
pub type Measured = (&'static str, &'static str);
/// The calls of threads in partitions.
pub const USER: Measured = ("experiments/user-mode.toml", "-user");
/// The calls of threads in partitions with budgets.
pub const BUDGETS: Measured = ("experiments/budgets.toml", "-budgets");

/// Counts what the experiment measures; saves the counts, or compares them with the baseline. The
/// name of the baseline is the board's name and `ending`.
fn count(
    workspace: &Workspace,
    options: &RunOptions,
    (file, ending): Measured,
    (baseline, save): Compare<'_>,
) -> Result<()> {
    let named = named(workspace, baseline)?;
    let processor = Board::named(&name(options)).and_then(Board::processor);
    if processor.is_some_and(|processor| !processor.has_partitions()) {
        return Err(Failure::error(
            format!("{} has no partitions", name(options)),
            "take another --board; or --suite kernel",
        ));
    }
    let file = workspace.path(file);
    let result = format!("{}{ending}", name(options));
    let prepared = session::prepare_on_any(&file, options.board.as_deref())?;
    let directory = begin(workspace, &result, options.out.as_deref())?;
    let session = run_one(workspace, prepared, directory, options.format, Form::Bench)?;
    let board = format!("{}{ending}", session.board.name);
    let now = Baseline::of(&board, &operations(&session.samples, &Peers::default()));
    against(workspace, (&board, &now), (named, save), || {
        book::figures::renew(workspace, &now)
    })
}

/// Reads the file of baselines that was named, if one was. A file that is missing or broken, also
/// the one that is checked in, is refused before the long work begins.
fn named(workspace: &Workspace, baseline: Option<&Path>) -> Result<Option<Baselines>> {
    Baselines::checked_in(workspace)?;
    baseline.map(Baselines::read).transpose()
}

/// Saves a board's figures as its baseline and has what repeats them renewed, or compares them with
/// those in the file that was named, or else with the board's.
fn against<T: Baselined>(
    workspace: &Workspace,
    (board, now): (&str, &T),
    (named, save): (Option<Baselines>, bool),
    renew: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let file = workspace.path(FILE);
    let best_file = workspace.path("experiments/best.csv");
    let mut best = Best::read(&best_file)?;
    // Read late: another run may have saved other boards' meanwhile.
    let mut all = match named {
        Some(named) => named,
        None => Baselines::checked_in(workspace)?,
    };
    if save {
        // A baseline of another form is replaced like one that is not there.
        let before: Option<T> = all.figures(board).ok().flatten();
        best.renew(board, before.as_ref(), now)?;
        all.set(board, now)?;
        all.save(&file)?;
        best.save(&best_file)?;
        renew()?;
        eprintln!("baseline of {board} saved: {}", workspace.opened(&file));
    }
    for line in best.dearer(board, now)? {
        eprintln!("  dearer than it was once: {line}");
    }
    if save {
        return Ok(());
    }
    let Some(before) = all.figures::<T>(board)? else {
        eprintln!("no baseline of {board} yet; --save-baseline makes one");
        return Ok(());
    };
    compare(&before, now)
}

/// Shows what changed, and fails where it matters.
fn compare<T: Baselined>(before: &T, now: &T) -> Result<()> {
    let changes = before.changes(now)?;
    for change in &changes.gated {
        eprintln!("  {change}");
    }
    if !changes.reported.is_empty() {
        eprintln!("  modelled cycles moved, as they do where code lies elsewhere; no check:");
    }
    for change in &changes.reported {
        eprintln!("    {change}");
    }
    match changes.gated.len() {
        0 => eprintln!("baseline: {}", now.unchanged()),
        count => return Err(CheckFailed(T::changed(count)).into()),
    }
    Ok(())
}

/// The experiment that measures every operation of a board: of the hypervisor's, or of the kernel.
pub fn file_for(board: Option<&str>) -> &'static str {
    match board == Some(Board::HYPERVISOR.name()) {
        true => "experiments/bench-hypervisor.toml",
        false => "experiments/bench.toml",
    }
}

/// Results of several boards do not replace each other.
fn name(options: &RunOptions) -> String {
    match &options.board {
        Some(board) => format!("bench-{board}"),
        None => "bench".into(),
    }
}
