//! Every scenario script of the project holds.

use std::fs;
use std::path::{Path, PathBuf};

use taktos_simulate::scenario::{Options, Report, SystemWorld, parse, run_in};

/// The scripts, in the order of their names.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/scenarios");
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "scenario"));
    found.sort();
    found
}

#[test]
fn every_scenario_holds_under_each_of_its_policies() {
    let mut failures = Vec::new();
    let mut all = Report::default();
    for path in scripts() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let script = match parse(&fs::read_to_string(&path).unwrap(), &name) {
            Ok(script) => script,
            Err(fault) => {
                failures.push(format!("{fault}\n mend: {}", fault.mend));
                continue;
            }
        };
        // Each case and policy by itself, so that one failure hides no other.
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
                let ran = std::panic::catch_unwind(|| run_in(&SystemWorld, &script, &options));
                match ran {
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
}
