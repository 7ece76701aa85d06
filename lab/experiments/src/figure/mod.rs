//! Figures: from samples to tables and plots, as an experiment file describes them.
//!
//! Must never know: the source of samples.

mod curve;
mod goals;
mod parts;
mod phases;
mod pivot;
mod schedule;
mod spread;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_export::{Drawn, Evidence, Recording};
use taktos_runner::failure::Failure;
use taktos_runner::several::Board;
use taktos_runner::workspace::Workspace;

use crate::experiment::Figure;
use crate::measure::{Observation, Summary};
use crate::samples::{Samples, Unit};

pub use curve::along;
pub use goals::{Operation, operations};
pub use parts::figures_of_part;

/// Material for drawing figures.
pub struct Material<'a> {
    /// Where published figures are found.
    pub workspace: &'a Workspace,
    /// The board on which it ran.
    pub board: &'a str,
    /// Its processor.
    pub cpu: &'a str,
    /// The samples.
    pub samples: &'a Samples,
    /// Further records of a run on one processor.
    pub run: Option<Run<'a>>,
}

/// Records of one processor's clock in addition to samples.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The rounds.
    pub observation: &'a Observation,
    /// The schedule of the threads.
    pub recording: &'a Recording,
    /// For each mark, the cycles that the model's tables alone give for the
    /// instructions executed.
    pub analysed: &'a BTreeMap<String, Summary>,
}

impl<'a> Material<'a> {
    /// Samples of a program on several processors.
    pub const fn of(workspace: &'a Workspace, board: Board, samples: &'a Samples) -> Self {
        Self {
            workspace,
            board: board.name,
            cpu: board.cpu_name,
            samples,
            run: None,
        }
    }

    /// Says that there are no cycles, where there are none.
    pub fn without_model(&self) -> Option<String> {
        let words = || format!("No model of the {} yet: instructions only.", self.cpu);
        (!self.samples.has(Unit::Cycles)).then(words)
    }

    /// Returns the evidence of its counts.
    fn evidence(&self) -> Vec<Evidence> {
        let modelled = self.samples.has(Unit::Cycles).then_some(Evidence::Modelled);
        std::iter::once(Evidence::Emulated)
            .chain(modelled)
            .collect()
    }

    /// The run, for figures that samples are not enough for.
    fn run(&self) -> Result<Run<'a>> {
        self.run
            .context("a figure of this kind is of experiments on one processor")
    }
}

/// Draws a figure.
///
/// # Errors
/// If the figure names a mark, a label or a published figure that does not exist.
fn draw(figure: &Figure, material: &Material<'_>) -> Result<Drawn> {
    if let Some(words) = material.without_model()
        && figure.needs_cycles()
    {
        return Ok(Drawn {
            title: figure.title().to_owned(),
            answer: vec![format!("{}: {words}", figure.title())],
            ..Drawn::default()
        });
    }
    match figure {
        Figure::Curve(curve) => curve::draw(curve, material),
        Figure::Summary(spread) => spread::summary(spread, material),
        Figure::Histogram(spread) => spread::histogram(spread, material),
        Figure::Phases(spread) => phases::draw(spread, material),
        Figure::Tail(spread) => spread::tail(spread, material),
        Figure::Schedule(schedule) => schedule::draw(schedule, material),
        Figure::Parts(parts) => parts::draw(parts, material),
        Figure::Goals(goals) => goals::draw(goals, material),
        Figure::Pivot(pivot) => pivot::draw(pivot, material),
    }
}

/// Every figure, in its order, but those of cases that were not run.
///
/// # Errors
/// As [`draw`].
pub fn draw_all(figures: &[Figure], material: &Material<'_>) -> Result<Vec<Drawn>> {
    let was_run = |figure: &&Figure| {
        let only = figure.only();
        only.is_none_or(|only| only.is_empty() || material.samples.have(only))
    };
    let run = figures.iter().filter(was_run);
    run.map(|figure| draw(figure, material)).collect()
}

/// All samples of a mark as one summary.
///
/// # Errors
/// When the program never passed the mark.
pub fn summary_of(samples: &Samples, mark: &str, unit: Unit) -> Result<Summary> {
    samples.summary(mark, unit).ok_or_else(|| unknown(mark))
}

/// The error that nothing is known of a mark.
fn unknown(mark: &str) -> anyhow::Error {
    Failure::error(
        format!("the program passed no mark `{mark}`, which a figure asks for"),
        "name a mark of the program; a figure of the kind `summary` without marks lists them",
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Figures of samples that were taken on the first board of several processors.
    pub fn drawn(figures: &[Figure], samples: &Samples) -> Vec<Drawn> {
        let workspace = Workspace::find().unwrap();
        let material = Material::of(&workspace, Board::first(), samples);
        draw_all(figures, &material).unwrap()
    }
}
