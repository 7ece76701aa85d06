//! Files of both tools, written by hand from their documents.

use taktos_schedule::CpuSet;
use taktos_time::{Duration, Instant};

use crate::file::{FileError, TaskSet, parse};
use crate::{Arrival, Budget, Cost, Execution, Late, LockId, Policy, Protocol, Step};

const MUTEX: &str = include_str!("tests/mutex.json");
const MIXED: &str = include_str!("tests/mixed.xml");

fn micros(micros: u64) -> Execution {
    Execution::Fixed(Duration::from_micros(micros))
}

fn every(millis: u64, offset: Duration) -> Arrival {
    Arrival::Periodic {
        period: Duration::from_millis(millis),
        offset,
        jitter: Duration::ZERO,
    }
}

#[test]
fn an_rt_app_file_is_read() {
    let set = parse(MUTEX, "dir/mutex.json").unwrap();
    assert_eq!(set.title, "mutex");
    assert_eq!(set.horizon, Some(Duration::from_secs(6)));
    let workload = &set.workload;
    assert_eq!(workload.locks.len(), 1);
    assert_eq!(workload.locks[0].protocol, Protocol::Inheritance);
    let names: Vec<&str> = workload
        .tasks
        .iter()
        .map(|task| task.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["control", "logger", "logger-1", "stream", "hog", "start"]
    );
    let control = &workload.tasks[0];
    assert_eq!(
        (control.priority, control.affinity),
        (Some(19), Some(CpuSet::from_bits(3)))
    );
    assert_eq!(control.arrival, every(10, Duration::ZERO));
    let body = [
        Step::Run(micros(500)),
        Step::Lock(LockId(0)),
        Step::Run(micros(200)),
        Step::Unlock(LockId(0)),
    ];
    assert_eq!(control.body, body);
    let logger = &workload.tasks[2];
    assert_eq!(logger.arrival, every(40, Duration::from_micros(1500)));
    assert_eq!(logger.body.len(), 4);
    assert_eq!(logger.body[3], Step::Suspend(micros(3000)));
    let stream = &workload.tasks[3];
    let budget = Budget {
        runtime: Duration::from_millis(2),
        period: Duration::from_millis(20),
    };
    assert_eq!(
        (stream.budget, stream.deadline),
        (Some(budget), Some(Duration::from_millis(15)))
    );
    assert_eq!(stream.arrival, every(20, Duration::ZERO));
    // The loop without a timer, and the ordinary threads behind all others.
    assert_eq!(workload.tasks[4].arrival, every(1, Duration::ZERO));
    assert_eq!(workload.tasks[4].priority, Some(100));
    let at = Instant::START;
    assert_eq!(workload.tasks[5].arrival, Arrival::Once { at });
    assert!(
        set.warnings
            .iter()
            .any(|words| words.contains("hog: its loop has no timer")),
        "{:?}",
        set.warnings
    );
}

#[test]
fn a_simso_file_is_read() {
    let set = parse(MIXED, "mixed.xml").unwrap();
    assert_eq!((set.cpus, set.scheduler), (Some(2), Some(Policy::Edf)));
    assert_eq!(set.horizon, Some(Duration::from_millis(200)));
    let costs = set.costs.clone().unwrap();
    assert_eq!(costs.schedule, Cost::Constant(Duration::from_micros(2)));
    assert_eq!(costs.release, Cost::Constant(Duration::from_micros(1)));
    assert_eq!(costs.switch, Cost::Constant(Duration::from_micros(2)));
    let tasks = &set.workload.tasks;
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["TASK T1", "T2.0", "T2.1", "T3"]);
    assert_eq!(tasks[0].arrival, every(10, Duration::from_micros(2500)));
    assert_eq!(tasks[0].body, [Step::Run(micros(3250))]);
    assert_eq!(
        (tasks[0].late, tasks[0].deadline),
        (Late::Abort, Some(Duration::from_millis(8)))
    );
    assert_eq!(tasks[1].late, Late::Queue);
    let at = Instant::from_nanos(4_500_000);
    assert_eq!(tasks[2].arrival, Arrival::Once { at });
    assert_eq!(set.warnings, ["task T3: `priority` is left out"]);
}

fn refused(set: Result<TaskSet, FileError>, line: usize, cause: &str) {
    let error = set.unwrap_err();
    let shown = error.to_string();
    assert!(shown.contains(&format!(":{line}: ")), "{cause}: {shown}");
    assert!(shown.contains(cause), "{shown}");
}

#[test]
fn what_rt_app_can_and_we_cannot_is_refused_by_name() {
    for (from, to, line, cause) in [
        (
            "\"run0\" : 500",
            "\"barrier\" : \"b\"",
            19,
            "tasks: control: barrier is an event that is not supported",
        ),
        (
            "\"run0\" : 500",
            "\"run0\" : -500",
            19,
            "run0 is a number, no whole number",
        ),
        (
            "\"run0\" : 500",
            "\"run0\" : 99999999999999999",
            19,
            "longer than 36 years",
        ),
        (
            "\"unlock\" : \"m0\",\n\t\t\t\"timer\"",
            "\"timer\"",
            14,
            "with the lock m0 held",
        ),
        (
            "\"SCHED_RR\"",
            "\"SCHED_SPORADIC\"",
            27,
            "`SCHED_SPORADIC` is not known",
        ),
        (
            "\"priority\" : 80",
            "\"priority\" : 100",
            16,
            "out of range",
        ),
        ("[0, 1]", "[0, 64]", 17, "has the processor 64"),
        ("\"instance\" : 2", "\"instance\" : 2000", 26, "too large"),
        (
            "\"work\" : { ",
            "\"work\" : { \"loop\" : 3, ",
            31,
            "loop of a phase is not supported",
        ),
        (
            "\"hog\" : { \"run\" : 900, \"sleep\" : 100 }",
            "\"hog\" : { }",
            42,
            "does nothing",
        ),
        ("\"hog\"", "\"stream\"", 35, "is given twice"),
        (
            "\"run1\" : 200",
            "\"run0\" : 200",
            19,
            "run0 is given twice",
        ),
        ("\"period\" : 10000", "\"period\" : 0", 23, "has no period"),
        ("\"tasks\" :", "\"taks\" :", 0, ""),
    ] {
        let text = MUTEX.replacen(from, to, 1);
        assert_ne!(text, MUTEX, "{from}");
        let set = parse(&text, "mutex.json");
        if line == 0 {
            assert!(set.unwrap_err().to_string().contains("has no `tasks`"));
        } else {
            refused(set, line, cause);
        }
    }
    refused(parse("{\n\"tasks\": {\n", "a.json"), 3, "no JSON");
}

#[test]
fn what_simso_can_and_we_cannot_is_refused_by_name() {
    for (from, to, line, cause) in [
        (
            "speed=\"1.0\"",
            "speed=\"2.0\"",
            6,
            "a processor has the speed 2.0",
        ),
        (
            "followed_by=\"\"",
            "followed_by=\"2\"",
            10,
            "`followed_by` is not supported",
        ),
        (
            "task_type=\"Periodic\"",
            "task_type=\"Peridic\"",
            10,
            "the type `Peridic` is not known",
        ),
        ("WCET=\"3.25\"", "WCET=\"-1\"", 10, "WCET is wrong"),
        ("period=\"10.0\"", "period=\"0\"", 10, "has no period"),
        ("1.0, 4.5", "1.0, x", 11, "list_activation_dates is wrong"),
        ("1.0, 4.5", " ", 11, "is never activated"),
        (
            "name=\"T3\"",
            "name=\"TASK T1\"",
            12,
            "two tasks are called TASK T1",
        ),
        (
            "cs_overhead=\"1500\"",
            "cs_overhead=\"1501\"",
            7,
            "different overheads",
        ),
        (
            "duration=\"200000000\"",
            "duration=\"2e8\"",
            2,
            "no whole number",
        ),
        ("</tasks>", "", 14, "no XML"),
    ] {
        let text = MIXED.replacen(from, to, 1);
        assert_ne!(text, MIXED, "{from}");
        refused(parse(&text, "mixed.xml"), line, cause);
    }
    refused(parse("<html/>", "a.xml"), 1, "begins with <html>");
}
