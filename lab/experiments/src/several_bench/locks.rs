//! The cost of each kind of lock, alone and contended.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_emulator::{Count, Record};

use super::{Contended, Counted, LockCost, MILLISECOND};
use crate::measure::{Passages, Rounds, counts};

/// Adds the costs of the locks of a run; alone, in the first run that states them.
///
/// # Errors
/// If a round does not state how many contenders there are, or no thread locked in it.
pub(super) fn add(
    all: &mut BTreeMap<String, LockCost>,
    record: &Record,
    rounds: &Rounds<'_>,
) -> Result<()> {
    for round in rounds.iter().filter(|round| round.label("part") == "locks") {
        let name = round.label("lock");
        let contenders: usize = round.label("processors").parse().with_context(|| {
            format!("a round of the lock {name} without a number of processors")
        })?;
        let mut intervals = round.intervals();
        let mut take = |name| intervals.remove(name).unwrap_or_default();
        let (locks, unlocks) = (take("lock"), take("unlock"));
        let contended = contended(&locks, &unlocks)
            .with_context(|| format!("the lock {name} was never locked"))?;
        let cost = all.entry(name.to_owned()).or_default();
        if contenders == 1 && cost.alone.is_none() {
            cost.alone = Counted::of(&alone(&locks, &unlocks), record.modelled);
        }
        let of_quantum = cost.contended.entry(record.quantum).or_default();
        of_quantum.insert(contenders, contended);
    }
    Ok(())
}

fn contended(locks: &Passages<'_>, unlocks: &Passages<'_>) -> Option<Contended> {
    let times = || {
        locks
            .iter()
            .map(|(begin, end)| end.total.at - begin.total.at)
    };
    let begin = locks.iter().map(|(begin, _)| begin.total.at).min()?;
    let end = unlocks.iter().map(|(_, end)| end.total.at).max()?;
    let count = locks.len() as u64;
    Some(Contended {
        mean: times().sum::<u64>().checked_div(count)?,
        max: times().max()?,
        sections: (count * MILLISECOND).checked_div(end.checked_sub(begin)?)?,
    })
}

/// Each lock with its unlock.
fn alone(locks: &Passages<'_>, unlocks: &Passages<'_>) -> Vec<Count> {
    let pairs = counts(locks).into_iter().zip(counts(unlocks));
    let both = pairs.map(|(lock, unlock)| Count {
        instructions: lock.instructions + unlock.instructions,
        cycles: lock.cycles + unlock.cycles,
    });
    both.collect()
}
