//! Round trips of pairs of threads that run at once and share nothing but the kernel.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_emulator::{Passing, Record};

use super::{MILLISECOND, Pairs};
use crate::measure::{Passages, Rounds};

/// By the number of pairs and what each does before it gives, for each quantum.
pub(super) type All = BTreeMap<String, BTreeMap<u32, Pairs>>;

/// Adds what the pairs of a run got done.
///
/// # Errors
/// When no time of a round belongs to all of its pairs.
pub(super) fn add(all: &mut All, record: &Record, rounds: &Rounds<'_>) -> Result<()> {
    for round in rounds.iter().filter(|round| round.label("part") == "pairs") {
        let name = match (round.label("pairs"), round.label("turns")) {
            (pairs, "0") => format!("pairs-{pairs}"),
            (pairs, turns) => format!("pairs-{pairs}-turns-{turns}"),
        };
        let trips = round.intervals().remove("round-trip").unwrap_or_default();
        let pairs = pairs(&trips)
            .with_context(|| format!("{name}: there is no time in which all pairs were at work"))?;
        let of_name = all.entry(name).or_default();
        of_name.insert(record.quantum, pairs);
    }
    Ok(())
}

/// Returns the figures of the round trips while all pairs were at work: after the latest begin of a
/// first trip, before the earliest end of a last one.
fn pairs(trips: &Passages<'_>) -> Option<Pairs> {
    let mut each: BTreeMap<usize, Passages<'_>> = BTreeMap::new();
    for trip in trips {
        each.entry(trip.0.processor).or_default().push(*trip);
    }
    let from = each.values().map(|trips| trips[0].0.total.at).max()?;
    let last = |trips: &Passages<'_>| trips[trips.len() - 1].1.total.at;
    let to = each.values().map(last).min()?;
    let inside =
        |(begin, end): &&(&Passing, &Passing)| begin.total.at >= from && end.total.at <= to;
    let counted = each.iter().map(|(number, trips)| {
        let counted = trips.iter().filter(inside).count() as u64;
        (*number, counted)
    });
    let counted: Vec<(usize, u64)> = counted.collect();
    let a_millisecond = |count: u64| (count * MILLISECOND).checked_div(to.checked_sub(from)?);
    let total = counted.iter().map(|(_, count)| count).sum();
    let times = || {
        let inside = trips.iter().filter(inside);
        inside.map(|(begin, end)| end.total.at - begin.total.at)
    };
    Some(Pairs {
        each: (counted.iter())
            .map(|(number, count)| Some((*number, a_millisecond(*count)?)))
            .collect::<Option<_>>()?,
        total: a_millisecond(total)?,
        mean: times().sum::<u64>().checked_div(total)?,
        max: times().max()?,
    })
}
