//! The response times of mechanisms, on one processor, across two, and between two guests.
//!
//! Owns: what the experiments are called, and where a set was taken. Must never know: how images are run, or which figure
//! asks for what.

use serde_json::json;

use crate::form::of_several;
use crate::measure::labelled;
use crate::response::{Set, form};
use crate::samples::{Samples, Unit, Values};

/// The experiments as the program calls them.
pub const EXPERIMENTS: [&str; 5] = ["periodic", "semaphore", "fifo", "mailbox", "queue"];
/// What the sets are called that a program takes between two guests.
const BETWEEN: [&str; 2] = ["fifo-taktos", "fifo-linux"];

/// Where a set was taken, as tables and as programs have it.
fn place(set: &Set) -> (&'static str, &'static str) {
    if BETWEEN.contains(&set.name.as_str()) {
        ("two partitions", "partitions")
    } else if set.from == set.to {
        ("one processor", "same")
    } else {
        ("across two", "across")
    }
}

/// Adds the sets of a run as rows of the long table: `question` is "closely", or "quanta" where quanta are compared.
pub fn add(samples: &mut Samples, (question, quantum): (&str, u32), sets: &[Set]) {
    for set in sets {
        let labels = labelled([
            ("question", question.to_owned()),
            ("mechanism", set.name.clone()),
            ("place", place(set).0.to_owned()),
            ("quantum, ns", quantum.to_string()),
        ]);
        let values = Values::All(set.times.clone());
        samples.push(&labels, "response", Unit::Nanoseconds, values);
    }
}

/// The figures for programs: by experiment, then by place.
pub fn json(platform: &str, sets: &[Set]) -> String {
    let mut experiments = json!({});
    for set in sets {
        experiments[&set.name][place(set).1] = form(&set.times);
    }
    of_several(
        platform,
        None,
        json!({ "unit": "ns", "experiments": experiments }),
    )
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

    #[test]
    fn programs_find_each_experiment_and_place() {
        let data: serde_json::Value = serde_json::from_str(&json("virt", &example(700))).unwrap();
        assert_eq!(data["experiments"]["semaphore"]["across"]["max"], 700);
        let same = &data["experiments"]["semaphore"]["same"];
        assert_eq!(same["percentiles"]["50"], 250);
        assert_eq!(
            (data["unit"].as_str(), data["evidence"].as_str()),
            (Some("ns"), Some("emulated"))
        );
    }
}
