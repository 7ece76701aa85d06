//! Every scenario script of the project holds.

use std::fs;
use std::path::{Path, PathBuf};

use taktos_simulate::scenario::{
    Failed, Options, Report, ScenarioError, SystemWorld, World, parse, run_in,
};

/// The scripts, in the order of their names.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/scenarios");
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "scenario"));
    found.sort();
    found
}

/// Runs all scripts in the world: each case and policy by itself, so that one failure hides no
/// other.
fn all_hold(world: &impl World) -> Report {
    let mut failures = Vec::new();
    let mut all = Report::default();
    for path in scripts() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let script = match parse(&fs::read_to_string(&path).unwrap(), &name) {
            Ok(script) => script,
            Err(fault) => {
                failures.push(format!("{fault}\nhint: {}", fault.hint));
                continue;
            }
        };
        for case in &script.cases {
            let each = case.policies.iter().map(|policy| vec![*policy]);
            let mut runs: Vec<_> = each.collect();
            if runs.is_empty() {
                runs.push(Vec::new());
            }
            for policies in runs {
                let options = Options {
                    case: Some(case.name.clone()),
                    policies,
                };
                let run = || run_in(world, &script, &options);
                match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                    Ok(Ok(report)) => all += report,
                    Ok(Err(error)) => failures.push(error.to_string()),
                    Err(_) => failures.push(format!("{name}: panic in {options:?}")),
                }
            }
        }
    }
    println!("{all}");
    assert!(
        failures.is_empty(),
        "{}\n{} failures",
        failures.join("\n\n"),
        failures.len()
    );
    all
}

#[test]
fn every_scenario_holds_under_each_of_its_policies() {
    all_hold(&SystemWorld);
}

/// The failure of a script over the library.
fn failed(text: &str) -> Failed {
    let script = parse(text, "a.scenario").unwrap();
    match run_in(&SystemWorld, &script, &Options::default()) {
        Err(ScenarioError::Failed(failed)) => *failed,
        other => panic!("{other:?}"),
    }
}

const HEAD: &str = "processors 2\npolicies edf\ncase one: a title\nthread A priority 1 started\n";

#[test]
fn a_line_that_does_not_hold_says_what_was_expected_and_found() {
    for (line, expected, found) in [
        ("expect 0: idle, 1: A", "0: idle, 1: A", "0: A, 1: idle"),
        ("expect ready: A", "A", "none"),
        ("expect scheduled: idle A", "idle A", "A idle"),
        (
            "expect blocked: A",
            "A is blocked",
            "A is ready, executes on 0, is heir on 0",
        ),
        ("expect priority A: 2", "2", "1"),
        ("expect affinity A: 1", "1", "all"),
        ("expect cpus all: 0", "0", "0-1"),
        ("expect time A: 1ms", "1ms", "0s"),
        ("expect outcome A: granted", "granted", "none"),
        ("wake A\nstart A", "done", "refused: incorrect-state"),
        (
            "refused not-owner: start A",
            "refused: not-owner",
            "refused: incorrect-state",
        ),
        ("refused not-owner: yield A", "refused: not-owner", "done"),
    ] {
        let failed = failed(&format!("{HEAD}{line}\n"));
        assert_eq!(
            (&*failed.expected, &*failed.found),
            (expected, found),
            "{line}"
        );
        assert_eq!(failed.line, 4 + line.lines().count());
        let said = failed.to_string();
        let head = format!("a.scenario:{}: `", failed.line);
        assert!(
            said.starts_with(&head) && said.contains("in case one under edf"),
            "{said}"
        );
        assert!(
            said.contains("processor 0: A\n  processor 1: idle"),
            "{said}"
        );
    }
}

#[test]
fn locks_are_asked_for_by_threads_that_execute() {
    let lines = "thread B priority 2\nmutex M plain by A\nlock M by B";
    let failed = failed(&format!("{HEAD}{lines}\n"));
    assert!(failed.found.contains("executes nowhere"), "{failed}");
}

#[test]
fn every_order_is_run_and_the_one_that_fails_is_named() {
    let together = "together\nblock A\nwake A\nand\npriority A 3\nend\n";
    let script = parse(
        &format!("{HEAD}{together}expect running: A\n"),
        "a.scenario",
    )
    .unwrap();
    let report = run_in(&SystemWorld, &script, &Options::default()).unwrap();
    assert_eq!((report.orders, report.commands), (3, 15));
    // Only when A's priority changes last is it after B.
    let lines = "thread B priority 3\ntogether\npriority A 3\nand\nstart B\nend\nexpect 0: A\n";
    let failed = failed(&format!("{HEAD}{lines}").replace("processors 2", "processors 1"));
    assert_eq!(failed.order, "start B; priority A 3");
}

#[test]
fn a_round_is_named() {
    let failed = failed(&format!(
        "{HEAD}repeat 3\nadvance 1ms\nexpect time A: 1ms\nend\n"
    ));
    assert_eq!((failed.round, &*failed.found), (2, "2ms"));
    assert!(
        failed.to_string().contains("under edf, round 2"),
        "{failed}"
    );
}

#[test]
fn options_that_leave_nothing_are_an_error() {
    let script = parse(HEAD, "a.scenario").unwrap();
    let options = Options {
        case: Some("two".to_owned()),
        ..Options::default()
    };
    let error = run_in(&SystemWorld, &script, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.scenario: nothing of it is run with case two"
    );
    assert_eq!(error.hint().unwrap(), "the file has case one (edf)");
}
