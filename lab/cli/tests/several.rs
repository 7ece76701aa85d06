//! The experiments on several processors as a person and a program use them, in small sizes.

mod common;

use common::{Folder, succeed, taktos};
use serde_json::Value;

/// Runs a command for JSON, into a folder of its own.
fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let mut command = taktos(arguments);
    command.args(["--format", "json", "--out"]);
    serde_json::from_str(&succeed(command.arg(folder.0.join("result")))).unwrap()
}

const POLICIES: [&str; 6] = [
    "simple",
    "priority",
    "edf",
    "priority-affinity",
    "strong-affinity",
    "cbs",
];
const TASKS: [&str; 7] = ["T1", "T2", "T3", "T4", "T5", "T6", "T7"];

#[test]
fn the_spacecraft_runs_under_every_policy_on_one_processor_and_on_four() {
    let folder = Folder::new("smp");
    let data = json(&folder, &["reproduce", "smp", "--for", "200ms"]);
    assert_eq!(data["platform"], "virt-aarch64-smp");
    assert_eq!(data["evidence"], "emulated");
    for policy in POLICIES {
        for processors in ["1", "4"] {
            let run = &data["policies"][policy][processors];
            let share = run["overhead_share"].as_f64().unwrap();
            assert!(
                0.0 < share && share < 0.01,
                "{policy} on {processors}: {share}"
            );
            for task in TASKS {
                assert_eq!(
                    run["tasks"][task]["missed"], 0,
                    "{policy} on {processors}: {task}"
                );
            }
            // Two periods of T3; four processors are done with T1 in the first.
            let t3 = &run["tasks"]["T3"];
            assert_eq!(t3["jobs"], 2, "{policy} on {processors}");
            let least = t3["cpu_us"]["min"].as_f64().unwrap();
            assert!(
                (12_000.0..12_100.0).contains(&least),
                "{policy} on {processors}: {least}"
            );
            assert!(t3["wall_us"]["min"].as_f64().unwrap() >= least);
        }
        let t1 = &data["policies"][policy]["4"]["tasks"]["T1"];
        assert_eq!(t1["jobs"], 1, "{policy}");
    }
    for layout in ["edf-clustered", "edf-partitioned"] {
        assert!(
            data["policies"][layout]["4"]["overhead_share"].is_number(),
            "{layout}"
        );
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

#[test]
fn the_kernel_runs_tasks_as_the_simulator_says() {
    for policy in ["edf", "priority"] {
        let folder = Folder::new(&format!("both-{policy}"));
        let file = "experiments/onboard.toml";
        let data = json(
            &folder,
            &["run", file, "--scheduler", policy, "--for", "1s"],
        );
        let runs = data["runs"].as_array().unwrap();
        // On four processors releases at one instant come in the order in which the processors serve them.
        let ordered: Vec<&Value> = runs
            .iter()
            .filter(|run| run["releases_apart"] == true || run["processors"] == 1)
            .collect();
        assert_eq!((runs.len(), ordered.len()), (3, 2), "{policy}");
        assert_eq!(ordered[0]["releases_apart"], false, "{policy}");
        for run in ordered {
            assert_eq!(run["agree"], true, "{policy}: {run}");
            assert!(run["turns"].as_u64().unwrap() > 25, "{policy}: {run}");
            for task in TASKS {
                let worlds = &run["tasks"][task];
                assert_eq!(worlds["within"], true, "{policy}: {task}");
                assert_eq!(
                    worlds["emulated"]["jobs"], worlds["simulated"]["jobs"],
                    "{policy}: {task}"
                );
            }
            // The kernel's work for a job is counted, and small.
            let cost = run["cost_ns"].as_u64().unwrap();
            assert!((200..5_000).contains(&cost), "{policy}: {cost}");
        }
    }
}

#[test]
fn mechanisms_are_measured_here_and_across() {
    let folder = Folder::new("mechanisms");
    // Without the machines that have guests: Linux would have to be fetched.
    let shipped = include_str!("../../../experiments/mechanisms.toml");
    let lines = shipped
        .lines()
        .filter(|line| !line.starts_with("partitions"));
    let file = folder.0.join("mechanisms.toml");
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let data = json(&folder, &["run", file.to_str().unwrap(), "--loops", "20"]);
    assert_eq!(data["experiments"]["periodic"]["same"]["samples"], 20);
    for name in ["semaphore", "fifo", "mailbox", "queue"] {
        for place in ["same", "across"] {
            let set = &data["experiments"][name][place];
            assert_eq!(set["samples"], 20, "{name} {place}");
            let of = |key: &str| set[key].as_u64().unwrap();
            assert!(
                100 < of("min") && of("min") <= of("mean") && of("mean") <= of("max"),
                "{name} {place}"
            );
            assert_eq!(set["percentiles"]["99.999"], of("max"), "{name} {place}");
        }
    }
}

#[test]
fn latency_speaks_like_cyclictest() {
    let folder = Folder::new("latency");
    let mut command = taktos(&[
        "latency",
        "--loops",
        "50",
        "--format",
        "cyclictest",
        "--nanoseconds",
        "--out",
    ]);
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
    for (arguments, option) in [
        (&["reproduce", "smp", "--loops", "3"][..], "--loops"),
        (&["reproduce", "ipc", "--for", "1s"], "--for"),
        (
            &["run", "experiments/mechanisms.toml", "--for", "1s"],
            "--for",
        ),
        (&["run", "--scheduler", "edf"], "--scheduler"),
    ] {
        let output = taktos(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = common::said(&output);
        assert!(
            said.contains(&format!("error: {option} has no meaning")),
            "{said}"
        );
    }
    let output = taktos(&["latency", "--board", "mps2-an386"])
        .output()
        .unwrap();
    assert!(common::said(&output).contains("the board mps2-an386 has one processor"));
}
