//! How late periodic threads wake, one on each processor.
//!
//! Owns: the tables, the words, and the text that cyclictest's readers
//! understand. Must never know: how images are run.

mod cyclictest;

use serde::Serialize;
use taktos_export::table::thousands;
use taktos_export::{Evidence, to_json};

pub use cyclictest::text;

use crate::figure::Drawn;
use crate::response::{Distribution, Form, Set, form, histogram, percentiles, tail};

/// What was asked.
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
    /// What the image is told.
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

    fn circumstances(&self) -> String {
        let load = if self.load {
            "with every processor busy"
        } else {
            "without load"
        };
        match self.distance_us {
            0 => load.into(),
            apart => format!("{load}, released {} us apart", thousands(apart)),
        }
    }
}

/// The table, the plots and the sentences; a set for each processor.
pub fn draw(question: &Question, sets: &[Set]) -> Drawn {
    let names: Vec<(String, &Distribution)> = sets
        .iter()
        .map(|set| (format!("processor {}", set.from), &set.times))
        .collect();
    let title = format!(
        "Lateness of threads of {} us {}",
        thousands(question.interval_us),
        question.circumstances()
    );
    let table = percentiles(&title, "thread on", &names);
    let stem = table.file_stem();
    Drawn {
        title: title.clone(),
        answer: sets
            .iter()
            .max_by_key(|set| set.times.max())
            .map(|worst| sentence(question, sets, worst))
            .into_iter()
            .collect(),
        tables: vec![table],
        plots: vec![
            (
                format!("{stem}-histogram"),
                histogram(&title, &names).to_svg(),
            ),
            (
                format!("{stem}-tail"),
                tail(&format!("{title}: how likely more is"), &names).to_svg(),
            ),
        ],
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

fn sentence(question: &Question, sets: &[Set], worst: &Set) -> String {
    let least = sets.iter().map(|set| set.times.min()).min().unwrap_or(0);
    format!(
        "Lateness {}: from {} to {} ns on {} processors, the most on processor {}; each thread woke {} times (emulated).",
        question.circumstances(),
        thousands(least),
        thousands(worst.times.max()),
        sets.len(),
        worst.from,
        thousands(worst.times.samples())
    )
}

#[derive(Serialize)]
struct All<'a> {
    platform: &'a str,
    evidence: Evidence,
    unit: &'static str,
    loops: u64,
    interval_us: u64,
    distance_us: u64,
    load: bool,
    cpus: Vec<One>,
}

#[derive(Serialize)]
struct One {
    cpu: u64,
    #[serde(flatten)]
    latency: Form,
}

/// The figures for programs.
pub fn json(platform: &str, question: &Question, sets: &[Set]) -> String {
    let one = |set: &Set| One {
        cpu: set.from,
        latency: form(&set.times),
    };
    to_json(&All {
        platform,
        evidence: Evidence::Emulated,
        unit: "ns",
        loops: question.loops,
        interval_us: question.interval_us,
        distance_us: question.distance_us,
        load: question.load,
        cpus: sets.iter().map(one).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let drawn = draw(&question, &sets);
        assert_eq!(
            drawn.answer,
            [
                "Lateness without load: from 900 to 1,500 ns on 2 processors, the most on processor 0; each thread woke 10,000 times (emulated)."
            ]
        );
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
        let said = &draw(&apart, &sets).answer[0];
        assert!(
            said.starts_with("Lateness without load, released 250 us apart: from 900"),
            "{said}"
        );
        let data: serde_json::Value =
            serde_json::from_str(&json("virt", &question, &sets)).unwrap();
        assert_eq!(
            (
                data["cpus"][1]["cpu"].as_u64(),
                data["cpus"][1]["max"].as_u64()
            ),
            (Some(1), Some(900))
        );
    }
}
