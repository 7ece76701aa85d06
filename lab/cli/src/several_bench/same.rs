//! The operations whose threads share one processor.

use super::round::Round;
use super::{Counted, Figures, PARTITIONED};

/// Adds what each of them costs, where no run before said so.
pub(super) fn add(figures: &mut Figures, rounds: &[Round<'_>]) {
    for round in rounds.iter().filter(|round| round.label("part") == "same") {
        let operations = match round.label("layout") {
            PARTITIONED => &mut figures.same,
            layout => figures.instances.entry(layout.into()).or_default(),
        };
        for name in round.names() {
            let counts: Vec<_> = round
                .intervals(name)
                .into_iter()
                .map(|(begin, end)| end.total.count.since(begin.total.count))
                .collect();
            if let Some(counted) = Counted::of(&counts, round.modelled) {
                operations.entry(name.into()).or_insert(counted);
            }
        }
    }
}
