//! `taktos bench`: every operation, and what changed since the baseline.

mod hardware;
pub mod several;
mod simulation;
pub mod thread_metric;

use std::path::{Path, PathBuf};

use anyhow::Result;
pub(super) use hardware::hardware;
pub(super) use simulation::simulation;
use taktos_emulator::Board;
use taktos_experiments::baseline::{Baseline, Baselined, Best};
use taktos_experiments::figure::operations;
use taktos_experiments::form::Form;
use taktos_experiments::published::Peers;
use taktos_experiments::session;
use taktos_runner::board::{kernels, unknown};
use taktos_runner::failure::CheckFailed;
use taktos_runner::workspace::Workspace;
pub(super) use thread_metric::thread_metric;

use super::experiment::run_prepared;
use crate::arguments::RunOptions;
use crate::book;

/// Counts every operation; saves the counts, or compares them.
pub(super) fn run(
    workspace: &Workspace,
    options: &RunOptions,
    baseline: Option<&Path>,
    save: bool,
) -> Result<()> {
    if let Some(board) = options.board.as_deref().and_then(several::board) {
        return several::run(workspace, board, options, baseline, save);
    }
    if let Some(name) = options
        .board
        .as_deref()
        .filter(|name| Board::named(name).is_none())
    {
        let known: Vec<&str> = kernels()
            .into_iter()
            .chain([Board::HYPERVISOR.name()])
            .collect();
        return Err(unknown(name, "--board", &known));
    }
    let file = file_for(options.board.as_deref());
    count(workspace, options, (file, ""), baseline, save)
}

/// An experiment, and what the name of its baseline has behind the board's.
pub type Measured = (&'static str, &'static str);
/// The calls of threads in partitions.
pub const USER: Measured = ("experiments/user-mode.toml", "-user");
/// The same with budgets.
pub const BUDGETS: Measured = ("experiments/budgets.toml", "-budgets");

/// Counts what the experiment measures, whose baseline has the board's name and `ending`; saves the counts, or compares them.
pub(super) fn count(
    workspace: &Workspace,
    options: &RunOptions,
    (file, ending): Measured,
    baseline: Option<&Path>,
    save: bool,
) -> Result<()> {
    // A baseline that was named must be there before the long work begins.
    let named = baseline.map(Baseline::read).transpose()?;
    let file = workspace.path(file);
    let result = format!("{}{ending}", name(options));
    let prepared = session::prepare_on_any(&file, options.board.as_deref())?;
    let session = run_prepared(workspace, prepared, &result, options, Form::Bench)?;
    let board = format!("{}{ending}", session.board.name);
    let now = Baseline::of(&board, &operations(&session.samples, &Peers::default()));
    against(workspace, (&board, &now), (named, save), || {
        book::figures::renew(workspace, &now)
    })
}

/// Where a board's baseline is.
pub fn baseline_of(workspace: &Workspace, board: &str) -> PathBuf {
    workspace.path(&format!("experiments/baseline/{board}.json"))
}

/// Saves a board's figures as its baseline and has what repeats them renewed, or compares them with the baseline that was named, or else
/// with the board's.
fn against<T: Baselined>(
    workspace: &Workspace,
    (board, now): (&str, &T),
    (named, save): (Option<T>, bool),
    renew: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let checked_in = baseline_of(workspace, board);
    let best_file = workspace.path("experiments/best.csv");
    let mut best = Best::read(&best_file)?;
    if save {
        // A baseline of another form is replaced like one that is not there.
        best.renew(board, T::read(&checked_in).ok().as_ref(), now)?;
        now.save(&checked_in)?;
        best.save(&best_file)?;
        renew()?;
        eprintln!("baseline saved: {}", workspace.opened(&checked_in));
    }
    for line in best.dearer(board, now)? {
        eprintln!("  dearer than it was once: {line}");
    }
    if save {
        return Ok(());
    }
    let before = match named {
        Some(before) => before,
        None if checked_in.is_file() => T::read(&checked_in)?,
        None => {
            eprintln!("no baseline of {board} yet; --save-baseline makes one");
            return Ok(());
        }
    };
    let changes = before.changes(now)?;
    for change in &changes {
        eprintln!("  {change}");
    }
    match changes.len() {
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
