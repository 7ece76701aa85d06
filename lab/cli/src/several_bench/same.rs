//! The operations whose threads share one processor.

use std::collections::BTreeMap;

use super::Counted;
use super::round::Round;

/// What each of them costs.
pub(super) fn counted(rounds: &[Round<'_>]) -> BTreeMap<String, Counted> {
    let mut all = BTreeMap::new();
    for round in rounds.iter().filter(|round| round.label("part") == "same") {
        for name in round.names() {
            let counts: Vec<_> = round
                .intervals(name)
                .into_iter()
                .map(|(begin, end)| end.total.count.since(begin.total.count))
                .collect();
            all.extend(Counted::of(&counts, round.modelled).map(|counted| (name.into(), counted)));
        }
    }
    all
}
