//! How late periodic threads wake, one on each processor.
//!
//! Owns: the arguments of the program, the rows of the long table, and the text that cyclictest's
//! readers understand. Must never know: the way an image is run.

mod cyclictest;
mod study;

pub use cyclictest::text;
pub use study::{TEXT, Wakes};

use crate::measure::labelled;
use crate::response::Set;
use crate::samples::{Samples, Unit, Values};

/// Parameters of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// How often each thread wakes.
    pub loops: u64,
    /// The threads' period, microseconds.
    pub interval_us: u64,
    /// How much later each processor's releases are than those of the one before, microseconds.
    pub distance_us: u64,
    /// Whether a less urgent thread keeps each processor busy.
    pub load: bool,
}

impl Question {
    /// Returns the argument of the image.
    pub fn argument(&self, processors: usize) -> String {
        let Self {
            loops,
            interval_us,
            distance_us,
            load,
        } = self;
        let load = u8::from(*load);
        format!(
            "loops={loops}+interval-us={interval_us}+distance-us={distance_us}+load={load}+processors={processors}"
        )
    }
}

/// Returns the results of each processor's thread, as rows of the long table.
pub fn samples(question: &Question, sets: &[Set]) -> Samples {
    let mut samples = Samples::default();
    for set in sets {
        let load = if question.load { "busy" } else { "none" };
        let labels = labelled([
            ("processor", set.from.to_string()),
            ("period, us", question.interval_us.to_string()),
            ("apart, us", question.distance_us.to_string()),
            ("load", load.to_owned()),
        ]);
        let values = Values::All(set.times.clone());
        samples.push(&labels, "lateness", Unit::Nanoseconds, values);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Several, tests::shipped};
    use crate::figure::tests::drawn;
    use crate::response::sets;
    use crate::response::tests::{console, printed};

    /// Two processors.
    pub fn example() -> (Question, Vec<Set>) {
        let all = [
            printed("latency", (0, 0), &[(900, 9_998), (1_500, 2)]),
            printed("latency", (1, 1), &[(900, 10_000)]),
        ];
        let question = Question {
            loops: 10_000,
            interval_us: 1000,
            distance_us: 0,
            load: false,
        };
        (
            question,
            sets(&console("latency", &all), "latency").unwrap(),
        )
    }

    #[test]
    fn the_worst_processor_is_named() {
        let (question, sets) = example();
        let Several::Latency(experiment) = shipped("latency") else {
            panic!("of another kind");
        };
        let drawn = drawn(&experiment.figures, &samples(&question, &sets));
        assert_eq!(
            drawn[0].answer,
            [
                "Lateness of periodic threads, greatest, ns: 900 (1, 1000, 0, none) to 1,500 (0, 1000, 0, none) (emulated)."
            ]
        );
        assert_eq!(drawn.len(), 3, "a table, a histogram and a tail");
        assert_eq!(
            question.argument(4),
            "loops=10000+interval-us=1000+distance-us=0+load=0+processors=4"
        );
        let apart = Question {
            distance_us: 250,
            ..question
        };
        assert_eq!(
            apart.argument(4),
            "loops=10000+interval-us=1000+distance-us=250+load=0+processors=4"
        );
        let rows = samples(&question, &sets).rows();
        let (last, labels) = (&rows[1], &rows[1]["labels"]);
        assert_eq!(
            (&last["max"], &labels["processor"]),
            (&900.into(), &"1".into())
        );
    }
}
