//! What experiments with guests have in common on their way from a command line to a result.
//!
//! Owns: what they refuse, and how runs of which there are no figures are told. Must never know: what any of them measures.

use anyhow::Result;
use taktos_experiments::experiment::Figure;
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::outcome::Outcome;
use taktos_export::Drawn;
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::several::Honest;
use taktos_runner::station::{Station, Task};

use crate::arguments::RunOptions;

/// Refuses a board: these experiments have one.
pub(super) fn no_board(options: &RunOptions) -> Result<()> {
    match options.board {
        None => Ok(()),
        Some(_) => Err(Failure::error(
            "--board has no meaning for this experiment",
            "leave it out: it runs on the emulator's board virt",
        )),
    }
}

/// What all runs on a station come to: the figures of their samples, then whether time was honest, then the runs of which there are
/// none, by what they are called.
///
/// # Errors
/// When a figure cannot be drawn.
pub(super) fn outcome(
    (station, tasks): (&Station, &[Task]),
    (figures, material): (&[Figure], &Material<'_>),
    without: &[(&str, &[String])],
) -> Result<Outcome> {
    let mut drawn = draw_all(figures, material)?;
    drawn.extend(station.honest.iter().map(Honest::drawn));
    let without = without.iter();
    drawn.extend(without.filter_map(|(title, runs)| without_figures(title, runs)));
    Ok(Outcome {
        drawn,
        files: station.files(tasks),
        runs: station.keys(tasks),
        ..Outcome::default()
    })
}

/// Runs of which there are no figures, for the report.
fn without_figures(title: &str, all: &[String]) -> Option<Drawn> {
    (!all.is_empty()).then(|| Drawn {
        title: title.to_owned(),
        answer: all.iter().map(|one| format!("{title}: {one}.")).collect(),
        ..Drawn::default()
    })
}

/// The runs that failed, each with the reason.
pub(super) fn failures<'a, T>(
    names: impl Iterator<Item = String>,
    found: impl Iterator<Item = &'a Result<T, String>>,
) -> Vec<String>
where
    T: 'a,
{
    let failed = names.zip(found).filter_map(|(name, found)| {
        let error = found.as_ref().err()?;
        Some(format!("{name}: {error}"))
    });
    failed.collect()
}

/// Whether all runs succeeded.
pub(super) fn judged(failed: &[String]) -> Result<()> {
    match failed {
        [] => Ok(()),
        [first, ..] => {
            let words = format!("{} runs failed, the first: {first}", failed.len());
            Err(CheckFailed(words).into())
        }
    }
}
