//! The operations with both threads on one processor.

use taktos_emulator::Record;

use super::{Counted, Figures, PARTITIONED};
use crate::measure::{Rounds, counts};

/// Adds what each of them costs, where no run before said so.
pub(super) fn add(figures: &mut Figures, record: &Record, rounds: &Rounds<'_>) {
    for round in rounds.iter().filter(|round| round.label("part") == "same") {
        let operations = match round.label("layout") {
            PARTITIONED => &mut figures.same,
            layout => figures.instances.entry(layout.into()).or_default(),
        };
        for (name, passages) in round.intervals() {
            if let Some(counted) = Counted::of(&counts(&passages), record.modelled) {
                operations.entry(name.into()).or_insert(counted);
            }
        }
    }
}
