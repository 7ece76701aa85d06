//! Task-set files as people write them, and what they get wrong.

use taktos_schedule::CpuSet;

use super::*;
use crate::{Arrival, Budget, Cost, Execution, Late, LockId, Protocol, ServerId, Step, VcpuPolicy};

const ONBOARD: &str = include_str!("../../../../experiments/onboard.toml");
const PUBLISHED: &str = include_str!("../../../../experiments/published/smp_scheduling.toml");

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Every key, once.
pub(super) const WHOLE: &str = r#"
title = "Everything"
question = "Is all of it read?"
cpus = 4
scheduler = "priority"
for = "10 s"
seed = 7
slice = "1 ms"
timer-slop = "50 us"

[host-costs]
switch = "3 us"

[costs]
release = "1 us"
schedule = ["400 ns", "600 ns"]
switch_us = 2
ipi = "500 ns"
migration = { 1 = "1 us", 20 = "5 us" }

[[cluster]]
name = "fast"
cpus = [0, 1]
scheduler = "edf"

[[cluster]]
name = "slow"
cpus = "2-3"

[[lock]]
name = "bus"
protocol = "mrsp"
ceilings = { fast = 3, slow = 5 }

[[lock]]
name = "log"

[[server]]
name = "disk"

[[task]]
name = "sensor"
job = "reads"
period_ms = 10
offset = "1 ms"
jitter_us = 250.5
deadline = "8 ms"
priority = 3
affinity = 1
cluster = "fast"
budget = { runtime = "2 ms", period = "10 ms", hard = true }
late = "abort"
body = ["run 1 ms", "lock bus", "run 1 ms..2 ms", "unlock bus", "suspend 1 ms", "until 7.5 ms", "call disk 3 ms | 4 ms"]

[[task]]
name = "alarm"
separation = "5 ms..20 ms"
execution = "100 us"
late = "skip"

[[task]]
name = "start"
once = "3 ms"
execution = "1 ms"

[[pool]]
name = "guests"
cpus = "4-5"
policy = "arinc653"
profile = "xen-4.5"
frame = "20 ms"
[[pool.window]]
partition = "linux"
vcpu = 1
runtime = "10 ms"

[[partition]]
name = "linux"
pool = "guests"
scheduler = "edf"
weight = 512
cap = 50
[[partition.vcpu]]
period = "10 ms"
budget = "4 ms"
extra-time = true
hard-affinity = "4"
soft-affinity = "5"
[[partition.lock]]
name = "page"
[[partition.task]]
name = "inside"
period = "5 ms"
body = ["lock page", "run 1 ms", "unlock page"]
"#;

fn parse(text: &str) -> Result<TaskSet, FileError> {
    super::parse(text, "mine.toml")
}

#[test]
fn the_seven_tasks_are_the_published_ones() {
    let set = parse(ONBOARD).unwrap();
    let published: toml::Table = PUBLISHED.parse().unwrap();
    let published = published["task_set"]["tasks"].as_array().unwrap();
    assert_eq!(set.workload.tasks.len(), published.len());
    for (ours, theirs) in set.workload.tasks.iter().zip(published) {
        let number = |key: &str| ms(theirs[key].as_integer().unwrap() as u64);
        let expected = crate::Task::periodic(
            theirs["name"].as_str().unwrap(),
            number("execution_ms"),
            number("period_ms"),
        );
        assert_eq!(*ours, expected);
    }
    assert_eq!(
        (set.cpus, set.horizon),
        (Some(1), Some(Duration::from_secs(20)))
    );
}

#[test]
fn tasks_as_they_are_published_are_read() {
    let text = r#"task = [
        { name = "T1", period_ms = 500, execution_ms = 60, job = "compression" },
        { name = "T3", period_ms = 100, execution_ms = 12, job = "attitude" },
    ]"#;
    let set = parse(text).unwrap();
    assert_eq!(
        set.workload.tasks[1],
        crate::Task::periodic("T3", ms(12), ms(100))
    );
}

#[test]
fn every_key_is_read() {
    let set = parse(WHOLE).unwrap();
    assert_eq!(set.timer_slop, Some(Duration::from_micros(50)));
    let host = set.host_costs.unwrap();
    assert_eq!(host.switch, Cost::Constant(Duration::from_micros(3)));
    let costs = set.costs.unwrap();
    assert_eq!(costs.switch, Cost::Constant(Duration::from_micros(2)));
    assert_eq!(
        costs.schedule,
        Cost::Samples(vec![Duration::from_nanos(400), Duration::from_nanos(600)])
    );
    assert_eq!(
        costs.migration,
        Cost::Linear(vec![
            (1, Duration::from_micros(1)),
            (20, Duration::from_micros(5))
        ])
    );
    assert_eq!(set.clusters[1].name, "slow");
    assert_eq!(set.clusters[1].cpus, CpuSet::from_bits(0b1100));
    assert_eq!(
        (set.clusters[0].policy, set.clusters[1].policy),
        (Some(Policy::Edf), None)
    );
    let workload = set.workload;
    assert_eq!(workload.locks[0].protocol, Protocol::MrsP);
    assert_eq!(workload.locks[1].protocol, Protocol::Inheritance);
    let ceilings = [("fast".to_owned(), 3), ("slow".to_owned(), 5)];
    assert_eq!(workload.locks[0].ceilings, ceilings);
    let sensor = &workload.tasks[0];
    let arrival = Arrival::Periodic {
        period: ms(10),
        offset: ms(1),
        jitter: Duration::from_nanos(250_500),
    };
    assert_eq!(sensor.arrival, arrival);
    assert_eq!((sensor.deadline, sensor.priority), (Some(ms(8)), Some(3)));
    assert_eq!(sensor.affinity, Some(CpuSet::from_bits(0b10)));
    assert_eq!(sensor.cluster.as_deref(), Some("fast"));
    let budget = Budget {
        runtime: ms(2),
        period: ms(10),
        hard: true,
    };
    assert_eq!((sensor.budget, sensor.late), (Some(budget), Late::Abort));
    let body = [
        Step::Run(Execution::Fixed(ms(1))),
        Step::Lock(LockId(0)),
        Step::Run(Execution::Uniform {
            min: ms(1),
            max: ms(2),
        }),
        Step::Unlock(LockId(0)),
        Step::Suspend(Execution::Fixed(ms(1))),
        Step::Until(Duration::from_micros(7500)),
        Step::Call {
            server: ServerId(0),
            service: Execution::Samples(vec![ms(3), ms(4)]),
        },
    ];
    assert_eq!(sensor.body, body);
    let sporadic = Arrival::Sporadic {
        min_separation: ms(5),
        max_separation: ms(20),
        offset: Duration::ZERO,
    };
    assert_eq!(workload.tasks[1].arrival, sporadic);
    assert!(
        matches!(workload.tasks[2].arrival, Arrival::Once { at } if at.as_nanos() == 3_000_000)
    );
    assert!(workload.pools[0].xen45);
    let VcpuPolicy::Arinc653 { frame, windows } = &workload.pools[0].policy else {
        panic!("{:?}", workload.pools);
    };
    assert_eq!(
        (*frame, windows[0].vcpu, windows[0].runtime),
        (ms(20), 1, ms(10))
    );
    let guest = &workload.partitions[0];
    assert_eq!((guest.weight, guest.cap), (Some(512), Some(50)));
    assert_eq!(guest.vcpus[0].extra_time, Some(true));
    assert_eq!(
        guest.vcpus[0].soft_affinity,
        Some(CpuSet::from_bits(0b10_0000))
    );
    assert_eq!(guest.tasks[0].body[0], Step::Lock(LockId(0)));
}

#[test]
fn what_is_written_is_read_back() {
    let set = parse(WHOLE).unwrap();
    let text = write(&set);
    assert_eq!(parse(&text).unwrap(), set, "{text}");
    assert_eq!(write(&parse(&text).unwrap()), text);
}

const TASK: &str = "[[task]]\nname = 'a'\nperiod = '5 ms'\nexecution = '1 ms'\n";

#[test]
fn mistakes_name_line_key_and_mend() {
    for (text, line, cause, hint) in [
        (
            "[[task]]\nname = 'a'\nperid = '5 ms'\n",
            1,
            "task a has not exactly one of period",
            "period = ",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = '5 ms'\nexecution = '1 ms'\ndeadlin = '3 ms'\n",
            5,
            "task a has no key `deadlin`",
            "did you mean `deadline`?",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = '5 parsecs'\n",
            3,
            "task a: period is wrong: `parsecs` is no unit",
            "100 ms",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = 5\n",
            3,
            "task a: period is a number without a unit",
            "100 ms",
        ),
        (
            "[[task]]\nname = 'a'\nperiod_ms = -5\n",
            3,
            "task a: period_ms is wrong: `-5` is no number",
            "0 or more",
        ),
        (
            "[[task]]\nname = 'a'\nperiod_ms = 1e3\n",
            3,
            "`1e3` is no number",
            "0 or more",
        ),
        (
            "[[task]]\nname = 'a'\nperiod_ms = 5\nperiod = '5 ms'\n",
            3,
            "period_ms is given twice",
            "leave one",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = '0 ms'\n",
            1,
            "task a: period is zero",
            "1 ns",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = '99999999999 s'\n",
            3,
            "too long",
            "100 ms",
        ),
        (
            "[[task]]\nperiod = '5 ms'\n",
            1,
            "task number 1 has no `name`",
            "name = ",
        ),
        (
            "[[lock]]\nname = 'a b'\n",
            2,
            "is no name",
            "without blanks",
        ),
        (
            "[[task]]\nname = 'a'\nperiod = '5 ms'\n",
            1,
            "neither execution nor body",
            "execution = ",
        ),
        ("[task]\nname = 'a'\n", 1, "is one table", "[[task]]"),
        ("task = 5\n", 1, "is one table", "[[task]]"),
        (
            "title = 'x'\nsheduler = 'edf'\n",
            2,
            "no key `sheduler`",
            "did you mean `scheduler`?",
        ),
        (
            "scheduler = 'eddf'\n",
            1,
            "scheduler is `eddf`, which is not known",
            "did you mean `edf`?",
        ),
        ("cpus = 65\n", 1, "cpus is 65, out of range", "from 1 to 64"),
        ("cpus = 'four'\n", 1, "cpus is a text", "a whole number"),
        (
            "[costs]\nswtich = '1 us'\n",
            2,
            "no key `swtich`",
            "did you mean `switch`?",
        ),
        (
            "[costs]\nswitch = []\n",
            2,
            "is an empty list",
            "at least one",
        ),
        (
            "[[cluster]]\nname = 'a'\ncpus = '0-1'\n[[cluster]]\nname = 'b'\ncpus = '1-2'\n",
            6,
            "has processors of the cluster a",
            "one cluster",
        ),
        (
            "[[cluster]]\nname = 'a'\ncpus = '0-99'\n",
            3,
            "`99` is no processor",
            "0-3",
        ),
        ("= 5\n", 1, "no TOML", "fix that line"),
        ("", 0, "has no task", "[[task]]"),
    ] {
        let error = parse(text).unwrap_err();
        let shown = error.to_string();
        let place = match line {
            0 => "mine.toml: ".to_owned(),
            line => format!("mine.toml:{line}: "),
        };
        assert!(shown.starts_with(&place), "{text}: {shown}");
        assert!(shown.contains(cause), "{text}: {shown}");
        assert!(error.hint.contains(hint), "{text}: {}", error.hint);
    }
}

#[test]
fn mistakes_in_tasks_that_are_otherwise_good() {
    for (more, line, cause, hint) in [
        (
            "body = ['run 1 ms']\n",
            5,
            "is given beside an execution",
            "leave one",
        ),
        (
            "priority = -1\n",
            5,
            "priority is -1, out of range",
            "from 0 to",
        ),
        ("affinity = []\n", 5, "names no processor", "0-3"),
        (
            "late = 'never'\n",
            5,
            "late is `never`",
            "queue, abort, skip",
        ),
        ("budget = '1 ms'\n", 5, "is no table", "runtime"),
        (
            "budget = { runtime = '2 ms', period = '1 ms' }\n",
            5,
            "more runtime than its period",
            "at most",
        ),
        (TASK, 5, "two tasks are called a", "its own name"),
        (
            "cluster = \"fats\"\n[[cluster]]\nname = 'fast'\ncpus = 0\n",
            5,
            "there is no cluster `fats`",
            "did you mean `fast`?",
        ),
    ] {
        let error = parse(&format!("{TASK}{more}")).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.starts_with(&format!("mine.toml:{line}: ")),
            "{more}: {shown}"
        );
        assert!(shown.contains(cause), "{more}: {shown}");
        assert!(error.hint.contains(hint), "{more}: {}", error.hint);
    }
}

#[test]
fn mistakes_in_bodies_name_the_step() {
    let head = "[[lock]]\nname = 'bus'\n[[lock]]\nname = 'log'\n[[server]]\nname = 'disk'\n[[task]]\nname = 'a'\nperiod = '5 ms'\nbody = [\n";
    for (steps, line, cause) in [
        ("'rum 1 ms',\n", 11, "did you mean `run`?"),
        ("'fly',\n", 11, "`fly` is no step"),
        ("'run 1 ms',\n'lock bsu',\n", 12, "did you mean `bus`?"),
        ("'lock tty',\n", 11, "declare it: [[lock]]"),
        (
            "'run 1 ms',\n'unlock bus',\n",
            12,
            "the lock bus is not held",
        ),
        ("'lock bus',\n'lock bus',\n", 12, "held already"),
        (
            "'lock bus',\n'lock log',\n'run 1 ms',\n'unlock bus',\n",
            14,
            "the lock log must be given back first",
        ),
        (
            "'lock bus',\n'run 1 ms',\n",
            10,
            "ends with the lock bus held",
        ),
        ("'suspend 1 ms',\n", 10, "never runs"),
        ("'call disc 1 ms',\n", 11, "did you mean `disk`?"),
        ("'call disk',\n", 11, "no time"),
        ("'run 3 ms..1 ms',\n", 11, "reversed"),
        ("5,\n", 11, "is a whole number"),
    ] {
        let error = parse(&format!("{head}{steps}]\n")).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.starts_with(&format!("mine.toml:{line}: ")),
            "{steps}: {shown}"
        );
        assert!(shown.contains(cause), "{steps}: {shown}");
    }
}

#[test]
fn costs_are_a_file_of_their_own_too() {
    let bare = parse_costs("switch = '2 us'\n", "costs.toml").unwrap();
    let inside = parse_costs("[costs]\nswitch = '2 us'\n", "costs.toml").unwrap();
    assert_eq!(bare, inside);
    assert_eq!(bare.switch, Cost::Constant(Duration::from_micros(2)));
    let error = parse_costs("switch = '2 us'\nipi = 3\n", "costs.toml").unwrap_err();
    assert!(error.to_string().starts_with("costs.toml:2: "), "{error}");
    let error = parse_costs("migration = { one = '2 us' }\n", "costs.toml").unwrap_err();
    assert!(error.to_string().contains("no number of tasks"), "{error}");
}

#[test]
fn the_form_is_known_by_ending_or_content() {
    assert_eq!(Form::of("a.toml", "{"), Form::Taktos);
    assert_eq!(Form::of("a.JSON", ""), Form::RtApp);
    assert_eq!(Form::of("a.xml", ""), Form::SimSo);
    assert_eq!(Form::of("a", " {"), Form::RtApp);
    assert_eq!(Form::of("-", "\u{feff}<simulation>"), Form::SimSo);
    assert_eq!(Form::of("a.txt", "[[task]]"), Form::Taktos);
}
