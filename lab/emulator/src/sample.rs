//! Samples: what each marked interval cost where it was, how long it took from one processor to
//! another, and what many of them come to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use taktos_cycles::Edge;

use crate::{Count, Passing, Record};

/// One sample of a marked interval on one processor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// The processor.
    pub processor: usize,
    /// When it began, in nanoseconds of the common clock.
    pub begin: u64,
    /// How long it took: with all waiting in it.
    pub nanoseconds: u64,
    /// Count of the processor in the interval: exact instructions; cycles if there is a model.
    pub count: Count,
    /// The share of each phase, by its number.
    pub phases: Vec<Count>,
}

/// One way from a processor to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where the interval began.
    pub from: usize,
    /// Where it ended.
    pub to: usize,
    /// When it began, in nanoseconds of the common clock.
    pub begin: u64,
    /// How long it took on the common clock. It can be negative by up to [`Span::error`], because
    /// the time of the called processor may be earlier.
    pub nanoseconds: i64,
    /// Error in nanoseconds, either way: a quantum, or 0 if the processor slept when the interval
    /// began, because then it woke at its caller's time. Mutual waiting after that (for a lock) has
    /// an error of a quantum again, and so has a sleeper that another event woke first.
    pub error: u32,
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

/// Returns the samples of each interval that begin and end on one processor, in the order of their
/// ends: from each `begin` to the first `end` after it there. A `begin` before an `end` replaces
/// the one that waits.
#[must_use]
pub fn intervals<'a>(
    passings: impl IntoIterator<Item = &'a Passing>,
) -> BTreeMap<&'a str, Vec<(&'a Passing, &'a Passing)>> {
    let mut begun: BTreeMap<(&str, usize), &Passing> = BTreeMap::new();
    let mut intervals: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for passing in passings {
        let place = (passing.mark.name.as_str(), passing.processor);
        match passing.mark.edge {
            Edge::Begin => {
                begun.insert(place, passing);
            }
            Edge::End => {
                if let Some(begin) = begun.remove(&place) {
                    intervals.entry(place.0).or_default().push((begin, passing));
                }
            }
            Edge::Point => {}
        }
    }
    intervals
}

impl Record {
    /// Every sample of the interval of this name, as [`intervals`] has them.
    #[must_use]
    pub fn samples(&self, name: &str) -> Vec<Sample> {
        let named = self.marks.iter().filter(|p| p.mark.name == name);
        let pairs = intervals(named).into_values().flatten();
        pairs.map(|(begin, end)| sample(begin, end)).collect()
    }

    /// Every way of the interval of this name from one processor to another, in the order of their
    /// ends. Each `end` ends the oldest `begin` that waits on another processor; a second
    /// `begin` on a processor replaces the first one there.
    #[must_use]
    pub fn spans(&self, name: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut begun: VecDeque<&Passing> = VecDeque::new();
        for passing in self.marks.iter().filter(|p| p.mark.name == name) {
            match passing.mark.edge {
                Edge::Begin => {
                    begun.retain(|begin| begin.processor != passing.processor);
                    begun.push_back(passing);
                }
                Edge::End => {
                    let elsewhere = |begin: &&Passing| begin.processor != passing.processor;
                    let oldest = begun.iter().position(elsewhere);
                    let begin = oldest.and_then(|place| begun.remove(place));
                    spans.extend(begin.map(|begin| self.span(begin, passing)));
                }
                Edge::Point => {}
            }
        }
        spans
    }

    fn span(&self, begin: &Passing, end: &Passing) -> Span {
        let slept = begin.asleep >> end.processor & 1 == 1;
        Span {
            from: begin.processor,
            to: end.processor,
            begin: begin.total.at,
            nanoseconds: end.total.at.cast_signed() - begin.total.at.cast_signed(),
            error: if slept { 0 } else { self.quantum },
        }
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

    /// The passings of the point of this name, in order.
    pub fn points(&self, name: &str) -> impl Iterator<Item = &Passing> {
        self.marks
            .iter()
            .filter(move |p| p.mark.edge == Edge::Point && p.mark.name == name)
    }

    /// The console's lines of the form `@key value`, as key and value, in order.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.console.lines().filter_map(|line| {
            let line = line.strip_prefix('@')?.trim_end();
            Some(line.split_once(' ').unwrap_or((line, "")))
        })
    }
}

fn sample(begin: &Passing, end: &Passing) -> Sample {
    let pairs = begin.total.phases.iter().zip(&end.total.phases);
    Sample {
        processor: end.processor,
        begin: begin.total.at,
        nanoseconds: end.total.at - begin.total.at,
        count: end.total.count.since(begin.total.count),
        phases: pairs.map(|(begin, end)| end.since(*begin)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taktos_cycles::Mark;

    use super::*;
    use crate::Total;

    /// A record of passings of the mark `wake`: edge, processor, time; each nanosecond is an
    /// instruction.
    fn record(marks: &[(Edge, usize, u64)], asleep: u8) -> Record {
        let passing = |(edge, processor, at): &(Edge, usize, u64)| Passing {
            processor: *processor,
            mark: Arc::new(Mark {
                edge: *edge,
                name: "wake".into(),
            }),
            asleep,
            total: Total {
                at: *at,
                count: Count {
                    instructions: *at,
                    cycles: 0,
                },
                phases: vec![Count {
                    instructions: *at,
                    cycles: 0,
                }],
            },
        };
        Record {
            console: "hello\n@series wake threads 10\nrest\n@done\n".into(),
            marks: marks.iter().map(passing).collect(),
            quantum: 100,
            ..Record::default()
        }
    }

    #[test]
    fn samples_pair_each_begin_with_the_next_end() {
        use Edge::{Begin, End};
        let marks = [
            (End, 0, 1),
            (Begin, 0, 10),
            (Begin, 0, 20),
            (End, 0, 27),
            (End, 0, 30),
            (Begin, 0, 40),
            (End, 0, 45),
        ];
        let samples = record(&marks, 0).samples("wake");
        let counts: Vec<_> = samples.iter().map(|s| (s.count, &*s.phases)).collect();
        let count = |instructions| Count {
            instructions,
            cycles: 0,
        };
        assert_eq!(
            counts,
            [(count(7), &[count(7)][..]), (count(5), &[count(5)])]
        );
    }

    #[test]
    fn samples_stay_on_their_processor() {
        use Edge::{Begin, End};
        let marks = [
            (Begin, 0, 10),
            (Begin, 1, 15),
            (End, 0, 30),
            (End, 1, 75),
            (End, 1, 80),
        ];
        let record = record(&marks, 0);
        let samples = record.samples("wake");
        let seen: Vec<_> = samples
            .iter()
            .map(|s| (s.processor, s.begin, s.count.instructions))
            .collect();
        assert_eq!(seen, [(0, 10, 20), (1, 15, 60)]);
        assert!(record.samples("other").is_empty());
        assert_eq!(record.interval_names(), ["wake"]);
    }

    #[test]
    fn a_way_ends_on_another_processor_and_may_be_less_than_nothing() {
        use Edge::{Begin, End};
        let marks = [
            (Begin, 0, 150),
            (End, 0, 160), // not another processor
            (End, 2, 110), // was behind
            (End, 3, 200), // nothing waits
            (Begin, 1, 300),
            (Begin, 0, 250),
            (End, 2, 340), // the older one
            (End, 2, 350),
        ];
        let ways = |asleep| {
            let spans = record(&marks, asleep).spans("wake");
            let ways = spans.iter().map(|s| (s.from, s.to, s.nanoseconds, s.error));
            ways.collect::<Vec<_>>()
        };
        assert_eq!(
            ways(0),
            [(0, 2, -40, 100), (1, 2, 40, 100), (0, 2, 100, 100)]
        );
        // Processor 2 sleeps: exact.
        assert_eq!(ways(0b0100)[1], (1, 2, 40, 0));
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
        let record = record(&[], 0);
        assert_eq!(
            record.facts().collect::<Vec<_>>(),
            [("series", "wake threads 10"), ("done", "")]
        );
    }
}
