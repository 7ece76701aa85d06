//! The response times of mechanisms, on one processor and across two, beside
//! the paper's.
//!
//! Owns: what the experiments are called and what is said of them. Must never
//! know: how images are run.

mod published;

use serde::Serialize;
use taktos_export::table::{Cell, Column, Table, thousands};
use taktos_export::{Basis, Evidence, in_order, to_json};

pub use published::Paper;
use published::SYSTEMS;

use crate::figure::Drawn;
use crate::response::{Distribution, Form, Set, form, histogram, percentiles, tail};

/// The experiments as the program calls them, and what each measures.
pub const EXPERIMENTS: [(&str, &str); 5] = [
    ("periodic", "lateness of a periodic thread's release"),
    ("semaphore", "from the call of give to the return of take"),
    ("fifo", "round trip over two FIFOs"),
    ("mailbox", "round trip over two mailboxes"),
    ("queue", "round trip over two message queues"),
];
/// The experiments with two guests, by what their program calls the sets, and what each measures.
pub const BETWEEN: [(&str, &str); 2] = [
    (
        "fifo-taktos",
        "round trip over a FIFO to another real-time guest, one processor for both",
    ),
    (
        "fifo-linux",
        "round trip over a FIFO to a program of Linux, one processor for both",
    ),
];
/// What the paper's columns rest on.
const THEIRS: &str = "paper, hardware, 3 GHz";

fn measures(name: &str) -> &str {
    let all = EXPERIMENTS.iter().chain(&BETWEEN);
    let found = all.clone().find(|(known, _)| *known == name);
    found.map_or(name, |(_, what)| what)
}

fn is_between(set: &Set) -> bool {
    BETWEEN.iter().any(|(name, _)| *name == set.name)
}

/// Where a set was taken.
fn place(set: &Set) -> &'static str {
    if is_between(set) {
        "two partitions"
    } else if set.from == set.to {
        "one processor"
    } else {
        "across two"
    }
}

fn named(set: &Set) -> String {
    format!("{}, {}", set.name, place(set))
}

/// The tables, plots and sentences of the sets.
pub fn draw(sets: &[Set], paper: &Paper) -> Vec<Drawn> {
    let mut all = vec![overview(sets, paper)];
    for (name, _) in EXPERIMENTS.iter().chain(&BETWEEN) {
        let of: Vec<(String, &Distribution)> = sets
            .iter()
            .filter(|set| set.name == *name)
            .map(|set| (place(set).to_owned(), &set.times))
            .collect();
        if !of.is_empty() {
            all.push(closely(name, &of));
        }
    }
    all
}

/// One experiment: where its values lie.
fn closely(name: &str, of: &[(String, &Distribution)]) -> Drawn {
    let title = format!("{name}: {}", measures(name));
    Drawn {
        title: title.clone(),
        plots: vec![
            (format!("{name}-histogram"), histogram(&title, of).to_svg()),
            (
                format!("{name}-tail"),
                tail(&format!("{name}: how likely a longer time is"), of).to_svg(),
            ),
        ],
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    }
}

fn overview(sets: &[Set], paper: &Paper) -> Drawn {
    let names: Vec<(String, &Distribution)> =
        sets.iter().map(|set| (named(set), &set.times)).collect();
    Drawn {
        title: "Mechanisms beside the paper's systems".into(),
        answer: sets.iter().map(|set| sentence(set, paper)).collect(),
        tables: vec![
            beside(sets, paper),
            percentiles("Where the samples lie", "mechanism", &names),
        ],
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

fn beside(sets: &[Set], paper: &Paper) -> Table {
    let mut columns = vec![Column::label("mechanism"), Column::label("where")];
    let of = ["best", "average", "worst"];
    columns
        .extend(of.map(|of| Column::figures(format!("{of}, ns"), Basis::Ours(Evidence::Emulated))));
    for system in SYSTEMS {
        columns.extend(
            of.map(|of| Column::figures(format!("{system}, {of}"), Basis::Theirs(THEIRS.into()))),
        );
    }
    let mut table = Table::new("Response times of mechanisms", columns);
    for set in sets {
        let mut row: Vec<Cell> = vec![
            set.name.as_str().into(),
            place(set).into(),
            set.times.min().into(),
            set.times.mean().into(),
            set.times.max().into(),
        ];
        for system in SYSTEMS {
            let theirs = paper.figures(&set.name, system);
            row.push(theirs.map(|theirs| theirs.best).into());
            row.push(theirs.map(|theirs| theirs.average).into());
            row.push(theirs.map(|theirs| theirs.worst).into());
        }
        table.push(row);
    }
    table.notes.push(
        "Ours: one instruction takes one nanosecond, so a figure is a count of executed instructions. The paper's are \
         of a board: to be compared in order, not to the nanosecond."
            .into(),
    );
    if !paper.source.is_empty() {
        table.notes.push(format!("Published: {}.", paper.source));
    }
    table
}

fn sentence(set: &Set, paper: &Paper) -> String {
    let times = &set.times;
    let ours = if times.min() == times.max() {
        format!(
            "{} ns each time, in {} repetitions",
            thousands(times.max()),
            thousands(times.samples())
        )
    } else {
        format!(
            "{} to {} ns, {} in the mean of {} repetitions",
            thousands(times.min()),
            thousands(times.max()),
            thousands(times.mean()),
            thousands(times.samples())
        )
    };
    let theirs: Vec<String> = SYSTEMS
        .iter()
        .filter_map(|system| {
            let theirs = paper.figures(&set.name, system)?;
            let (best, worst) = (thousands(theirs.best), thousands(theirs.worst));
            Some(format!(
                "{system} {best} to {worst} ns, {} in the mean",
                thousands(theirs.average)
            ))
        })
        .collect();
    let theirs = match theirs.is_empty() {
        true => String::new(),
        false => format!("; the paper (hardware): {}", theirs.join("; ")),
    };
    let (name, place, what) = (&set.name, place(set), measures(&set.name));
    format!("{name}, {place} ({what}): {ours} (emulated){theirs}.")
}

/// The same experiments at other quanta, the ones across processors: each quantum with its sets.
pub fn grain(runs: &[(u32, Vec<Set>)]) -> Drawn {
    let ours = |name: &str| Column::figures(name, Basis::Ours(Evidence::Emulated));
    let mut table = Table::new(
        "Across two processors, at other quanta",
        vec![
            Column::label("mechanism"),
            Column::label("quantum, ns"),
            Column::label("samples"),
            ours("least, ns"),
            ours("mean, ns"),
            ours("greatest, ns"),
        ],
    );
    let mut worst = (0, "none".to_owned());
    for (name, _) in EXPERIMENTS {
        let mut first = None;
        for (quantum, sets) in runs {
            let Some(set) = sets
                .iter()
                .find(|set| set.name == name && set.from != set.to)
            else {
                continue;
            };
            let times = &set.times;
            table.push(vec![
                name.into(),
                u64::from(*quantum).into(),
                times.samples().into(),
                times.min().into(),
                times.mean().into(),
                times.max().into(),
            ]);
            let mean = *first.get_or_insert(times.mean());
            let difference = mean.abs_diff(times.mean());
            if difference > worst.0 {
                worst = (difference, format!("{name} at {quantum} ns"));
            }
        }
    }
    let (difference, what) = worst;
    let least = runs.first().map_or(0, |(quantum, _)| *quantum);
    let words = match difference {
        0 => format!(
            "Grain: the means across processors are the same as at a quantum of {least} ns (emulated)."
        ),
        some => format!(
            "Grain: against a quantum of {least} ns the means across processors differ by at most {} ns, {what} \
             (emulated).",
            thousands(some)
        ),
    };
    Drawn {
        title: "The emulator's grain".into(),
        answer: vec![words],
        tables: vec![table],
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    }
}

#[derive(Serialize)]
struct All<'a> {
    platform: &'a str,
    evidence: Evidence,
    unit: &'static str,
    /// By experiment, then by place.
    #[serde(serialize_with = "in_order")]
    experiments: Vec<(String, Places)>,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Places(#[serde(serialize_with = "in_order")] Vec<(String, Form)>);

/// The figures for programs.
pub fn json(platform: &str, sets: &[Set]) -> String {
    let mut experiments: Vec<(String, Places)> = Vec::new();
    for set in sets {
        let key = match set.from == set.to {
            _ if is_between(set) => "partitions",
            true => "same",
            false => "across",
        };
        let one = (key.to_owned(), form(&set.times));
        match experiments
            .iter_mut()
            .find(|experiment| experiment.0 == set.name)
        {
            Some((_, Places(places))) => places.push(one),
            None => experiments.push((set.name.clone(), Places(vec![one]))),
        }
    }
    to_json(&All {
        platform,
        evidence: Evidence::Emulated,
        unit: "ns",
        experiments,
    })
}

#[cfg(test)]
mod tests {
    use super::published::tests::paper;
    use super::*;
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
    fn the_papers_columns_stand_beside_ours() {
        let drawn = draw(&example(700), &paper());
        let csv = drawn[0].tables[0].to_csv();
        assert!(
            csv.contains("\nsemaphore,one processor,250,252,256,1300,2034,2942,1027,1416,2244\n"),
            "{csv}"
        );
        assert_eq!(
            drawn[0].answer[0],
            "periodic, one processor (lateness of a periodic thread's release): 900 ns each time, in 3 repetitions (emulated); the paper (hardware): RTAI 64 to 38,890 ns, 15,878 in the mean; Xenomai 21 to 42,426 ns, 8,269 in the mean."
        );
        assert!(
            drawn[0].answer[1].contains("250 to 256 ns, 252 in the mean of 3 repetitions"),
            "{:?}",
            drawn[0].answer
        );
        // One overview, and a close look at each of the two.
        assert_eq!(drawn.len(), 3);
        assert!(
            drawn[2]
                .plots
                .iter()
                .all(|plot| plot.1.contains("across two"))
        );
        let alone = draw(&example(700), &Paper::default());
        assert!(!alone[0].answer.concat().contains("paper"));
    }

    #[test]
    fn guests_stand_beside_threads() {
        let all = [printed("fifo-linux", (0, 0), &[(60_000, 2), (61_000, 1)])];
        let sets = sets(&console("fifo", &all), "fifo").unwrap();
        let drawn = draw(&sets, &paper());
        let csv = drawn[0].tables[0].to_csv();
        assert!(
            csv.contains("\nfifo-linux,two partitions,60000,60333,61000,798,973,1259,1079,"),
            "{csv}"
        );
        assert!(drawn[0].answer[0].contains("to a program of Linux"));
        assert_eq!(drawn.len(), 2);
        let data: serde_json::Value = serde_json::from_str(&json("virt", &sets)).unwrap();
        assert_eq!(
            data["experiments"]["fifo-linux"]["partitions"]["max"],
            61_000
        );
    }

    #[test]
    fn the_grain_is_of_what_goes_across() {
        let drawn = grain(&[(20, example(700)), (1000, example(1300))]);
        assert_eq!(drawn.tables[0].rows.len(), 2);
        assert!(
            drawn.answer[0].contains("differ by at most 600 ns, semaphore at 1000 ns"),
            "{:?}",
            drawn.answer
        );
        let same = grain(&[(20, example(700)), (1000, example(700))]);
        assert!(
            same.answer[0].contains("are the same as at a quantum of 20 ns"),
            "{:?}",
            same.answer
        );
    }

    #[test]
    fn programs_find_each_experiment_and_place() {
        let data: serde_json::Value = serde_json::from_str(&json("virt", &example(700))).unwrap();
        assert_eq!(data["experiments"]["semaphore"]["across"]["max"], 700);
        assert_eq!(
            data["experiments"]["semaphore"]["same"]["percentiles"]["50"],
            250
        );
        assert_eq!(
            (data["unit"].as_str(), data["evidence"].as_str()),
            (Some("ns"), Some("emulated"))
        );
    }
}
