//! `taktos bench` on a board with four processors: the probe, the runs, the tables, and what
//! changed since the baseline.

use anyhow::Result;
use taktos_experiments::baseline::{Baseline, Baselines};
use taktos_experiments::outcome::{Outcome, begin};
use taktos_experiments::several_bench::{Figures, Goals, LAYOUTS, tables};
use taktos_experiments::study::{Ready, ready};
use taktos_export::table::Table;
use taktos_export::{Drawn, Evidence};
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, QUANTA, each};
use taktos_runner::workspace::Workspace;

use super::{Compare, against, named};
use crate::arguments::RunOptions;
use crate::book;

/// The program that is measured.
pub const PROGRAM: &str = "bench";

/// The board of this name, if it has several processors.
pub fn board(name: &str) -> Option<Board> {
    Board::all().find(|board| board.name == name)
}

/// Measures, writes the result and shows it; saves the figures, or compares them.
pub(super) fn run(
    workspace: &Workspace,
    board: Board,
    options: &RunOptions,
    (baseline, save): Compare<'_>,
) -> Result<()> {
    let named = named(workspace, baseline)?;
    let name = board.name;
    let directory = begin(workspace, &format!("bench-{name}"), options.out.as_deref())?;
    let progress = Progress::default();
    let ready = ready(workspace, board, PROGRAM, &QUANTA, &progress)?;
    let figures = measure(&ready, &progress)?;
    let checked_in = Baselines::checked_in(workspace)?;
    let tables = tables_of(workspace, &checked_in, board, &figures)?;
    let outcome = Outcome {
        title: format!("Every operation on {name}"),
        question: "What does each operation of the kernel cost on several processors?".into(),
        drawn: vec![
            Drawn {
                title: "Operations".into(),
                tables: tables.iter().map(|(_, table)| table.clone()).collect(),
                evidence: vec![Evidence::Emulated, Evidence::Modelled],
                printed: true,
                ..Drawn::default()
            },
            ready.time_probe.drawn(),
        ],
        json: figures.json(&Goals::read(workspace)?)?,
        ..ready.results(&calls())
    };
    outcome.finish(workspace, directory, options.format)?;
    against(workspace, (name, &figures), (named, save), || {
        book::several::renew(workspace, name, &tables)
    })
}

/// Returns the tables of a board's figures by their names, compared with the baseline of the same
/// board with one processor.
pub fn tables_of(
    workspace: &Workspace,
    checked_in: &Baselines,
    board: Board,
    figures: &Figures,
) -> Result<Vec<(String, Table)>> {
    let one: Option<Baseline> = checked_in.figures(board.machine.name())?;
    let goals = Goals::read(workspace)?;
    tables(workspace, (figures, one.as_ref()), &goals)
}

/// Runs the program in each layout with each quantum.
pub fn measure(ready: &Ready, progress: &Progress) -> Result<Figures> {
    let name = ready.machine.board.name;
    let running = format!("running {PROGRAM} on {name}, each layout and quantum ...");
    let calls = calls();
    let records = progress.counted(&running, calls.len(), |done| {
        each(&calls, done, |call| {
            ready.machine.record(&ready.image, call)
        })
    })?;
    Figures::of(name, &records)
}

/// Each layout with each of its quanta.
fn calls() -> Vec<Call> {
    let calls = LAYOUTS.iter().flat_map(|(layout, quanta)| {
        quanta.iter().map(|quantum| Call {
            argument: (*layout).into(),
            quantum: *quantum,
            ..Call::default()
        })
    });
    calls.collect()
}
