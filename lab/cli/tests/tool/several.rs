//! The experiments on several processors as a person and a program use them, in small sizes.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{Folder, succeed, taktos};
use serde_json::Value;

/// Runs a command for JSON, into a folder of its own.
fn json(folder: &Folder, line: &str) -> Value {
    let mut command = taktos(&format!("{line} --format json --out"));
    serde_json::from_str(&succeed(command.arg(folder.0.join("result")))).unwrap()
}

/// The row of a mark in the case with these labels.
fn row<'a>(data: &'a Value, mark: &str, labels: &[(&str, &str)]) -> &'a Value {
    let mut rows = data["samples"].as_array().unwrap().iter();
    let found = rows.find(|row| {
        let mut labels = labels.iter();
        row["mark"] == mark && labels.all(|(name, value)| row["labels"][name] == *value)
    });
    found.unwrap_or_else(|| panic!("no row {mark}"))
}

/// The least value of a row.
fn least(data: &Value, mark: &str, labels: &[(&str, &str)]) -> u64 {
    row(data, mark, labels)["min"].as_u64().unwrap()
}

const POLICIES: [&str; 6] = [
    "simple",
    "priority",
    "edf",
    "priority-affinity",
    "strong-affinity",
    "cbs",
];
/// The spacecraft's experiment; its full form has many periods.
const SHIPPED: &str = include_str!("../../../../experiments/spacecraft.toml");

/// Writes a form of it into a folder, next to its tasks with a tenth of their times.
fn with_tasks(folder: &Folder, form: &str) -> PathBuf {
    let tasks = include_str!("../../../../experiments/onboard.toml");
    folder.file("onboard.toml", &tasks.replace(" ms\"", "00 us\""));
    folder.file("form.toml", form)
}

const TASKS: [&str; 7] = ["T1", "T2", "T3", "T4", "T5", "T6", "T7"];

#[test]
fn the_spacecraft_runs_under_every_policy_on_one_processor_and_on_four() {
    let folder = Folder::new("smp");
    let (before, rest) = SHIPPED.split_once("periods  = [").unwrap();
    let (_, behind) = rest.split_once(']').unwrap();
    let file = with_tasks(
        &folder,
        &format!("{before}periods = ['5 ms', '10 ms']{behind}"),
    );
    let data = json(
        &folder,
        &format!("run {} --full --for 10ms", file.display()),
    );
    assert_eq!(data["form"], "full");
    assert_eq!(data["platform"], "virt-aarch64-smp");
    assert_eq!(data["evidence"], "emulated");
    for policy in POLICIES {
        for processors in ["1", "4"] {
            let labels = [
                ("question", "policies"),
                ("policy", policy),
                ("processors", processors),
            ];
            let of = |mark: &str, task: &str| {
                least(&data, mark, &[&labels[..], &[("task", task)]].concat())
            };
            let share = least(&data, "overhead", &labels);
            assert!(
                0 < share && share < 10_000,
                "{policy} on {processors}: {share}"
            );
            for task in TASKS {
                assert_eq!(of("late", task), 0, "{policy} on {processors}: {task}");
            }
            // A period of T3 (10 ms), in which four processors are done with T1.
            assert_eq!(of("jobs", "T3"), 1, "{policy} on {processors}");
            let cpu = of("cpu", "T3");
            assert!(
                (1_200_000..1_300_000).contains(&cpu),
                "{policy} on {processors}: {cpu}"
            );
            assert!(of("wall", "T3") >= cpu);
            assert!(processors == "1" || of("jobs", "T1") == 1, "{policy}");
        }
    }
    for layout in ["clustered", "partitioned"] {
        let labels = [("question", "layouts"), ("layout", layout)];
        assert!(least(&data, "overhead", &labels) > 0, "{layout}");
    }
    let result = folder.0.join("result");
    for file in [
        "report.html",
        "manifest.json",
        "plots/overhead-along-the-period-mean.svg",
        "trace/edf-one.pftrace",
        "trace/edf-global.schedule",
        "tables/the-same-run-at-other-quanta.csv",
    ] {
        let there = result
            .join(file)
            .metadata()
            .is_ok_and(|file| file.len() > 0);
        assert!(there, "{file}");
    }
    let report = std::fs::read_to_string(result.join("report.html")).unwrap();
    for words in [
        "no caches",
        "quantum, ns",
        "paper, simulator sis",
        "Every policy on one processor and on four, late: 0 for each (emulated).",
    ] {
        assert!(report.contains(words), "{words}");
    }
}

/// The spacecraft's experiment with a smaller quick form, in a folder.
fn smaller(folder: &Folder) -> PathBuf {
    let (full, quick) = SHIPPED.split_once("[quick]\n").unwrap();
    let figures = &quick[quick.find("[[figure]]").unwrap()..];
    let quick = "for = '20 ms'\npolicies = ['edf']\nperiods = ['5 ms', '10 ms']\n";
    with_tasks(folder, &format!("{full}[quick]\n{quick}\n{figures}"))
}

/// Returns how many runs are stored next to a result.
fn kept(place: &Path) -> usize {
    let runs = place.with_extension("runs");
    std::fs::read_dir(runs).map_or(0, Iterator::count)
}

#[test]
fn a_stopped_experiment_goes_on_where_it_was_and_says_its_form() {
    let folder = Folder::new("smp-stopped");
    let (file, place) = (smaller(&folder), folder.0.join("result"));
    let run = |more: &[&str]| {
        let mut command = taktos("run");
        command.arg(&file).args(more).arg("--out").arg(&place);
        command
    };
    let mut stopped = run(&[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while kept(&place) < 2 {
        let ended = stopped.try_wait().unwrap();
        assert!(ended.is_none(), "it ended before it could be stopped");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    stopped.kill().unwrap();
    stopped.wait().unwrap();
    assert!(!place.exists(), "half a result");
    let done = kept(&place);
    let said = |more: &[&str]| {
        let output = run(more).output().unwrap();
        assert!(output.status.success(), "{}", crate::common::said(&output));
        crate::common::said(&output)
    };
    let again = said(&[]);
    assert!(again.contains(" runs were done before"), "{again}");
    assert!(kept(&place) > done, "nothing was left to do");
    let read = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    let files = ["manifest.json", "result.json", "report.html"];
    let first = files.map(read);
    // Results that were taken over are those that a whole run gives.
    let fresh = said(&["--fresh"]);
    assert!(!fresh.contains("done before"), "{fresh}");
    assert!(first == files.map(read), "other bytes");
    for file in &first[..2] {
        assert!(file.contains("\"form\": \"quick\""), "{file}");
    }
    for words in [
        "on one processor and on four (quick form)",
        "In the quick form: Every policy on one processor and on four, late: 0 for each (emulated).",
        "Quick form: fewer and shorter runs than --full does.",
    ] {
        assert!(first[2].contains(words), "{words}");
    }
}

#[test]
fn the_kernel_runs_tasks_as_the_simulator_says() {
    let folder = Folder::new("both");
    let line = "run experiments/onboard.toml --scheduler edf --for 500ms";
    let data = json(&folder, line);
    let runs = data["runs"].as_array().unwrap();
    // On four processors releases at one instant come in the order in which the processors serve
    // them.
    let ordered: Vec<&Value> = runs
        .iter()
        .filter(|run| run["releases_apart"] == true || run["processors"] == 1)
        .collect();
    assert_eq!((runs.len(), ordered.len()), (3, 2));
    assert_eq!(ordered[0]["releases_apart"], false);
    for run in ordered {
        assert_eq!(run["agree"], true, "{run}");
        assert!(run["turns"].as_u64().unwrap() > 15, "{run}");
        for task in TASKS {
            let worlds = &run["tasks"][task];
            assert_eq!(worlds["within"], true, "{task}");
            assert_eq!(
                worlds["emulated"]["jobs"], worlds["simulated"]["jobs"],
                "{task}"
            );
        }
        // The kernel's work for a job is counted, and small.
        let cost = run["cost_ns"].as_u64().unwrap();
        assert!((200..5_000).contains(&cost), "{cost}");
    }
}

#[test]
fn mechanisms_are_measured_here_and_across() {
    let folder = Folder::new("mechanisms");
    // Without the machines that have guests: Linux would have to be fetched.
    let shipped = include_str!("../../../../experiments/mechanisms.toml");
    let lines = shipped
        .lines()
        .filter(|line| !line.starts_with("partitions"));
    let file = folder.0.join("mechanisms.toml");
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let data = json(&folder, &format!("run {} --loops 20", file.display()));
    let set = |name, place| {
        let labels = [("mechanism", name), ("place", place)];
        row(&data, "response", &labels)
    };
    assert_eq!(set("periodic", "one processor")["samples"], 20);
    for name in ["semaphore", "fifo", "mailbox", "queue"] {
        for place in ["one processor", "across two"] {
            let set = set(name, place);
            assert_eq!(set["samples"], 20, "{name} {place}");
            let of = |key: &str| set[key].as_u64().unwrap();
            assert!(
                100 < of("min") && of("min") <= of("mean") && of("mean") <= of("max"),
                "{name} {place}"
            );
            // Of twenty samples two lie beyond 90 %, none beyond 99 %.
            let percentiles = &set["percentiles"];
            assert!(percentiles["90"].is_u64() && percentiles["99"].is_null());
        }
    }
}

#[test]
fn latency_speaks_like_cyclictest() {
    let folder = Folder::new("latency");
    let mut command = taktos("latency --loops 50 --format cyclictest --nanoseconds --out");
    let text = succeed(command.arg(folder.0.join("result")));
    let threads = text.lines().filter(|line| line.starts_with("T:")).count();
    assert_eq!(threads, 4, "{text}");
    assert!(
        text.contains("# Total: 000000050 000000050 000000050 000000050"),
        "{text}"
    );
    let latest = text
        .lines()
        .find_map(|line| line.strip_prefix("# Max Latencies: "))
        .unwrap();
    for late in latest.split(' ').map(|late| late.parse::<u64>().unwrap()) {
        assert!((1..20_000).contains(&late), "{text}");
    }
}

#[test]
fn an_option_without_meaning_is_refused() {
    for (line, option) in [
        ("reproduce smp --loops 3", "--loops"),
        ("reproduce ipc --for 1s", "--for"),
        ("run experiments/mechanisms.toml --for 1s", "--for"),
        ("run --scheduler edf", "--scheduler"),
        ("reproduce switch --full", "--full"),
        ("run experiments/mechanisms.toml --full", "--full"),
        ("run experiments/latency.toml --fresh", "--fresh"),
    ] {
        let output = taktos(line).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = crate::common::said(&output);
        assert!(
            said.contains(&format!("error: {option} has no meaning")),
            "{said}"
        );
    }
    let output = taktos("latency --board mps2-an386").output().unwrap();
    assert!(crate::common::said(&output).contains("the board mps2-an386 has one processor"));
}
