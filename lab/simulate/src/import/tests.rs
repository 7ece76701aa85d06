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
        hard: true,
    };
    assert_eq!(
        (stream.budget, stream.deadline),
        (Some(budget), Some(Duration::from_millis(15)))
    );
    assert_eq!(stream.arrival, every(20, Duration::ZERO));
    // The loop without a timer, and the ordinary threads after all others.
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
    // Said with each of the two words, and not said, which means yes.
    let late: Vec<Late> = tasks.iter().map(|task| task.late).collect();
    assert_eq!(late, [Late::Abort, Late::Queue, Late::Queue, Late::Abort]);
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
            22,
            "timer waits with the lock m0 held",
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
            "\"work\" : { \"cpus\" : [1], ",
            31,
            "cpus of a phase is not supported",
        ),
        (
            "\"hog\" : { \"run\" : 900, \"sleep\" : 100 }",
            "\"hog\" : { }",
            42,
            "does nothing",
        ),
        ("\"hog\"", "\"stream\"", 35, "is given twice"),
        (
            "\"work\" : { ",
            "\"work\" : { \"loop\" : -1, ",
            31,
            "loop is for ever, beside other phases",
        ),
        (
            "\"work\" : { ",
            "\"work\" : { \"loop\" : 5000, ",
            31,
            "work comes to more than 10000 steps",
        ),
        (
            "\"run1\" : 200",
            "\"priority\" : 20",
            16,
            "priority is given twice",
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
fn an_event_without_a_counterpart_is_refused_with_its_reason() {
    for (event, why) in [
        (
            "\"resume\": \"b\"",
            "resume is an event that is not supported: tasks wait for time",
        ),
        (
            "\"suspend\"",
            "suspend is an event that is not supported: tasks wait for time",
        ),
        (
            "\"barrier3\": \"b\"",
            "barrier3 is an event that is not supported: tasks wait for time",
        ),
        (
            "\"fork\": \"b\"",
            "fork is an event that is not supported: all tasks are there",
        ),
        (
            "\"mem\": 100",
            "mem is an event that is not supported: what it takes depends",
        ),
    ] {
        let text = format!("{{ \"tasks\": {{\n/* a\nb */ \"a\": {{ {event}, }}, }} }}");
        refused(parse(&text, "a.json"), 3, why);
    }
}

/// The tasks of a file with this one thread, its liberties included, and the warnings.
fn thread(text: &str) -> TaskSet {
    let text = format!("{{ \"tasks\": {{ // one\n\"a\": {{ {text}, }}, }} }}");
    parse(&text, "a.json").unwrap()
}

#[test]
fn phases_that_loop_are_one_job_with_their_timers_inside() {
    let light = r#""loop": 2, "run": 3000, "timer": { "ref": "t", "period": 30000 }"#;
    let heavy = r#""run": 9000, "run": 1000, "timer": { "ref": "t", "period": 20000, }"#;
    let until = |millis| Step::Until(Duration::from_millis(millis));
    let run = |millis: u64| Step::Run(micros(1000 * millis));
    let set = thread(&format!(
        "\"phases\": {{ \"p\": {{ {light} }}, \"p\": {{ {heavy} }}, }}"
    ));
    let task = &set.workload.tasks[0];
    assert_eq!(task.arrival, every(80, Duration::ZERO));
    let body = [run(3), until(30), run(3), until(60), run(9), run(1)];
    assert_eq!(task.body, body);
    let once = thread(&format!(
        "\"loop\": 1, \"phases\": {{ \"p\": {{ {light} }} }}"
    ));
    assert_eq!(
        once.workload.tasks[0].body,
        [run(3), until(30), run(3), until(60)]
    );
}

#[test]
fn what_follows_the_last_timer_is_what_a_job_begins_with() {
    let set = thread(r#""run": 1000, "timer": { "ref": "t", "period": 9000 }, "run": 2000"#);
    let task = &set.workload.tasks[0];
    assert_eq!(
        task.body,
        [Step::Run(micros(2000)), Step::Run(micros(1000))]
    );
    assert_eq!(task.arrival, every(9, Duration::ZERO));
    let warned = set
        .warnings
        .iter()
        .any(|words| words.contains("does not end with a timer"));
    assert!(warned, "{:?}", set.warnings);
}

#[test]
fn a_timer_that_threads_share_is_refused() {
    let refusal = |tasks: &str| {
        let text = format!("{{ \"tasks\": {{ {tasks} }} }}");
        parse(&text, "a.json")
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let thread = |name: &str, more: &str, timer: &str| {
        format!("\"{name}\": {{ {more} \"run\": 1000, \"timer\": {{ {timer} \"period\": 9000 }} }}")
    };
    let both = |timer| format!("{}, {}", thread("a", "", timer), thread("b", "", timer));
    assert_eq!(refusal(&both("\"ref\": \"unique1\",")), Ok(()));
    for shared in ["\"ref\": \"t\",", ""] {
        let why = refusal(&both(shared)).expect_err("both have it");
        assert!(why.contains("which a has too"), "{why}");
    }
    let several = thread("a", "\"instance\": 2,", "\"ref\": \"t\",");
    assert!(refusal(&several).is_err_and(|why| why.contains("which a has too")));
    let own = thread("a", "\"instance\": 2,", "\"ref\": \"unique\",");
    assert_eq!(refusal(&own), Ok(()));
    let mixed = "\"a\": { \"run\": 1, \"timer\": { \"ref\": \"t\", \"period\": 9 }, \"run\": 1, \"timer\": { \"ref\": \"u\", \"period\": 9 } }";
    assert!(refusal(mixed).is_err_and(|why| why.contains("another timer")));
    let unknown = thread("a", "", "\"mode\": \"later\",");
    assert!(refusal(&unknown).is_err_and(|why| why.contains("none that rt-app knows")));
}

#[test]
fn a_time_slice_is_no_budget_and_the_default_policy_counts_wherever_it_stands() {
    let slice = thread(r#""run": 1000, "dl-runtime": 100"#);
    assert_eq!(slice.workload.tasks[0].budget, None);
    let text =
        r#"{ "tasks": { "a": { "run": 1 } }, "global": { "default_policy": "SCHED_FIFO" } }"#;
    assert_eq!(
        parse(text, "a.json").unwrap().workload.tasks[0].priority,
        Some(89)
    );
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
        (
            "etm=\"wcet\"",
            "etm=\"acet\"",
            2,
            "the execution-time model `acet` is not supported",
        ),
        (
            "etm=\"wcet\"",
            "use_wcet=\"no\"",
            2,
            "the execution-time model `cache` is not supported",
        ),
        (
            "overhead_terminate=\"0\"",
            "overhead_terminate=\"1\"",
            3,
            "`overhead_terminate` of <sched> is not supported",
        ),
        (
            "simso.schedulers.EDF",
            "simso.schedulers.EDF_mono",
            3,
            "is for one processor, and there are 2",
        ),
        (
            "simso.schedulers.EDF",
            "simso.schedulers.P_EDF",
            11,
            "task T2 has no period, by which its load is known",
        ),
        (
            "simso.schedulers.EDF",
            "Fixed_PEDF.py",
            10,
            "task TASK T1 has no `cpu`",
        ),
    ] {
        let text = MIXED.replacen(from, to, 1);
        assert_ne!(text, MIXED, "{from}");
        refused(parse(&text, "mixed.xml"), line, cause);
    }
    for other in [
        "LLF",
        "PD2",
        "G_FL",
        "CC_EDF",
        "Static_EDF",
        "../own/MyEDF.py",
        "edf",
    ] {
        let text = MIXED.replacen("simso.schedulers.EDF", other, 1);
        let error = parse(&text, "mixed.xml").unwrap_err();
        assert!(
            error
                .cause
                .contains(&format!("the scheduler `{other}` has no")),
            "{error}"
        );
        assert!(
            error.hint.contains("EDF, EDF2, EDF_mono, RM, "),
            "{}",
            error.hint
        );
    }
    refused(parse("<html/>", "a.xml"), 1, "begins with <html>");
}

/// Tasks (WCET, period, deadline, further attributes) on two processors under a scheduler.
fn scheduled(scheduler: &str, tasks: &[(&str, &str, &str, &str)]) -> Result<TaskSet, FileError> {
    let tasks: Vec<String> = tasks
        .iter()
        .zip('A'..)
        .map(|((wcet, period, deadline, more), name)| {
            format!(
                "<task name=\"{name}\" WCET=\"{wcet}\" period=\"{period}\" deadline=\"{deadline}\" {more}/>"
            )
        })
        .collect();
    let text = format!(
        "<simulation><sched class=\"simso.schedulers.{scheduler}\"/><processors><field name=\"x\"/>\
         <processor id=\"7\"/><processor id=\"9\"/></processors><tasks>{}</tasks></simulation>",
        tasks.concat()
    );
    parse(&text, "set.xml")
}

#[test]
fn simsos_fixed_priorities_are_by_period_or_by_the_field() {
    let tasks = [
        ("1", "20", "5", "priority=\"-1\""),
        ("1", "10", "10", "priority=\"7\""),
        ("1", "20", "20", ""),
        ("1", "5", "50", "priority=\"7\""),
    ];
    let priorities = |scheduler| {
        let set = scheduled(scheduler, &tasks).unwrap();
        assert_eq!(set.scheduler, Some(Policy::Priority));
        let tasks = set.workload.tasks.iter();
        tasks.map(|task| task.priority).collect::<Vec<_>>()
    };
    assert_eq!(priorities("RM"), [Some(3), Some(2), Some(3), Some(1)]);
    assert_eq!(priorities("FP"), [Some(3), Some(1), Some(2), Some(1)]);
    assert_eq!(priorities("DM"), [None; 4]);
    let fields = scheduled("FP", &tasks).unwrap();
    assert!(fields.warnings.is_empty(), "{:?}", fields.warnings);
}

#[test]
fn simsos_partitioned_schedulers_put_tasks_where_simso_puts_them() {
    let tasks = [
        ("3", "10", "10", "cpu=\"9\""),
        ("7", "10", "10", "cpu=\"7\""),
        ("4", "10", "10", "cpu=\"9\""),
        ("6", "10", "10", "cpu=\"7\""),
    ];
    let places = |scheduler| {
        let set = scheduled(scheduler, &tasks).unwrap();
        let names: Vec<&str> = set.clusters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["0", "1"]);
        let tasks = set.workload.tasks.iter();
        let all = tasks.map(|task| task.cluster.clone().unwrap());
        (set.scheduler.unwrap(), all.collect::<Vec<_>>().concat())
    };
    // By utilisation: B 0.7, D 0.6, C 0.4, A 0.3.
    assert_eq!(places("P_EDF"), (Policy::Edf, "0011".into()));
    assert_eq!(places("P_EDF_WF"), (Policy::Edf, "0011".into()));
    assert_eq!(places("P_RM"), (Policy::Priority, "0100".into()));
    assert_eq!(places("Fixed_PEDF"), (Policy::Edf, "1010".into()));
    assert_eq!(places("P_EDF2"), (Policy::Edf, "0011".into()));
    // In another order the last does not fit.
    let [a, b, c, d] = tasks;
    let error = scheduled("P_EDF2", &[a, c, b, d]).unwrap_err();
    assert!(error.cause.contains("task D fits on none of 2"), "{error}");
    // First fit goes back to the first processor, next fit does not.
    let small = [
        ("6", "10", "10", ""),
        ("5", "10", "10", ""),
        ("3", "10", "10", ""),
    ];
    let places = |scheduler| {
        let set = scheduled(scheduler, &small).unwrap();
        let tasks = set.workload.tasks.iter();
        tasks
            .map(|task| task.cluster.clone().unwrap())
            .collect::<Vec<_>>()
            .concat()
    };
    assert_eq!(
        (places("P_EDF"), places("P_EDF_WF")),
        ("010".into(), "011".into())
    );
}
