//! Samples: what each marked interval cost, and what many of them come to.

use std::collections::BTreeSet;

use taktos_cycles::Edge;

use crate::{Count, Record};

/// One passage through a marked interval.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// Executed instructions: exact.
    pub instructions: u64,
    /// Modelled cycles.
    pub cycles: u64,
    /// The share of each phase, by its number; they add up to the whole.
    pub phases: Vec<Count>,
}

/// The least, the middle and the greatest of some values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistics {
    /// The least.
    pub min: u64,
    /// The middle one; of an even number of values the lesser of the two.
    pub median: u64,
    /// The greatest.
    pub max: u64,
    /// How many there were.
    pub samples: usize,
}

impl Statistics {
    /// Of these values; `None` of none.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut values: Vec<u64> = values.into_iter().collect();
        values.sort_unstable();
        Some(Self {
            min: *values.first()?,
            median: values[(values.len() - 1) / 2],
            max: *values.last()?,
            samples: values.len(),
        })
    }
}

impl Record {
    /// Every sample of the interval of this name, in order: from each `begin` to the
    /// first `end` after it. A `begin` before an `end` replaces the one that waits.
    #[must_use]
    pub fn samples(&self, name: &str) -> Vec<Sample> {
        let mut samples = Vec::new();
        let mut begun = None;
        for passing in self.marks.iter().filter(|p| p.mark.name == name) {
            match passing.mark.edge {
                Edge::Begin => begun = Some(passing),
                Edge::End => {
                    if let Some(begin) = begun.take() {
                        let Count {
                            instructions,
                            cycles,
                        } = passing.total.since(begin.total);
                        samples.push(Sample {
                            instructions,
                            cycles,
                            phases: difference(&begin.phases, &passing.phases),
                        });
                    }
                }
                Edge::Point => {}
            }
        }
        samples
    }

    /// Statistics of one figure of every sample of this name; `None` without samples.
    #[must_use]
    pub fn statistics(&self, name: &str, figure: impl Fn(&Sample) -> u64) -> Option<Statistics> {
        Statistics::of(self.samples(name).iter().map(figure))
    }

    /// The names of the intervals that were begun, in alphabetical order.
    #[must_use]
    pub fn interval_names(&self) -> Vec<&str> {
        let begun = self.marks.iter().filter(|p| p.mark.edge == Edge::Begin);
        begun
            .map(|p| p.mark.name.as_str())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Totals at each passing of the point of this name, in order.
    #[must_use]
    pub fn points(&self, name: &str) -> Vec<Count> {
        let point = |p: &&crate::Passing| p.mark.edge == Edge::Point && p.mark.name == name;
        self.marks.iter().filter(point).map(|p| p.total).collect()
    }

    /// The console's lines of the form `@key value`, as key and value, in order.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.console.lines().filter_map(|line| {
            let line = line.strip_prefix('@')?.trim_end();
            Some(line.split_once(' ').unwrap_or((line, "")))
        })
    }
}

fn difference(before: &[Count], after: &[Count]) -> Vec<Count> {
    let pairs = before.iter().zip(after);
    pairs.map(|(before, after)| after.since(*before)).collect()
}

#[cfg(test)]
mod tests {
    use taktos_cycles::Mark;

    use super::*;
    use crate::Passing;

    fn record(marks: &[(Edge, u64)]) -> Record {
        let passing = |(edge, at): &(Edge, u64)| Passing {
            mark: Mark {
                edge: *edge,
                name: "yield".into(),
            },
            at: *at,
            total: Count {
                instructions: *at,
                cycles: 2 * at,
            },
            phases: vec![Count {
                instructions: *at,
                cycles: 2 * at,
            }],
        };
        Record {
            console: "hello\n@series yield threads 10\nrest\n@done\n".into(),
            exit_status: 0,
            marks: marks.iter().map(passing).collect(),
            switches: Vec::new(),
            wakes: Vec::new(),
            ended: crate::Ending::Image,
            end: 0,
            total: Count::default(),
            phases: Vec::new(),
            phase_names: Vec::new(),
            exceptions: crate::Exceptions::default(),
            modelled: true,
        }
    }

    #[test]
    fn samples_pair_each_begin_with_the_next_end() {
        use Edge::{Begin, End};
        let record = record(&[
            (End, 1),
            (Begin, 10),
            (Begin, 20),
            (End, 27),
            (End, 30),
            (Begin, 40),
            (End, 45),
        ]);
        let samples = record.samples("yield");
        let counts: Vec<_> = samples.iter().map(|s| (s.instructions, s.cycles)).collect();
        assert_eq!(counts, [(7, 14), (5, 10)]);
        assert_eq!(
            samples[0].phases,
            [Count {
                instructions: 7,
                cycles: 14
            }]
        );
        assert!(record.samples("other").is_empty());
        assert_eq!(record.interval_names(), ["yield"]);
    }

    #[test]
    fn statistics_of_few_values() {
        assert_eq!(Statistics::of([]), None);
        let of = |values: &[u64]| Statistics::of(values.iter().copied()).unwrap();
        assert_eq!(
            of(&[3]),
            Statistics {
                min: 3,
                median: 3,
                max: 3,
                samples: 1
            }
        );
        assert_eq!(
            of(&[9, 1, 5, 7]),
            Statistics {
                min: 1,
                median: 5,
                max: 9,
                samples: 4
            }
        );
    }

    #[test]
    fn facts_are_the_lines_for_the_laboratory() {
        let record = record(&[]);
        assert_eq!(
            record.facts().collect::<Vec<_>>(),
            [("series", "yield threads 10"), ("done", "")]
        );
    }
}
