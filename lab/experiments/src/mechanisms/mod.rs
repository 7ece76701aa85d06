//! The response times of mechanisms, on one processor, across two, and between two guests.
//!
//! Owns: the names of the experiments, and the place where a set was taken. Must never know: the
//! figures that use a set.

mod partitions;
mod study;

pub use partitions::Machines;
pub use study::Responses;

use crate::measure::labelled;
use crate::response::Set;
use crate::samples::{Samples, Unit, Values};

/// The experiments as the program calls them.
pub const EXPERIMENTS: [&str; 5] = ["periodic", "semaphore", "fifo", "mailbox", "queue"];
/// Names of the sets that a program takes between two guests.
const BETWEEN: [&str; 2] = ["fifo-taktos", "fifo-linux"];

/// Returns where a set was taken.
fn place(set: &Set) -> &'static str {
    if BETWEEN.contains(&set.name.as_str()) {
        "two partitions"
    } else if set.from == set.to {
        "one processor"
    } else {
        "across two"
    }
}

/// Adds the sets of a run as rows of the long table: `question` is "closely", or "quanta" where
/// quanta are compared.
pub fn add(samples: &mut Samples, (question, quantum): (&str, u32), sets: &[Set]) {
    for set in sets {
        let labels = labelled([
            ("question", question.to_owned()),
            ("mechanism", set.name.clone()),
            ("place", place(set).to_owned()),
            ("quantum, ns", quantum.to_string()),
        ]);
        let values = Values::All(set.times.clone());
        samples.push(&labels, "response", Unit::Nanoseconds, values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Several, tests::shipped};
    use crate::figure::tests::drawn;
    use crate::response::sets;
    use crate::response::tests::{console, printed};

    fn example(across: u64) -> Vec<Set> {
        let all = [
            printed("periodic", (0, 0), &[(900, 3)]),
            printed("semaphore", (0, 0), &[(250, 2), (256, 1)]),
            printed("semaphore", (0, 1), &[(across, 3)]),
        ];
        sets(&console("mechanisms", &all), "mechanisms").unwrap()
    }

    #[test]
    fn the_figures_that_ship_have_the_paper_beside_ours() {
        let mut samples = Samples::default();
        add(&mut samples, ("closely", 100), &example(700));
        let between = [printed("fifo-linux", (0, 0), &[(60_000, 2), (61_000, 1)])];
        let between = sets(&console("fifo", &between), "fifo").unwrap();
        add(&mut samples, ("closely", 100), &between);
        add(&mut samples, ("quanta", 20), &example(700)[2..]);
        add(&mut samples, ("quanta", 1000), &example(1300)[2..]);
        let Several::Mechanisms(experiment) = shipped("mechanisms") else {
            panic!("of another kind");
        };
        let drawn = drawn(&experiment.figures, &samples);
        let csv = drawn[0].tables[0].to_csv();
        for row in [
            "\nsemaphore,one processor,250,252,256,1300,2034,2942,1027,1416,2244\n",
            "\nfifo-linux,two partitions,60000,60333,61000,798,973,1259,1079,",
        ] {
            assert!(csv.contains(row), "{csv}");
        }
        let plots = drawn.iter().flat_map(|drawn| &drawn.plots);
        let across = plots.filter(|plot| plot.1.contains("across two"));
        assert_eq!(across.count(), 2, "the semaphore's histogram and its tail");
        let grain = &drawn.last().unwrap().details[0];
        assert_eq!(grain.rows.len(), 2, "a row for each quantum");
    }
}
