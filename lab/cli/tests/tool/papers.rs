//! The papers and the operations, as programs read them: the shapes of the data, and the guarantees
//! that it must keep.

use crate::common::{Folder, browser, succeed, taktos};
use serde_json::Value;

/// Runs a command for JSON, into a folder of its own.
fn json(folder: &Folder, line: &str) -> Value {
    let mut command = taktos(&format!("{line} --format json --out"));
    serde_json::from_str(&succeed(command.arg(folder.0.join("result")))).unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    let values = value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"));
    values
        .iter()
        .map(|value| {
            value
                .as_u64()
                .unwrap_or_else(|| panic!("no count: {value}"))
        })
        .collect()
}

#[test]
fn the_direct_switch_is_one_number_of_at_most_ninety_cycles() {
    let folder = Folder::new("ipc");
    let data = json(&folder, "reproduce ipc --board mps2-an386");
    assert_eq!(data["board"], "mps2-an386");
    assert_eq!(data["evidence"]["cycles"], "modelled");
    assert_eq!(data["evidence"]["instructions"], "emulated");
    let threads: Vec<u64> = (0..=100).step_by(10).chain([1000]).collect();
    assert_eq!(numbers(&data["threads"]), threads);
    for series in ["direct-switch", "mailbox", "pipe", "message-queue"] {
        for unit in ["instructions", "cycles"] {
            assert_eq!(
                numbers(&data["series"][series][unit]).len(),
                threads.len(),
                "{series}"
            );
        }
    }
    let direct = numbers(&data["series"]["direct-switch"]["cycles"]);
    assert!(
        direct
            .iter()
            .all(|cycles| *cycles == direct[0] && *cycles <= 90),
        "{direct:?}"
    );
    let mailbox = numbers(&data["series"]["mailbox"]["cycles"]);
    assert!(
        mailbox.windows(2).all(|pair| pair[0] < pair[1]),
        "{mailbox:?}"
    );
    assert_eq!(
        numbers(&data["published"]["result"]["direct_switch"])[1],
        389
    );
    browser::look_at(&folder.0.join("result/report.html"));
}

#[test]
fn the_switch_takes_at_most_a_hundred_cycles_for_any_number_of_threads() {
    let folder = Folder::new("switch");
    let data = json(&folder, "reproduce switch --board realview-pb-a8");
    assert_eq!(data["board"], "realview-pb-a8");
    assert_eq!(data["evidence"], "modelled");
    for kind in ["analysed", "measured"] {
        for part in ["schedule", "save_restore", "total"] {
            assert!(
                data[kind][part].as_u64().is_some_and(|count| count > 0),
                "{kind} {part}: {data}"
            );
        }
    }
    // Two ways to one figure: the tables along the path, and the clock's count.
    let both = ["analysed", "measured"].map(|kind| data[kind]["total"].as_u64().unwrap());
    assert!(both[0].abs_diff(both[1]) <= 2, "{both:?}");
    let threads = numbers(&data["threads"]);
    assert_eq!((threads[0], threads[threads.len() - 1]), (2, 2000));
    let totals = numbers(&data["totals"]);
    assert_eq!(totals.len(), threads.len());
    assert!(
        totals
            .iter()
            .all(|total| *total == totals[0] && *total <= 100),
        "{totals:?}"
    );
    assert_eq!(data["published"]["analysed"]["ARM-Kernel"]["total"], 110);
}

/// The operations that a bench must name.
const OPERATIONS: [&str; 20] = [
    "yield",
    "semaphore-give",
    "semaphore-take",
    "semaphore-wake",
    "semaphore-round-trip",
    "queue-wake-4",
    "queue-wake-16",
    "queue-round-trip-4",
    "mutex-lock",
    "mutex-unlock",
    "mutex-block-boost",
    "mutex-hand-over",
    "event-wake",
    "interrupt-wake",
    "notify-wake",
    "thread-start",
    "direct-send",
    "call-reply",
    "yield-in-slices",
    "preemption-in-slices",
];

#[test]
fn the_bench_names_every_operation_and_its_spread() {
    for board in ["mps2-an386", "realview-pb-a8"] {
        let folder = Folder::new(&format!("bench-{board}"));
        let data = json(&folder, &format!("bench --board {board}"));
        assert_eq!(data["board"], board);
        for name in OPERATIONS {
            let operation = &data["operations"][name];
            for unit in ["instructions", "cycles"] {
                let of = |key| {
                    operation[unit][key]
                        .as_u64()
                        .unwrap_or_else(|| panic!("{board}: {name} {unit} {key}"))
                };
                assert!(
                    of("min") <= of("median") && of("median") <= of("max"),
                    "{name}"
                );
            }
            let samples = operation["instructions"]["samples"].as_u64().unwrap_or(0);
            assert!(samples > 0, "{board}: {name}");
        }
    }
}

/// Returns the line of the baseline with the operation's counts, with `more` instructions added.
fn baseline_of(bench: &Value, operation: &str, more: u64) -> String {
    let of = |unit: &str, more: u64| {
        let number = |key: &str| bench["operations"][operation][unit][key].as_u64().unwrap() + more;
        let samples = &bench["operations"][operation]["instructions"]["samples"];
        let [min, median, max] = ["min", "median", "max"].map(number);
        format!("{min}/{median}/{max}*{samples}")
    };
    let board = bench["board"].as_str().unwrap();
    let (instructions, cycles) = (of("instructions", more), of("cycles", 0));
    format!("{board},operations/{operation},{instructions},{cycles},,,,,,,\n")
}

#[test]
fn a_changed_count_fails_and_names_the_operation_and_the_difference() {
    let folder = Folder::new("changed");
    let now = json(&folder, "bench --board mps2-an386");
    let mut text = "baseline,operation,instructions,cycles,1,2,3,4,20,100,1000\n".to_owned();
    for operation in now["operations"].as_object().unwrap().keys() {
        let more = if operation == "yield" { 7 } else { 0 };
        text.push_str(&baseline_of(&now, operation, more));
    }
    let file = folder.file("changed.csv", &text);
    let mut command = taktos("bench --board mps2-an386 --baseline");
    let output = command
        .arg(file)
        .arg("--out")
        .arg(folder.0.join("result"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = crate::common::said(&output);
    assert!(
        said.contains("yield: instructions min ") && said.contains("(-7)"),
        "{said}"
    );
    assert!(
        said.contains("error: the counts of 1 operation changed"),
        "{said}"
    );
}

#[test]
fn an_experiment_of_ones_own_has_its_figures_and_files() {
    let folder = Folder::new("own");
    let file = folder.file(
        "mine.toml",
        "title = 'Yield, looked at closely'\n\
         question = 'How far do samples lie apart?'\n\
         board = 'mps2-an386'\n\
         program = 'bench'\n\
         [[figure]]\n\
         kind = 'histogram'\n\
         title = 'Values'\n\
         marks = ['yield']\n\
         [[figure]]\n\
         kind = 'tail'\n\
         title = 'Tail'\n\
         marks = ['yield']\n\
         [[figure]]\n\
         kind = 'summary'\n\
         title = 'Spread'\n\
         marks = ['yield']\n",
    );
    let out = folder.0.join("result");
    let mut command = taktos(&format!("run {} --out {}", file.display(), out.display()));
    let shown = succeed(&mut command);
    assert!(
        shown.contains("Spread") && shown.contains("modelled"),
        "{shown}"
    );
    // A figure that is a plot has its numbers in a table, which is printed.
    assert!(
        shown.contains("Values") && shown.contains("Tail") && shown.contains("yield"),
        "{shown}"
    );
    for file in [
        "manifest.json",
        "result.json",
        "report.html",
        "trace.pftrace",
        "trace.schedule",
        "raw/samples.csv",
        "tables/spread.csv",
        "tables/values.csv",
        "plots/values.svg",
        "plots/tail.svg",
    ] {
        assert!(
            out.join(file).metadata().is_ok_and(|file| file.len() > 0),
            "{file}"
        );
    }
    assert_eq!(folder.names(), ["mine.toml", "result"]);
}

#[test]
fn a_recorded_schedule_is_converted_without_running_anything() {
    let folder = Folder::new("convert");
    let (first, second) = (folder.0.join("first"), folder.0.join("second"));
    succeed(taktos("trace bench --board mps2-an386 --out").arg(&first));
    let recording = first.join("trace.schedule");
    let mut convert = taktos(&format!("trace {} --format csv --out", recording.display()));
    let csv = succeed(convert.arg(&second));
    assert!(csv.starts_with("processor,thread,"), "{csv}");
    for file in ["schedule.csv", "trace.schedule"] {
        let read = |place: &std::path::Path| std::fs::read(place.join(file)).unwrap();
        assert!(read(&first) == read(&second), "{file}");
    }
}

#[test]
fn a_figure_that_asks_for_an_unknown_mark_leaves_nothing_behind() {
    let folder = Folder::new("mark");
    let file = folder.file(
        "mine.toml",
        "title = 'mine'\nquestion = 'why?'\nboard = 'mps2-an386'\nprogram = 'bench'\n\
         [[figure]]\nkind = 'summary'\ntitle = 'Spread'\nmarks = ['yeild']\n",
    );
    let out = folder.0.join("result");
    let mut command = taktos(&format!("run {} --out {}", file.display(), out.display()));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = crate::common::said(&output);
    assert!(
        said.contains("error: the program passed no mark `yeild`"),
        "{said}"
    );
    assert!(said.contains("hint: name a mark of the program"), "{said}");
    assert_eq!(folder.names(), ["mine.toml"]);
}
