//! The simulator as a person uses it: task sets, scenarios, generated sets.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{Folder, fail, printed, refuse, root, said, succeed, taktos};
use serde_json::Value;

const POLICIES: [&str; 6] = [
    "simple",
    "priority",
    "edf",
    "priority-affinity",
    "strong-affinity",
    "cbs",
];

/// Simulates into the folder.
fn sim(folder: &Folder, line: &str) -> std::process::Command {
    let mut command = taktos(&format!("sim {line} --out"));
    command.arg(folder.0.join("out"));
    command
}

fn json(folder: &Folder, line: &str) -> Value {
    read(&mut sim(folder, &format!("{line} --format json")))
}

/// The data that it prints.
fn read(command: &mut std::process::Command) -> Value {
    serde_json::from_str(&succeed(command)).unwrap()
}

/// Checks that a simulation is refused with one line that names the cause, and one with the hint.
fn refuse_sim(folder: &Folder, line: &str, cause: &str, hint: &str) {
    fail(&mut sim(folder, line), 2, cause, hint);
}

/// Every file below the folder, with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_seven_tasks_are_shown_under_each_policy() {
    for (cpus, words) in [("1", "1 processor,"), ("4", "4 processors,")] {
        let folder = Folder::new(&format!("sim-onboard-{cpus}"));
        let shown = succeed(&mut sim(
            &folder,
            &format!("experiments/onboard.toml --cpus {cpus}"),
        ));
        assert!(shown.contains(words), "{shown}");
        for policy in POLICIES {
            assert!(
                shown.contains(&format!("Tasks under {policy}\n")),
                "{policy}"
            );
            assert!(
                folder
                    .0
                    .join(format!("out/trace/{policy}.pftrace"))
                    .is_file()
            );
        }
        assert!(shown.contains("simulated") && shown.contains("report.html"));
        let report = fs::read_to_string(folder.0.join("out/report.html")).unwrap();
        assert!(report.contains("The first hyperperiod under edf"));
    }
}

#[test]
fn the_json_has_the_promised_shape() {
    let folder = Folder::new("sim-json");
    let one = "experiments/onboard.toml --scheduler edf --cpus 1";
    let figures = json(&folder, one);
    let jobs = [
        ("T1", 40),
        ("T2", 40),
        ("T3", 200),
        ("T4", 50),
        ("T5", 200),
        ("T6", 20),
        ("T7", 20),
    ];
    let tasks = figures["tasks"].as_object().unwrap();
    assert_eq!(tasks.len(), jobs.len());
    for (name, count) in jobs {
        let task = &tasks[name];
        assert_eq!(task["jobs"], count, "{name}");
        assert_eq!(task["missed"], 0, "{name}");
        for key in ["min", "mean", "max"] {
            assert!(
                task["response"][key].as_u64().unwrap() >= 12_000_000,
                "{name}"
            );
        }
        assert!(
            task["preemptions"].is_u64() && task["migrations"] == 0,
            "{name}"
        );
    }
    // The load is 0.84 of 20 s, and nothing costs anything.
    let cpu = &figures["cpus"][0];
    assert_eq!(cpu["busy"], 16_800_000_000_u64);
    assert_eq!(
        (&cpu["overhead"], &cpu["idle"]),
        (&Value::from(0), &Value::from(3_200_000_000_u64))
    );
    // More processors never make these tasks slower, and T7 a lot quicker.
    let four = "experiments/onboard.toml --scheduler edf --cpus 4";
    let more = json(&folder, four);
    assert_eq!(more["cpus"].as_array().unwrap().len(), 4);
    let worst = |figures: &Value, name: &str| figures["tasks"][name]["response"]["max"].as_u64();
    for (name, _) in jobs {
        assert!(worst(&more, name) <= worst(&figures, name), "{name}");
    }
    assert!(worst(&more, "T7").unwrap() * 3 < worst(&figures, "T7").unwrap());
    let all = json(&folder, "experiments/onboard.toml");
    let names: Vec<&String> = all["schedulers"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), POLICIES.len());
    assert_eq!(all["schedulers"]["edf"]["tasks"], figures["tasks"]);
}

/// Everything random, and every cost: what may differ from run to run does.
const RANDOM: &str = r#"
title = "Draws"
cpus = 2
for = "2 s"
[costs]
release = ["1 us", "3 us", "9 us"]
switch = "2 us"
ipi = "1 us"
migration = { 1 = "1 us", 9 = "5 us" }
[[lock]]
name = "bus"
[[task]]
name = "a"
period = "10 ms"
jitter = "2 ms"
body = ["run 1 ms..3 ms", "lock bus", "run 1 ms", "unlock bus"]
[[task]]
name = "b"
separation = "7 ms..13 ms"
execution = "1 ms | 4 ms"
[[task]]
name = "c"
period = "20 ms"
body = ["lock bus", "run 2 ms", "unlock bus", "suspend 1 ms..2 ms", "run 1 ms"]
"#;

#[test]
fn any_number_of_workers_gives_the_same_bytes() {
    let folder = Folder::new("sim-workers");
    let file = folder.file("random.toml", RANDOM);
    let mut seen = Vec::new();
    for workers in ["1", "2", "5"] {
        let arguments = format!("{} --replications 12 --jobs {workers}", file.display());
        let shown = succeed(&mut sim(&folder, &arguments));
        seen.push((shown, files(&folder.0.join("out"))));
    }
    assert!(seen[0].1.len() > 20);
    assert!(seen[1] == seen[0] && seen[2] == seen[0]);
    let seeded = |seed: u64| {
        let line = format!("{} --seed {seed} --scheduler edf", file.display());
        json(&folder, &line)["tasks"].clone()
    };
    assert_ne!(seeded(1), seeded(2));
}

/// Dhall's effect: one task nearly as long as its period, two short ones.
const DHALL: &str = r#"
cpus = 2
for = "10 s"
[[task]]
name = "short-1"
period = "10 ms"
execution = "2 ms"
[[task]]
name = "short-2"
period = "10 ms"
execution = "2 ms"
[[task]]
name = "long"
period = "11 ms"
execution = "10 ms"
priority = 0
"#;

#[test]
fn a_missed_deadline_is_a_result_unless_it_is_to_fail() {
    let folder = Folder::new("sim-miss");
    let file = folder.file("dhall.toml", DHALL);
    let file = file.to_str().unwrap();
    let figures = json(&folder, &format!("{file} --scheduler edf"));
    assert!(figures["tasks"]["long"]["missed"].as_u64().unwrap() > 0);
    assert_eq!(figures["tasks"]["long"]["response"]["max"], 12_000_000);
    let output = sim(&folder, &format!("{file} --scheduler edf --fail-on-miss"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("deadlines were missed"),
        "{}",
        said(&output)
    );
    assert!(
        printed(&output).contains("Tasks under edf"),
        "the table comes all the same"
    );
    let three = format!("{file} --scheduler edf --cpus 3 --fail-on-miss");
    succeed(&mut sim(&folder, &three));
}

/// Under rate-monotonic priorities the second misses its deadlines: 50 of 50, 7 ms by SimSo 0.8.5.
const TWO: &str = "for = '1 s'\n[[task]]\nname = 'short-period'\nperiod = '10 ms'\nexecution = '4 ms'\n\
                   [[task]]\nname = 'short-deadline'\nperiod = '20 ms'\ndeadline = '5 ms'\nexecution = '3 ms'\n";

#[test]
fn rules_for_priorities_go_by_what_they_are_called_for() {
    let folder = Folder::new("sim-rules");
    let file = folder.file("two.toml", TWO);
    for (rule, missed, longest) in [("rm", 50, 7_000_000), ("dm", 0, 3_000_000)] {
        let figures = json(&folder, &format!("{} --scheduler {rule}", file.display()));
        assert_eq!(figures["scheduler"], rule);
        let late = &figures["tasks"]["short-deadline"];
        assert_eq!(late["missed"], missed, "{rule}");
        assert_eq!(late["response"]["max"], longest, "{rule}");
    }
    let without = format!("{} --scheduler fp", file.display());
    refuse_sim(
        &folder,
        &without,
        "it has no priority, by which fp",
        "--scheduler",
    );
    let given = TWO.replace("name = 'short-", "priority = 3\nname = 'short-");
    let given = folder.file("given.toml", &given);
    json(&folder, &format!("{} --scheduler fp", given.display()));
    let once = TWO.replace("period = '20 ms'", "once = '0 ms'");
    let once = folder.file("once.toml", &once);
    let by_period = format!("{} --scheduler rm", once.display());
    refuse_sim(
        &folder,
        &by_period,
        "it has no period, by which rm",
        "--scheduler",
    );
    for scripts in ["--storm", "--scenario experiments/scenarios/smp01.scenario"] {
        let mut command = taktos(&format!("sim {scripts} --scheduler rm"));
        fail(
            &mut command,
            2,
            "rm gives the tasks of a set",
            "--scheduler priority",
        );
    }
}

#[test]
fn what_was_not_seen_is_told() {
    let folder = Folder::new("sim-unseen");
    let file = folder.file("two.toml", TWO);
    let shown = succeed(&mut sim(
        &folder,
        &format!("{} --scheduler rm --for 15ms", file.display()),
    ));
    assert!(
        shown.contains("15 ms were simulated") && shown.contains("after 20 ms"),
        "{shown}"
    );
    let shown = succeed(&mut sim(
        &folder,
        &format!("{} --scheduler rm", file.display()),
    ));
    assert!(!shown.contains("were simulated"), "{shown}");
}

#[test]
fn guests_that_never_run_are_told() {
    let folder = Folder::new("sim-null");
    let guest = |name: &str| {
        format!(
            "[[partition]]\nname = '{name}'\npool = 'p'\nscheduler = 'priority'\n[[partition.task]]\nname = 't'\nperiod = '10 ms'\nexecution = '1 ms'\n"
        )
    };
    let text = |cpus: &str| {
        format!(
            "for = '1 s'\n[[pool]]\nname = 'p'\ncpus = '{cpus}'\npolicy = 'null'\n{}{}",
            guest("a"),
            guest("b")
        )
    };
    let words = "VCPU 0 of b never runs";
    for (cpus, waits) in [("0", true), ("0-1", false)] {
        let file = folder.file("null.toml", &text(cpus));
        let output = sim(&folder, &file.display().to_string()).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(said(&output).contains(words), waits, "{}", said(&output));
        assert_eq!(
            printed(&output).contains(words),
            waits,
            "{}",
            printed(&output)
        );
    }
}

#[test]
fn clusters_have_policies_of_their_own() {
    let folder = Folder::new("sim-clusters");
    let text = DHALL.replace("priority = 0", "cluster = \"long\"");
    let file = folder.file(
        "partitioned.toml",
        &text.replace("short-2\"", "short-2\"\ncluster = \"short\""),
    );
    let text = fs::read_to_string(&file)
        .unwrap()
        .replace("short-1\"", "short-1\"\ncluster = \"short\"");
    fs::write(&file, text).unwrap();
    let clusters = "--clusters short=priority:0,long=edf:1 --fail-on-miss";
    let figures = json(&folder, &format!("{} {clusters}", file.display()));
    assert_eq!(figures["scheduler"], "clusters");
    assert_eq!(figures["tasks"]["long"]["response"]["max"], 10_000_000);
    let manifest = fs::read_to_string(folder.0.join("out/manifest.json")).unwrap();
    assert!(
        manifest.contains("short=priority:0") && manifest.contains("long=edf:1"),
        "{manifest}"
    );
    let unknown = format!(
        "{} --clusters short=0,lang=1 --scheduler edf",
        file.display()
    );
    refuse_sim(
        &folder,
        &unknown,
        "is in cluster `long`, which there is not",
        "--clusters",
    );
}

#[test]
fn a_trace_is_of_the_whole_run_when_asked_for() {
    let folder = Folder::new("sim-trace");
    let edf = "experiments/onboard.toml --scheduler edf --for 100s";
    succeed(&mut sim(&folder, edf));
    let manifest = || fs::read_to_string(folder.0.join("out/manifest.json")).unwrap();
    assert!(
        manifest().contains("which is the first part"),
        "{}",
        manifest()
    );
    let copy = folder.0.join("mine.pftrace");
    succeed(&mut sim(
        &folder,
        &format!("{edf} --trace {}", copy.display()),
    ));
    assert!(manifest().contains("which is whole"), "{}", manifest());
    let trace = fs::read(&copy).unwrap();
    assert_eq!(fs::read(folder.0.join("out/trace.pftrace")).unwrap(), trace);
    let holds = |words: &str| {
        trace
            .windows(words.len())
            .any(|part| part == words.as_bytes())
    };
    for words in ["T3 #999", "▲ release", "▼ deadline", "preemptions"] {
        assert!(holds(words), "{words}");
    }
    // None was missed, and no track is empty.
    assert!(!holds("misses"));
    let recording = folder.0.join("out/trace.schedule");
    let mut command = taktos(&format!("trace {} --out", recording.display()));
    let shown = succeed(command.arg(folder.0.join("again")));
    assert!(
        shown.contains("T7") && shown.contains("simulated"),
        "{shown}"
    );
    let arguments = format!("experiments/onboard.toml --trace {}", copy.display());
    refuse_sim(&folder, &arguments, "several policies", "--scheduler");
}

#[test]
fn other_tools_files_are_read() {
    let folder = Folder::new("sim-import");
    let tests = root().join("lab/simulate/src/import/tests");
    let rtapp = tests.join("mutex.json");
    let figures = json(
        &folder,
        &format!("{} --scheduler priority --cpus 2", rtapp.display()),
    );
    assert_eq!(figures["tasks"]["control"]["missed"], 0);
    assert_eq!(figures["tasks"]["control"]["jobs"], 600);
    let simso = tests.join("mixed.xml");
    let output = sim(&folder, &format!("{} --format json", simso.display()))
        .output()
        .unwrap();
    assert!(said(&output).contains("warning: "), "{}", said(&output));
    let figures: Value = serde_json::from_str(&printed(&output)).unwrap();
    assert_eq!(figures["scheduler"], "edf");
    assert_eq!(figures["tasks"]["T2.1"]["jobs"], 1);
}

#[test]
fn scenarios_hold_or_say_what_was_found() {
    let folder = Folder::new("sim-scenario");
    let good = root().join("experiments/scenarios/smp01.scenario");
    let shown = succeed(&mut taktos(&format!("sim --scenario {}", good.display())));
    assert!(shown.contains("yes"), "{shown}");
    let text = fs::read_to_string(&good).unwrap();
    let line = "expect scheduled: A B C D";
    let number = text.lines().position(|other| other == line).unwrap();
    let text = text.replacen(line, "expect scheduled: A B D C", 1);
    let wrong = folder.file("wrong.scenario", &text);
    let mut command = taktos(&format!("sim --scenario {}", good.display()));
    let output = command.arg(&wrong).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for words in [
        format!("wrong.scenario:{}: ", number + 1),
        "expected: ".into(),
        "found: ".into(),
        "1 of 2 scenarios did not hold".into(),
    ] {
        assert!(said(&output).contains(&words), "{words}: {}", said(&output));
    }
    let broken = folder.file("broken.scenario", "case x\nflies away\n");
    refuse(
        &format!("sim --scenario {}", broken.display()),
        "broken.scenario:",
        "",
    );
    refuse(
        "sim --scenario nowhere.scenario",
        "cannot read the scenario nowhere.scenario",
        "smp01.scenario",
    );
}

#[test]
fn guests_run_on_their_servers() {
    let folder = Folder::new("sim-guests");
    let guests = "experiments/guests.toml";
    let shown = succeed(&mut sim(&folder, guests));
    for words in [
        "Tasks of control under priority",
        "Virtual processors",
        "rtds",
        "2 partitions on 1 processor,",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let report = fs::read_to_string(folder.0.join("out/report.html")).unwrap();
    assert!(report.contains("control/vcpu0") && report.contains("Guest busy"));
    let trace = fs::read(folder.0.join("out/trace.pftrace")).unwrap();
    for words in ["control/vcpu0", "control/loop #1", "busy/vcpu0"] {
        assert!(
            trace
                .windows(words.len())
                .any(|part| part == words.as_bytes()),
            "{words}"
        );
    }
    let figures = json(&folder, guests);
    let control = &figures["partitions"]["control"];
    assert_eq!(control["tasks"]["loop"]["missed"], 0);
    assert_eq!(control["tasks"]["loop"]["jobs"], 500);
    let cpu = &figures["cpus"][0];
    let part = |key: &str| cpu[key].as_u64().unwrap();
    assert_eq!(
        part("busy") + part("overhead") + part("idle"),
        10_000_000_000
    );
    assert!(part("overhead") > 0);
    let first = files(&folder.0.join("out"));
    json(&folder, guests);
    assert_eq!(first, files(&folder.0.join("out")));
    for option in ["--scheduler edf", "--cpus 2", "--replications 2"] {
        let line = format!("{guests} {option}");
        refuse_sim(&folder, &line, "no meaning for partitions", "leave it out");
    }
    let text = fs::read_to_string(root().join(guests)).unwrap();
    let mixed = format!("{text}\n[[task]]\nname = 'a'\nperiod = '5 ms'\nexecution = '1 ms'\n");
    let file = folder.file("mixed.toml", &mixed);
    refuse_sim(
        &folder,
        &file.display().to_string(),
        "tasks beside its partitions",
        "file of their own",
    );
    let file = folder.file(
        "pool.toml",
        &text.replace("pool      = \"shared\"", "pool = \"shred\""),
    );
    refuse_sim(
        &folder,
        &file.display().to_string(),
        "pool is `shred`, which is no pool",
        "`shared`",
    );
}

#[test]
fn storms_hold_every_law_and_are_made_again() {
    let storm = "sim --storm --seed 5 --events 300 --cpus 4";
    let shown = succeed(&mut taktos(storm));
    for policy in POLICIES {
        assert!(shown.contains(policy), "{policy}: {shown}");
    }
    assert_eq!(shown.matches("yes").count(), POLICIES.len(), "{shown}");
    assert_eq!(shown, succeed(&mut taktos(storm)));
    let clusters = "--clusters edf:0-1,priority:2-3 --replications 3 --format json";
    let line = format!("sim --storm --seed 5 --events 300 {clusters}");
    let storms = read(&mut taktos(&line));
    let storms = storms.as_array().unwrap();
    assert_eq!(storms.len(), 3);
    for (storm, seed) in storms.iter().zip(5..) {
        assert_eq!(
            (&storm["held"], &storm["seed"]),
            (&Value::from(true), &Value::from(seed))
        );
        assert_eq!(
            (&storm["events"], &storm["policies"]),
            (&Value::from(300), &Value::from("edf, priority"))
        );
    }
    assert_ne!(storms[0]["refused"], storms[1]["refused"]);
}

#[test]
fn generated_sets_run_and_are_made_again() {
    let folder = Folder::new("generate");
    let options = "generate --tasks 8 --utilisation 1.5 --seed 9 --deadlines 0.5..1";
    let set = succeed(&mut taktos(options));
    assert_eq!(set, succeed(&mut taktos(options)));
    let file = folder.file("set.toml", &set);
    let line = format!("{} --cpus 2 --scheduler edf", file.display());
    let figures = json(&folder, &line);
    assert_eq!(figures["tasks"].as_object().unwrap().len(), 8);
    // Set 2 of three is the set of index 2.
    let mut command = taktos("generate --sets 3 --format csv --out");
    succeed(command.arg(folder.0.join("sets")));
    let third = fs::read_to_string(folder.0.join("sets/set-000002.csv")).unwrap();
    let alone = succeed(&mut taktos("generate --index 2 --format csv"));
    assert_eq!(third, alone);
    for method in ["uunifast", "uunifast-discard", "randfixedsum", "drs"] {
        for periods in [
            "uniform",
            "log-uniform",
            "harmonic",
            "limited",
            "automotive",
        ] {
            let arguments = format!("generate --method {method} --periods {periods} --format json");
            let set = read(&mut taktos(&arguments));
            let sum = set["utilisation"].as_f64().unwrap();
            assert!((sum - 1.0).abs() < 1e-6, "{method}, {periods}: {sum}");
        }
    }
}

#[test]
fn the_simulators_speed_is_measured() {
    let shown = succeed(&mut taktos("bench --suite simulation --format json"));
    let speed: Value = serde_json::from_str(&shown).unwrap();
    for key in [
        "jobs_per_second",
        "events_per_second",
        "peak_memory_bytes",
        "virtual_seconds",
    ] {
        assert!(speed[key].as_u64().unwrap() > 0, "{shown}");
    }
    assert_eq!(speed["time"], "processor");
    assert!(speed["assertions"].is_boolean(), "{shown}");
    assert_eq!(speed.as_object().unwrap().len(), 7);
    let sizes = speed["sizes"].as_array().unwrap();
    let expected = [(20_u64, 4_u64), (1_000, 64), (10_000, 64)];
    assert_eq!(sizes.len(), expected.len(), "{shown}");
    for (size, (tasks, processors)) in sizes.iter().zip(expected) {
        assert_eq!(
            (&size["tasks"], &size["processors"]),
            (&tasks.into(), &processors.into())
        );
        assert!(size["jobs_per_second"].as_u64().unwrap() > 0, "{shown}");
        // Each task has at least one job in the 100 ms of the first try.
        assert!(size["jobs"].as_u64().unwrap() >= tasks, "{shown}");
    }
    assert_eq!(sizes[0]["jobs_per_second"], speed["jobs_per_second"]);
    let line = "bench --suite simulation --save-baseline";
    refuse(line, "no baseline", "leave these options out");
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let folder = Folder::new("sim-bad");
    let task = "[[task]]\nname = 'a'\nperiod = '5 ms'\nexecution = '1 ms'\n";
    let files = [
        (
            "key.toml",
            format!("{task}dedline = '3 ms'\n"),
            "key.toml:5: task a has no key `dedline`",
            "did you mean `deadline`?",
        ),
        (
            "unit.toml",
            task.replace("5 ms", "5 fortnights"),
            "unit.toml:3: task a: period is wrong: `fortnights`",
            "100 ms",
        ),
        (
            "policy.toml",
            format!("scheduler = 'edv'\n{task}"),
            "policy.toml:1: ",
            "did you mean `edf`?",
        ),
        (
            "empty.toml",
            String::new(),
            "empty.toml: has no task",
            "[[task]]",
        ),
        ("empty.json", String::new(), "empty.json:", "hint"),
        ("empty.xml", String::new(), "empty.xml:1: no XML", "hint"),
        (
            "long.toml",
            format!("for = '30000 min'\n{}", task.replace("5 ms", "1 ns")),
            "that would be",
            "--for",
        ),
        (
            "overload.toml",
            format!("cpus = 100\n{task}"),
            "overload.toml:1: ",
            "1 to 64",
        ),
        (
            "far.toml",
            format!("{task}offset = '99999999999 s'\n"),
            "far.toml:5: ",
            "100 ms",
        ),
        (
            "none.toml",
            format!("{task}affinity = 9\n"),
            "may use no processor",
            "--cpus",
        ),
        (
            "binary.toml",
            "\u{0}\u{1}".into(),
            "binary.toml:1: no TOML",
            "hint",
        ),
    ];
    for (name, text, cause, hint) in files {
        let file = folder.file(name, &text);
        let policy = match name {
            "policy.toml" => "",
            _ => "--scheduler priority",
        };
        refuse_sim(
            &folder,
            &format!("{} {policy}", file.display()),
            cause,
            hint,
        );
        assert!(!folder.0.join("out").exists(), "{name}");
    }
    refuse_sim(
        &folder,
        "nowhere.toml",
        "nowhere.toml: cannot be read",
        "experiments/onboard.toml",
    );
    refuse_sim(
        &folder,
        "docs/api",
        "docs/api has no task set in it",
        "*.toml",
    );
    let costs = folder.file("costs.toml", "swich = '1 us'\n");
    let arguments = format!("experiments/onboard.toml --costs {}", costs.display());
    refuse_sim(
        &folder,
        &arguments,
        "costs.toml:1: the costs has no key `swich`",
        "did you mean `switch`?",
    );
}

#[test]
fn wrong_words_on_the_command_line_are_told() {
    for (line, words) in [
        ("sim a --scheduler eddf", "did you mean `edf`?"),
        ("sim a --cpus 65", "1..=64"),
        ("sim a --clusters 0-1,1", "processor 1 is in two clusters"),
        ("sim a --for 10", "no unit"),
        ("sim a --storm", "cannot be used with"),
        ("generate --method dirichlet", "known are: uunifast"),
        (
            "generate --utilisation -1",
            "-1 behind --utilisation is negative",
        ),
        ("generate --deadlines 1..0.5", "two shares from 0 to 1"),
    ] {
        let output = taktos(line).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(said(&output).contains(words), "{line}: {}", said(&output));
    }
    for (line, cause, hint) in [
        ("sim", "nothing to simulate", "--scenario FILE"),
        (
            "generate --tasks 2 --utilisation 3",
            "sums from 0 to 2, not 3",
            "--utilisation",
        ),
        (
            "generate --tasks 3 --most 1,1",
            "2 bounds for 3 tasks",
            "one for each",
        ),
        ("generate --min-period 200ms", "no period", "--max-period"),
    ] {
        refuse(line, cause, hint);
    }
}

/// Two sets: one that one processor can serve, and one that it cannot.
fn sets(folder: &Folder) {
    fs::create_dir_all(folder.0.join("sets")).unwrap();
    let set = |execution: &str| {
        let task = |name: &str| {
            format!("[[task]]\nname = '{name}'\nperiod = '10 ms'\nexecution = '{execution}'\n")
        };
        format!("for = '1 s'\n{}{}", task("a"), task("b"))
    };
    folder.file("sets/b-heavy.toml", &set("6 ms"));
    folder.file("sets/a-light.toml", &set("2 ms"));
    folder.file("sets/notes.txt", "no task set");
    folder.file("sets/c-experiment.toml", "program = 'ipc'\n");
}

#[test]
fn a_directory_of_sets_and_several_files_are_one_table() {
    let folder = Folder::new("sim-batch");
    sets(&folder);
    let all = folder.0.join("sets").display().to_string();
    let (light, heavy) = (format!("{all}/a-light.toml"), format!("{all}/b-heavy.toml"));
    let of_folder = json(&folder, &all);
    assert_eq!(of_folder, json(&folder, &format!("{light} {heavy}")));
    for policy in POLICIES {
        let sum = &of_folder["policies"][policy];
        assert_eq!(
            (sum["sets"].as_u64(), sum["accepted"].as_u64()),
            (Some(2), Some(1)),
            "{policy}"
        );
        assert_eq!(sum["ratio"], 0.5, "{policy}");
    }
    let (first, second) = (&of_folder["sets"][0], &of_folder["sets"][1]);
    assert_eq!(
        (&first["set"], &second["set"]),
        (&Value::from(light.clone()), &Value::from(heavy))
    );
    assert_eq!(
        (&first["tasks"], &first["utilisation"]),
        (&Value::from(2), &Value::from(0.4))
    );
    // The figures that a set's own run gives.
    let alone = json(&folder, &light);
    let files = files(&folder.0.join("out"));
    assert!(files.contains_key("result.json"), "{:?}", files.keys());
    let again = json(&folder, &all);
    assert_eq!(again, of_folder);
    let kept = fs::read_to_string(folder.0.join("out/sets/000000-a-light.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), alone);
    let shown = succeed(&mut sim(&folder, &all));
    for words in [
        "b-heavy.toml",
        "met",
        "missed",
        "acceptance ratio",
        "0.5000",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let output = sim(&folder, &format!("{all} --fail-on-miss"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("c-experiment.toml is an experiment"),
        "{}",
        said(&output)
    );
    refuse_sim(
        &folder,
        &format!("{light} {light} --trace"),
        "a trace is of one task set",
        "--trace",
    );
}

/// Simulates what is piped in.
fn piped(folder: &Folder, text: &str, line: &str) -> std::process::Output {
    let file = folder.file("input", text);
    let input = fs::File::open(file).unwrap();
    sim(folder, &format!("- {line}"))
        .stdin(input)
        .output()
        .unwrap()
}

#[test]
fn sets_are_generated_into_one_text_that_can_be_simulated() {
    let folder = Folder::new("sim-input");
    let generate = "generate --sets 3 --index 5 --utilisation 0.5 --tasks 4";
    let text = succeed(&mut taktos(generate));
    let output = piped(&folder, &text, "--scheduler edf --format json --for 1s");
    assert!(output.status.success(), "{}", said(&output));
    let figures: Value = serde_json::from_str(&printed(&output)).unwrap();
    assert_eq!(figures["policies"]["edf"]["accepted"], 3, "{figures}");
    assert_eq!(figures["sets"][2]["set"], "standard input, set-000007");
    // These sets are the same as in files.
    let place = folder.0.join("sets").display().to_string();
    succeed(&mut taktos(&format!("{generate} --out {place}")));
    for number in 5..8 {
        let file = fs::read_to_string(format!("{place}/set-{number:06}.toml")).unwrap();
        assert!(
            text.contains(&format!("# ---- set-{number:06}\n{file}")),
            "{number}"
        );
    }
    let sets = read(&mut taktos(&format!("{generate} --format json")));
    assert_eq!(sets.as_array().map(Vec::len), Some(3));
    let lines = succeed(&mut taktos(&format!("{generate} --format csv")));
    assert_eq!(lines.lines().count(), 1 + 3 * 4, "{lines}");
    assert!(lines.starts_with("set,task,"), "{lines}");
    // One set by itself is simulated as a file is; a broken one is named.
    let one = piped(
        &folder,
        "[[task]]\nname='a'\nperiod='5 ms'\nexecution='1 ms'\n",
        "--for 1s",
    );
    assert!(printed(&one).contains("Tasks under edf"), "{}", said(&one));
    let broken = piped(&folder, "[[task]]\nname='a'\nperoid='5 ms'\n", "");
    assert_eq!(broken.status.code(), Some(2));
    assert!(
        said(&broken).contains("standard input:"),
        "{}",
        said(&broken)
    );
}
