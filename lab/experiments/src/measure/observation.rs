//! One run of an image as rounds of samples. Lines `@key value` that begin no round are facts about
//! the run.

use std::collections::BTreeMap;

use anyhow::Result;
use taktos_emulator::{Count, Passing, Record};

use super::round::{Labels, Part, Passages, ROUND, rounds};

/// One round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Labels of the round.
    pub labels: Labels,
    /// When it began, in nanoseconds of the virtual clock.
    pub begins: u64,
    /// The samples of each mark, in their order.
    pub samples: BTreeMap<String, Vec<Count>>,
    /// For each mark, the shares of the phases in its cheapest sample.
    pub phases: BTreeMap<String, Vec<Count>>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Facts that the program printed of itself.
    pub facts: Vec<(String, String)>,
    /// The rounds in their order; a program without rounds has one.
    pub rounds: Vec<Round>,
    /// Everything that was executed.
    pub total: Count,
    /// The names of the phases, by their number.
    pub phase_names: Vec<&'static str>,
    /// Whether cycles were counted in addition to instructions; otherwise they are 0.
    pub modelled: bool,
}

impl Observation {
    /// The number of samples of all marks.
    pub fn sample_count(&self) -> usize {
        self.rounds
            .iter()
            .flat_map(|round| round.samples.values())
            .map(Vec::len)
            .sum()
    }
}

/// Sorts a run into rounds.
///
/// # Errors
/// As [`rounds`].
pub fn observe(record: &Record) -> Result<Observation> {
    let rounds = rounds(record)?.into_iter().map(Round::of);
    let facts = record.facts().filter(|(key, _)| *key != ROUND);
    Ok(Observation {
        facts: facts
            .map(|(key, value)| (key.into(), value.trim().into()))
            .collect(),
        rounds: rounds
            .filter(|round| !round.samples.is_empty() || !round.labels.is_empty())
            .collect(),
        total: record.total(),
        phase_names: record.phase_names.clone(),
        modelled: record.modelled,
    })
}

impl Round {
    fn of(round: Part<'_>) -> Self {
        let intervals = round.intervals().into_iter();
        let (samples, phases) = intervals
            .map(|(name, passages)| {
                let phases = cheapest(&passages);
                ((name.to_owned(), counts(&passages)), (name.into(), phases))
            })
            .unzip();
        Self {
            labels: round.labels,
            begins: round.begins,
            samples,
            phases,
        }
    }
}

/// Returns the count of each sample.
pub fn counts(passages: &Passages<'_>) -> Vec<Count> {
    let count = |(begin, end): &(&Passing, &Passing)| end.total.count.since(begin.total.count);
    passages.iter().map(count).collect()
}

/// Returns the shares of the phases in the first sample of the fewest cycles.
fn cheapest(passages: &Passages<'_>) -> Vec<Count> {
    let cycles =
        |(begin, end): &&(&Passing, &Passing)| end.total.count.since(begin.total.count).cycles;
    let Some((begin, end)) = passages.iter().min_by_key(cycles) else {
        return Vec::new();
    };
    let pairs = begin.total.phases.iter().zip(&end.total.phases);
    pairs.map(|(begin, end)| end.since(*begin)).collect()
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Arc;

    use taktos_emulator::{Edge, Mark, Total};

    /// The record of a run that printed this and passed these marks: each with the processor, the
    /// time and what the processor had executed. Each instruction took two cycles, all in one
    /// phase.
    pub(crate) fn passed(console: &str, marks: &[(Edge, &str, usize, u64, u64)]) -> Record {
        let passing = |(edge, name, processor, at, instructions): &_| Passing {
            processor: *processor,
            mark: Arc::new(Mark {
                edge: *edge,
                name: String::from(*name),
            }),
            asleep: 0,
            total: total(*at, *instructions),
        };
        let last = marks.last();
        Record {
            console: console.into(),
            marks: marks.iter().map(passing).collect(),
            processors: vec![last.map_or(total(0, 0), |mark| total(mark.3, mark.4))],
            phase_names: vec!["other"],
            modelled: true,
            quantum: 20,
            ..Record::default()
        }
    }

    /// Returns the total of a processor up to then.
    pub(crate) fn total(at: u64, instructions: u64) -> Total {
        let count = Count {
            instructions,
            cycles: 2 * instructions,
        };
        Total {
            at,
            count,
            phases: vec![count],
        }
    }

    /// Returns a record of one processor, which executes an instruction in a nanosecond.
    pub(crate) fn record(console: &str, marks: &[(&str, Edge, u64)]) -> Record {
        let marks = marks.iter();
        let marks = marks.map(|(name, edge, at)| (*edge, *name, 0, *at, *at));
        passed(console, &marks.collect::<Vec<_>>())
    }

    #[test]
    fn samples_belong_to_the_round_that_began_last() {
        let observation = observe(&record(
            "hello\n@seed 7\n@round threads=0 series=a\n@round threads=10 series=a\n",
            &[
                ("round", Edge::Point, 5),
                ("a", Edge::Begin, 10),
                ("a", Edge::End, 15),
                ("round", Edge::Point, 20),
                ("a", Edge::Begin, 30),
                ("a", Edge::End, 37),
                ("a", Edge::End, 99),
            ],
        ))
        .unwrap();
        assert_eq!(observation.facts, [("seed".to_owned(), "7".to_owned())]);
        assert_eq!(observation.rounds.len(), 2);
        assert_eq!(observation.rounds[1].labels["threads"], "10");
        assert_eq!(observation.rounds[1].begins, 20);
        let samples = |round: usize| observation.rounds[round].samples["a"].clone();
        assert_eq!(
            samples(0),
            [Count {
                instructions: 5,
                cycles: 10
            }]
        );
        assert_eq!(
            samples(1),
            [Count {
                instructions: 7,
                cycles: 14
            }]
        );
    }

    #[test]
    fn the_phases_are_those_of_the_cheapest_sample() {
        let observation = observe(&record(
            "",
            &[
                ("a", Edge::Begin, 0),
                ("a", Edge::End, 9),
                ("a", Edge::Begin, 10),
                ("a", Edge::End, 14),
                ("a", Edge::Begin, 20),
                ("a", Edge::End, 26),
            ],
        ))
        .unwrap();
        assert_eq!(
            observation.rounds[0].phases["a"],
            [Count {
                instructions: 4,
                cycles: 8
            }]
        );
    }

    #[test]
    fn intervals_do_not_reach_over_rounds() {
        let observation = observe(&record(
            "@round n=1\n",
            &[
                ("a", Edge::Begin, 10),
                ("round", Edge::Point, 12),
                ("a", Edge::End, 15),
            ],
        ))
        .unwrap();
        assert_eq!(observation.sample_count(), 0);
    }

    #[test]
    fn lines_without_rounds_are_refused() {
        let error = observe(&record("@round n=1\n", &[])).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("1 @round lines but began 0 rounds"),
            "{error}"
        );
    }

    #[test]
    fn a_malformed_round_is_refused() {
        let error = observe(&record("@round threads\n", &[])).unwrap_err();
        assert!(
            error.to_string().contains("`threads` is no key=value"),
            "{error}"
        );
    }
}
