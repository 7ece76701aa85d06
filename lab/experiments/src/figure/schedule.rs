//! The schedule of the threads, from the begin of a round.

use anyhow::{Context, Result};
use taktos_export::{Drawn, Evidence, plot, table::Table};
use taktos_trace::Kind;

use super::{Material, Run};
use crate::experiment::Schedule;
use crate::measure::Observation;

pub(super) fn draw(schedule: &Schedule, material: &Material<'_>) -> Result<Drawn> {
    let Run {
        observation,
        recording,
        ..
    } = material.run()?;
    let begins = begin(schedule, observation)?;
    let events = &recording.events;
    let switches: Vec<u64> = events
        .iter()
        .filter(|event| event.kind == Kind::Switch && event.at >= begins)
        .map(|event| event.at)
        .take(schedule.switches + 1)
        .collect();
    let from = switches.first().copied().unwrap_or(begins);
    let to = switches.last().copied().unwrap_or(recording.end);
    let svg = plot::gantt(recording, &schedule.title, from, to);
    Ok(Drawn {
        title: schedule.title.clone(),
        plots: vec![(
            Table::new(schedule.title.as_str(), Vec::new()).file_stem(),
            svg,
        )],
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    })
}

/// Returns when the round begins that has all the labels.
fn begin(schedule: &Schedule, observation: &Observation) -> Result<u64> {
    let matches = |labels: &crate::measure::Labels| {
        schedule
            .round
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
    };
    let mut rounds = observation.rounds.iter();
    let round = rounds.find(|round| matches(&round.labels));
    let begins = match round {
        Some(round) => Some(round.begins),
        None if schedule.round.is_empty() => Some(0),
        None => None,
    };
    begins.with_context(|| {
        format!(
            "no round of the program has the labels of the figure \"{}\"",
            schedule.title
        )
    })
}
