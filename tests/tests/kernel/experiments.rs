//! The workloads of the experiments on four simulated processors: they report what was requested.

use std::collections::BTreeMap;
use taktos_arch_host::Outcome;
use taktos_tests::experiment::run_workload;
use taktos_tests::leak;
use taktos_tests::several::SeveralHost;
use taktos_workloads::{latency, mechanisms, spacecraft};

/// A line `@KIND key=value ...`.
struct Line {
    kind: String,
    values: BTreeMap<String, String>,
}

impl Line {
    fn number(&self, key: &str) -> i64 {
        let value = self.values.get(key);
        let value = value.unwrap_or_else(|| panic!("@{} has no {key}", self.kind));
        value.parse().expect("it is a number")
    }
}

fn lines(outcome: &Outcome) -> Vec<Line> {
    assert_eq!(
        outcome.status(),
        Some(0),
        "{}: {}",
        outcome.end,
        outcome.console
    );
    let lines: Vec<Line> = outcome.console.lines().map(line).collect();
    assert_eq!(lines.first().map(|line| line.kind.as_str()), Some("run"));
    assert_eq!(lines.last().map(|line| line.kind.as_str()), Some("end"));
    lines
}

fn line(text: &str) -> Line {
    let mut words = text.split(' ');
    let kind = words.next().and_then(|kind| kind.strip_prefix('@'));
    Line {
        kind: kind.expect("each line has a kind").to_owned(),
        values: words
            .map(|word| word.split_once('=').expect("each word has a value"))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    }
}

fn of_kind<'a>(lines: &'a [Line], kind: &'a str) -> impl Iterator<Item = &'a Line> {
    lines.iter().filter(move |line| line.kind == kind)
}

fn spacecraft(line: &str) -> Outcome {
    run_workload(line, spacecraft::configuration::<SeveralHost>, || {
        spacecraft::run::<SeveralHost>(leak(spacecraft::Objects::new()))
    })
}

/// In a world in which the kernel costs nothing, the published set at U = 0.84 misses nothing
/// anywhere under EDF.
#[test]
fn the_spacecraft_does_all_its_jobs_in_each_layout() {
    for (layout, processors) in [
        ("one", 1),
        ("global", 4),
        ("clustered", 4),
        ("partitioned", 4),
    ] {
        let line = format!("layout={layout}+policy=edf+for-ms=4000");
        let lines = lines(&spacecraft(&line));
        let tasks: Vec<&Line> = of_kind(&lines, "task").collect();
        assert_eq!(tasks.len(), 7);
        for task in tasks {
            let (period, execution) = (task.number("period_ns"), task.number("execution_ns"));
            let jobs = task.number("jobs");
            let all = 4_000_000_000 / period;
            assert!((all - 1..=all).contains(&jobs), "{layout}: {jobs} of {all}");
            assert_eq!(task.number("missed"), 0, "{layout}");
            assert_eq!(task.number("overruns"), 0, "{layout}");
            for key in ["cpu_min_ns", "cpu_mean_ns", "cpu_max_ns"] {
                assert_eq!(task.number(key), execution, "{layout}: {key}");
            }
            assert!(task.number("wall_min_ns") >= execution, "{layout}");
            assert!(task.number("wall_max_ns") <= period, "{layout}");
        }
        let busy: i64 = of_kind(&lines, "cpu")
            .map(|cpu| cpu.number("busy_ns"))
            .sum();
        let idle: i64 = of_kind(&lines, "cpu")
            .map(|cpu| cpu.number("idle_ns"))
            .sum();
        let span = of_kind(&lines, "span")
            .map(|span| span.number("ns"))
            .sum::<i64>();
        assert_eq!(of_kind(&lines, "cpu").count() as i64, processors);
        assert_eq!(
            busy + idle,
            span * processors,
            "{layout}: all time is somebody's"
        );
        let work = of_kind(&lines, "work")
            .next()
            .expect("there is such a line");
        assert_eq!(
            work.number("ns"),
            busy,
            "{layout}: the kernel costs nothing here"
        );
        assert_eq!(work.number("instructions"), busy, "{layout}");
    }
}

#[test]
fn on_four_processors_jobs_take_less_time_than_on_one() {
    let wall = |layout: &str| -> Vec<i64> {
        let lines = lines(&spacecraft(&format!("layout={layout}+for-ms=2000")));
        of_kind(&lines, "task")
            .map(|task| task.number("wall_mean_ns"))
            .collect()
    };
    let (one, four) = (wall("one"), wall("global"));
    assert!(one.iter().zip(&four).all(|(one, four)| four <= one));
    assert!(one.iter().sum::<i64>() > four.iter().sum());
}

#[test]
fn each_policy_carries_the_spacecraft() {
    for policy in [
        "simple",
        "priority",
        "priority-affinity",
        "strong-affinity",
        "cbs",
    ] {
        let lines = lines(&spacecraft(&format!(
            "policy={policy}+for-ms=1000+scale-ppm=100000"
        )));
        assert_eq!(of_kind(&lines, "task").count(), 7, "{policy}");
        for task in of_kind(&lines, "task") {
            assert_eq!(task.number("missed"), 0, "{policy}");
            assert!(task.number("jobs") >= 9, "{policy}");
        }
    }
}

/// More than one processor can do: the grid stays, jobs are late, and the end is an end.
#[test]
fn an_overloaded_spacecraft_misses_and_ends() {
    let line = "layout=one+for-ms=1000+tasks=A:10000000:8000000;B:20000000:12000000";
    for policy in ["edf", "priority", "simple"] {
        let lines = lines(&spacecraft(&format!("policy={policy}+{line}")));
        let missed: i64 = of_kind(&lines, "task")
            .map(|task| task.number("missed"))
            .sum();
        assert!(missed > 10, "{policy}");
        let cpu = of_kind(&lines, "cpu")
            .next()
            .expect("there is one processor");
        assert!(cpu.number("busy_ns") >= 980_000_000, "{policy}");
    }
}

#[test]
fn a_task_runs_where_it_is_told_to() {
    let tasks = "tasks=A:10000000:8000000:0:1;B:10000000:8000000:0:1;C:10000000:1000000";
    let lines = lines(&spacecraft(&format!(
        "for-ms=500+policy=strong-affinity+{tasks}"
    )));
    let missed: Vec<bool> = of_kind(&lines, "task")
        .map(|task| task.number("missed") > 0)
        .collect();
    assert_eq!(
        missed,
        [false, true, false],
        "two do not fit on one processor"
    );
    let busy: Vec<i64> = of_kind(&lines, "cpu")
        .map(|cpu| cpu.number("busy_ns"))
        .collect();
    assert!(busy[1] >= 490_000_000, "{busy:?}");
}

#[test]
fn what_the_workloads_do_not_know_is_refused() {
    let outcome = run_workload(
        "image",
        || {
            (
                [taktos_workloads::experiment::Scheme::DEFAULT.configuration()[0]; 4],
                1,
            )
        },
        || {
            taktos_workloads::experiment::refuse::<SeveralHost>(
                spacecraft::Plan::read("speed=9").expect_err("there is no such word"),
            )
        },
    );
    assert_eq!(outcome.status(), Some(2));
    assert!(
        outcome.console.starts_with("refused: speed=9: "),
        "{}",
        outcome.console
    );
}

// Too large for a stack.
static MECHANISMS: [mechanisms::Objects<SeveralHost>; 2] =
    [const { mechanisms::Objects::new() }; 2];
static LATENCY: [latency::Objects<SeveralHost>; 2] = [const { latency::Objects::new() }; 2];

/// The sets, each with its values' number and smallest and largest.
fn sets(outcome: &Outcome) -> Vec<(String, i64, i64, i64)> {
    let lines = lines(outcome);
    let mut sets = Vec::new();
    let mut last = i64::MIN;
    let mut counted = 0;
    for line in lines.iter().rev() {
        match line.kind.as_str() {
            "value" => {
                assert!(last == i64::MIN || line.number("ns") < last, "ascending");
                last = line.number("ns");
                counted += line.number("times");
            }
            "set" => {
                assert_eq!(line.number("samples"), counted);
                assert_eq!(line.number("min_ns"), last);
                assert!(line.number("min_ns") <= line.number("mean_ns"));
                assert!(line.number("mean_ns") <= line.number("max_ns"));
                assert!(line.number("p50_ns") <= line.number("p99_999_ns"));
                let name = format!(
                    "{} {}-{}",
                    line.values["name"],
                    line.number("from"),
                    line.number("to")
                );
                sets.push((name, counted, line.number("min_ns"), line.number("max_ns")));
                (last, counted) = (i64::MIN, 0);
            }
            _ => {}
        }
    }
    sets.reverse();
    sets
}

#[test]
fn the_mechanisms_are_measured_on_one_processor_and_across() {
    let outcome = run_workload(
        "loops=50+interval-us=100",
        mechanisms::configuration,
        || mechanisms::run::<SeveralHost>(&MECHANISMS[0]),
    );
    let found = sets(&outcome);
    let names: Vec<&str> = found.iter().map(|set| set.0.as_str()).collect();
    let expected = [
        "periodic 0-0",
        "semaphore 0-0",
        "semaphore 0-1",
        "fifo 0-0",
        "fifo 0-1",
        "mailbox 0-0",
        "mailbox 0-1",
        "queue 0-0",
        "queue 0-1",
    ];
    assert_eq!(names, expected);
    for (name, samples, min, _) in found {
        assert_eq!(samples, 50, "{name}");
        assert!(min >= 0, "{name}: nobody is early");
    }
}

#[test]
fn one_mechanism_at_a_time() {
    let outcome = run_workload(
        "experiment=queue+where=across+loops=5",
        mechanisms::configuration,
        || mechanisms::run::<SeveralHost>(&MECHANISMS[1]),
    );
    let found = sets(&outcome);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.as_str(), found[0].1), ("queue 0-1", 5));
}

#[test]
fn latencies_are_taken_on_each_processor_with_and_without_load() {
    for load in [0, 1] {
        let outcome = run_workload(
            &format!("loops=40+interval-us=50+load={load}+processors=3+distance-us=10"),
            latency::configuration::<SeveralHost>,
            move || latency::run::<SeveralHost>(&LATENCY[load]),
        );
        let found = sets(&outcome);
        let names: Vec<&str> = found.iter().map(|set| set.0.as_str()).collect();
        assert_eq!(names, ["latency 0-0", "latency 1-1", "latency 2-2"]);
        assert!(found.iter().all(|set| set.1 == 40 && set.2 >= 0));
    }
}
