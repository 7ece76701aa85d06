//! `taktos bench` on a board with four processors: the probe, the runs, the tables, and what changed since the baseline.

use std::path::{Path, PathBuf};

use anyhow::Result;
use taktos_export::table::Table;

use crate::arguments::{Format, RunOptions};
use crate::baseline::Baseline;
use crate::command::experiment::begin;
use crate::command::test::book;
use crate::failure::CheckFailed;
use crate::progress::Progress;
use crate::screen;
use crate::several::{Board, Call, Machine, QUANTA, each, honest};
use crate::several_bench::{Figures, Goals, LAYOUTS, tables};
use crate::workspace::Workspace;

/// The program that is measured.
const PROGRAM: &str = "bench";

/// The board of this name, if it has several processors.
pub(in crate::command) fn board(name: &str) -> Option<Board> {
    Board::ALL.into_iter().find(|board| board.name == name)
}

/// Where the board's baseline is.
pub(in crate::command) fn baseline_of(workspace: &Workspace, board: &str) -> PathBuf {
    workspace.path(&format!("experiments/baseline/{board}.json"))
}

/// Measures, writes the result and shows it; saves the figures, or compares them.
pub(super) fn run(
    workspace: &Workspace,
    board: Board,
    options: &RunOptions,
    baseline: Option<&Path>,
    save: bool,
) -> Result<()> {
    // A baseline that was named must be there before the long work begins.
    let named = baseline.map(Figures::read).transpose()?;
    let name = board.name;
    let directory = begin(workspace, &format!("bench-{name}"), options)?;
    let figures = measure(workspace, board, &Progress::default())?;
    let tables = tables_of(workspace, board, &figures)?;
    let json = figures.json(&Goals::read(workspace)?)?;
    directory.write("result.json", &json)?;
    for table in &tables {
        directory.write(&format!("tables/{}.csv", table.file_stem()), table.to_csv())?;
    }
    let place = directory.finish()?;
    match options.format {
        Format::Json => screen::print(&json)?,
        Format::Csv => screen::print(&texts(&tables, Table::to_csv))?,
        Format::Table => screen::print(&texts(&tables, Table::to_text))?,
    }
    eprintln!("result: {}", workspace.shown(&place));
    let checked_in = baseline_of(workspace, name);
    if save {
        figures.save(&checked_in)?;
        book::several::renew(workspace, name, &tables)?;
        eprintln!("baseline saved: {}", workspace.shown(&checked_in));
        return Ok(());
    }
    let before = match named {
        Some(before) => before,
        None if checked_in.is_file() => Figures::read(&checked_in)?,
        None => {
            eprintln!("no baseline of {name} yet; --save-baseline makes one");
            return Ok(());
        }
    };
    compare(&before, &figures)
}

fn compare(before: &Figures, now: &Figures) -> Result<()> {
    let changes = before.changes(now)?;
    if changes.is_empty() {
        eprintln!("baseline: no figure changed in {} rows", now.rows());
        return Ok(());
    }
    for change in &changes {
        eprintln!("  {change}");
    }
    let figures = if changes.len() == 1 {
        "figure"
    } else {
        "figures"
    };
    Err(CheckFailed(format!("{} {figures} changed", changes.len())).into())
}

fn texts(tables: &[Table], form: fn(&Table) -> String) -> String {
    let texts: Vec<String> = tables.iter().map(form).collect();
    format!("{}\n", texts.join("\n"))
}

/// The tables of a board's figures, beside the baseline of the same board with one processor.
pub(in crate::command) fn tables_of(
    workspace: &Workspace,
    board: Board,
    figures: &Figures,
) -> Result<Vec<Table>> {
    let one = baseline_of(workspace, board.machine.name());
    let one = one.is_file().then(|| Baseline::read(&one)).transpose()?;
    let goals = Goals::read(workspace)?;
    Ok(tables(figures, one.as_ref(), &goals)?.into())
}

/// Runs the program in each layout with each quantum, when the probe says that the time is honest.
pub(in crate::command) fn measure(
    workspace: &Workspace,
    board: Board,
    progress: &Progress,
) -> Result<Figures> {
    let machine = Machine::find(board)?;
    progress.during("asking whether time is honest ...", || {
        honest(workspace, &machine, &QUANTA)
    })?;
    let building = format!("building {PROGRAM} for {} ...", board.name);
    let image = progress.during(&building, || machine.build(workspace, PROGRAM))?;
    let calls = LAYOUTS.iter().flat_map(|(layout, quanta)| {
        quanta.iter().map(|quantum| Call {
            argument: (*layout).into(),
            quantum: *quantum,
        })
    });
    let calls: Vec<Call> = calls.collect();
    let running = format!(
        "running {PROGRAM} on {}, each layout and quantum ...",
        board.name
    );
    let records = progress.during(&running, || {
        each(&calls, &|_| (), |call| machine.record(&image, call))
    })?;
    Figures::of(board.name, &records)
}
