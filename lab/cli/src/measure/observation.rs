//! One run of an image as rounds of samples.
//!
//! The program prints `@round key=value ...` before each round, and passes the
//! point mark `round` when the round begins: the first line belongs to the
//! first passing, and so on. Other lines `@key value` are facts about the run.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use taktos_emulator::{Count, Edge, Passing, Record};

/// The point mark that begins a round.
const ROUND: &str = "round";

/// What a round was run with: `threads=10` is `("threads", "10")`.
pub type Labels = BTreeMap<String, String>;

/// One round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// What it was run with.
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
    /// What the program said about itself.
    pub facts: Vec<(String, String)>,
    /// The rounds in their order; a program without rounds has one.
    pub rounds: Vec<Round>,
    /// Everything that was executed.
    pub total: Count,
    /// The names of the phases, by their number.
    pub phase_names: Vec<&'static str>,
    /// Whether cycles were counted beside instructions; otherwise they are 0.
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
/// When the lines and the passings that begin rounds do not go together, or a
/// line of a round is malformed: the program and the laboratory disagree.
pub fn observe(record: &Record) -> Result<Observation> {
    let (facts, labels) = spoken(record)?;
    let begun = record.points(ROUND).len();
    if begun != labels.len() {
        bail!(
            "the program printed {} @round lines but began {begun} rounds; \
             each line goes with one passing of taktos.point.{ROUND}",
            labels.len()
        );
    }
    let mut labels = labels.into_iter();
    let mut rounds = vec![Round::default()];
    let mut open: BTreeMap<&str, &Passing> = BTreeMap::new();
    for passing in &record.marks {
        let name = passing.mark.name.as_str();
        match passing.mark.edge {
            Edge::Point if name == ROUND => {
                open.clear();
                let begins = passing.at;
                let labels = labels.next().unwrap_or_default();
                rounds.push(Round {
                    labels,
                    begins,
                    ..Round::default()
                });
            }
            Edge::Point => {}
            Edge::Begin => {
                open.insert(name, passing);
            }
            Edge::End => {
                if let (Some(begin), Some(round)) = (open.remove(name), rounds.last_mut()) {
                    round.record(begin, passing);
                }
            }
        }
    }
    rounds.retain(|round| !round.samples.is_empty() || !round.labels.is_empty());
    let phase_names = record.phase_names.clone();
    Ok(Observation {
        facts,
        rounds,
        total: record.total,
        phase_names,
        modelled: record.modelled,
    })
}

impl Round {
    fn record(&mut self, begin: &Passing, end: &Passing) {
        let name = &end.mark.name;
        let sample = end.total.since(begin.total);
        if !self.samples.contains_key(name) {
            self.samples.insert(name.clone(), Vec::new());
        }
        let Some(samples) = self.samples.get_mut(name) else {
            return;
        };
        let share = self.phases.get(name).map(|shares| total_cycles(shares));
        if share.is_none_or(|least| sample.cycles < least) {
            let pairs = begin.phases.iter().zip(&end.phases);
            let shares = pairs.map(|(begin, end)| end.since(*begin)).collect();
            self.phases.insert(name.clone(), shares);
        }
        samples.push(sample);
    }
}

/// The phases add up to the whole.
fn total_cycles(phases: &[Count]) -> u64 {
    let cycles = phases.iter().map(|phase| phase.cycles);
    cycles.fold(0, u64::saturating_add)
}

type Facts = Vec<(String, String)>;

/// The lines of the console that are for the laboratory.
fn spoken(record: &Record) -> Result<(Facts, Vec<Labels>)> {
    let mut facts = Facts::new();
    let mut rounds = Vec::new();
    for (key, value) in record.facts() {
        if key == ROUND {
            rounds.push(labels(value)?);
        } else {
            facts.push((key.into(), value.trim().into()));
        }
    }
    Ok((facts, rounds))
}

/// The labels of a round, from the words behind `@round`.
///
/// # Errors
/// Where a word is no `key=value`.
pub fn labels(words: &str) -> Result<Labels> {
    let mut labels = Labels::new();
    for word in words.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            bail!("the program printed the round `{words}`, in which `{word}` is no key=value");
        };
        labels.insert(key.into(), value.into());
    }
    Ok(labels)
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use taktos_emulator::{Exceptions, Mark};

    /// The record of a run that printed this and passed these marks; each
    /// instruction took two cycles, all in one phase.
    pub(crate) fn record(console: &str, marks: &[(&str, Edge, u64)]) -> Record {
        let count = |at| Count {
            instructions: at,
            cycles: 2 * at,
        };
        let passing = |(name, edge, at): &(&str, Edge, u64)| Passing {
            mark: Mark {
                edge: *edge,
                name: (*name).into(),
            },
            at: *at,
            total: count(*at),
            phases: vec![count(*at)],
        };
        Record {
            console: console.into(),
            exit_status: 0,
            marks: marks.iter().map(passing).collect(),
            switches: Vec::new(),
            wakes: Vec::new(),
            ended: taktos_emulator::Ending::Image,
            end: marks.last().map_or(0, |mark| mark.2),
            total: marks.last().map_or(count(0), |mark| count(mark.2)),
            phases: Vec::new(),
            phase_names: vec!["other"],
            exceptions: Exceptions::default(),
            modelled: true,
        }
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
