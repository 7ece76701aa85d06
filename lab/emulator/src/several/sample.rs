//! Samples on several processors: what each marked interval cost where it was, and how long it took from one
//! processor to another.

use std::collections::{BTreeMap, VecDeque};

use taktos_cycles::Edge;

use super::{Passing, Record};
use crate::Count;

/// One passage through a marked interval on one processor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// The processor.
    pub processor: usize,
    /// When it began, in nanoseconds of the common clock.
    pub begin: u64,
    /// How long it took: with all waiting in it.
    pub nanoseconds: u64,
    /// What the processor executed in it: exact instructions; cycles where there is a model.
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
    /// How long it took on the common clock. Less than nothing is possible by up to [`Span::error`]: the processor
    /// that was called may have been behind.
    pub nanoseconds: i64,
    /// By how many nanoseconds it may be wrong, either way: a quantum, or 0 where the processor slept when the
    /// interval began, because then it woke at its caller's time. Waiting for each other behind that (for a lock)
    /// is a matter of a quantum again, and so is a sleeper that something else woke first.
    pub error: u32,
}

impl Record {
    /// Every sample of the interval of this name that began and ended on the same processor, in the order of their
    /// ends: from each `begin` to the first `end` after it there. A `begin` before an `end` replaces the one that
    /// waits.
    #[must_use]
    pub fn samples(&self, name: &str) -> Vec<Sample> {
        let mut samples = Vec::new();
        let mut begun: BTreeMap<usize, &Passing> = BTreeMap::new();
        for passing in self.marks.iter().filter(|p| p.mark.name == name) {
            match passing.mark.edge {
                Edge::Begin => {
                    begun.insert(passing.processor, passing);
                }
                Edge::End => {
                    let begin = begun.remove(&passing.processor);
                    samples.extend(begin.map(|begin| sample(begin, passing)));
                }
                Edge::Point => {}
            }
        }
        samples
    }

    /// Every way of the interval of this name from one processor to another, in the order of their ends. Each
    /// `end` ends the oldest `begin` that waits on another processor; a second `begin` on a processor replaces the
    /// first one there.
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

    /// The passings of the point of this name, in order.
    pub fn points(&self, name: &str) -> impl Iterator<Item = &Passing> {
        self.marks
            .iter()
            .filter(move |p| p.mark.edge == Edge::Point && p.mark.name == name)
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
    use crate::several::Total;

    /// A record of passings of the mark `wake`: edge, processor, time; each nanosecond is an instruction.
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
                phases: Vec::new(),
            },
        };
        Record {
            console: String::new(),
            exit_status: 0,
            marks: marks.iter().map(passing).collect(),
            switches: Vec::new(),
            wakes: Vec::new(),
            ended: crate::Ending::Image,
            given: None,
            processors: Vec::new(),
            phase_names: Vec::new(),
            exceptions: crate::Exceptions::default(),
            modelled: false,
            quantum: 100,
        }
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
        let samples = record(&marks, 0).samples("wake");
        let seen: Vec<_> = samples
            .iter()
            .map(|s| (s.processor, s.begin, s.count.instructions))
            .collect();
        assert_eq!(seen, [(0, 10, 20), (1, 15, 60)]);
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
}
