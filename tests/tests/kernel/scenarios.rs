//! The scenario scripts on the kernel: the same allocation as in the library, on as many simulated
//! processors.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taktos_simulate::scenario::{
    Action, Options, Report, ScenarioError, Script, Step, parse, policy_name, run,
};
use taktos_tests::scenario::{KernelWorld, NO_KERNEL, coarse};

/// The scripts, in the order of their names.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/scenarios");
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "scenario"));
    found.sort();
    found
}

/// The kernel has fewer errors than the library has statuses.
fn make_coarse(steps: &mut [Step]) {
    for step in steps {
        match &mut step.action {
            Action::Refused(status, _) => *status = coarse(*status),
            Action::Repeat(_, steps) => make_coarse(steps),
            Action::Together(lists) => lists.iter_mut().for_each(|list| make_coarse(list)),
            _ => {}
        }
    }
}

fn read(path: &Path) -> Script {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut script = parse(&fs::read_to_string(path).unwrap(), &name).unwrap();
    for case in &mut script.cases {
        make_coarse(&mut case.steps);
    }
    script
}

#[derive(Default)]
struct Found {
    all: Report,
    failures: Vec<String>,
    /// Requests that no kernel can carry out, and in how many runs.
    beyond: BTreeMap<String, usize>,
}

impl Found {
    fn run(&mut self, script: &Script, options: &Options, seed: u64) {
        let ran = std::panic::catch_unwind(|| run(&KernelWorld { seed }, script, options));
        match ran {
            Ok(Ok(report)) => self.all += report,
            Ok(Err(ScenarioError::Failed(failed))) if failed.found.starts_with(NO_KERNEL) => {
                *self.beyond.entry(failed.found).or_default() += 1;
            }
            Ok(Err(ScenarioError::Failed(failed))) if failed.found == "refused: unsupported" => {
                *self
                    .beyond
                    .entry("processors are absent, or too many".to_owned())
                    .or_default() += 1;
            }
            Ok(Err(ScenarioError::Failed(failed))) => {
                let last = failed.trail.last();
                self.failures
                    .push(format!("{failed}\n seed {seed}, last command {last:?}"));
            }
            Ok(Err(error)) => self.failures.push(format!("{error}\n seed {seed}")),
            Err(_) => self.failures.push(format!(
                "{}: panic in {options:?}, seed {seed}",
                script.file
            )),
        }
    }
}

/// Requests that no kernel can carry out, and in how many runs of a script under a policy at most:
/// so that nothing is left out unseen.
const BEYOND: [(&str, usize); 7] = [
    ("no kernel can: a processor that acts is not held", 18),
    (
        "no kernel can: a thread that does not execute does nothing",
        25,
    ),
    ("no kernel can: there are no hard servers", 1),
    ("no kernel can: there is no such call", 1),
    ("no kernel can: there is no such priority", 2),
    ("no kernel can: who makes a call gives way in it", 24),
    ("processors are absent, or too many", 24),
];

/// Runs all cases of the scripts with places of this parity: there are two processors to run them.
fn hold(parity: usize) {
    let mut found = Found::default();
    let half = scripts().into_iter().enumerate();
    for (_, path) in half.filter(|(place, _)| place % 2 == parity) {
        let script = read(&path);
        for case in &script.cases {
            let mut runs: Vec<_> = case.policies.iter().map(|policy| vec![*policy]).collect();
            if runs.is_empty() {
                runs.push(Vec::new());
            }
            for policies in runs {
                let named = policies.first().map(|policy| policy_name(*policy));
                let options = Options {
                    case: Some(case.name.clone()),
                    policies,
                };
                let seed = case.line as u64 + named.map_or(0, str::len) as u64;
                found.run(&script, &options, seed);
            }
        }
    }
    println!("{}\nbeyond a kernel: {:#?}", found.all, found.beyond);
    assert!(
        found.failures.is_empty(),
        "{}\n{} failures",
        found.failures.join("\n\n"),
        found.failures.len()
    );
    assert!(found.all.runs > 200, "{}", found.all);
    for (what, runs) in &found.beyond {
        let known = BEYOND.iter().find(|(known, _)| known == what);
        let most = known.map_or(0, |(_, most)| *most);
        assert!(*runs <= most, "{what}: {runs} runs, not {most}");
    }
}

#[test]
fn the_scripts_hold_on_the_kernel_the_even_ones() {
    hold(0);
}

#[test]
fn the_scripts_hold_on_the_kernel_the_odd_ones() {
    hold(1);
}
