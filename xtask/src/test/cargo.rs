//! Owns: the steps that are programs of the tool chain, a command line each, and how what they say
//! is counted. Must never know: what is checked by them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use taktos_cli::command::needs::Need;
use taktos_emulator::{Board, El2};
use taktos_runner::image::{cargo, crate_of, has_budgets, manifest};
use taktos_runner::vm;
use taktos_runner::workspace::Workspace;

use super::changed::HOST_TESTS;
use super::storms::Length;
use super::{BUILDING, Step, Tally, boards, step};
use crate::circles;
use crate::images::programs;
use crate::layering as walls;

/// A step that is one line of cargo: its name, the words, and what it needs.
type Row = (&'static str, &'static str, &'static [Need]);

/// The profile in which the script `taktos` builds the tool.
const TOOL: &str = "tool";

/// Checks of sources before anything runs. They use the profile of the laboratory: what is built
/// once serves the tool and its tests. The lints of the host are those of the code that is compiled
/// for this machine; the boards' programs have lints of their own. Other code for boards alone is
/// checked together, for one board, so that its dependencies are checked once. No line names a
/// package if the name of a target will do: with all packages chosen the features are the same in
/// each line, and no crate is built twice.
const LOOKS: [Row; 2] = [
    (
        "lints of the library for C, and of what is loaded",
        "clippy --quiet --release -p taktos-c -p pump -p pump-demo --features taktos-c/mps2-an386,pump-demo/mps2-an386 --target thumbv7em-none-eabi -- -D warnings",
        BUILDING,
    ),
    (
        "lints of the host",
        "clippy --quiet --all-targets --profile lab -- -D warnings",
        BUILDING,
    ),
];

/// How sources are laid out.
const FORMAT: Row = ("format", "fmt --all -- --check -l", BUILDING);

/// The run against the naive model that plain `cargo test` leaves out, because a debug build is
/// slow.
const OPERATIONS: Row = (
    "ten million random operations",
    "test --quiet --profile lab --test kernel -- --ignored ten_million_operations",
    &[],
);
/// Calls at random from partitions, of which plain `cargo test` makes fewer.
const CALLS: Row = (
    "ten million random calls from partitions",
    "test --quiet --profile lab --test kernel -- --ignored ten_million_calls",
    &[],
);
/// The ready queue with as many priorities as the library for C has. Its package is not named: what
/// it depends on is then as the other tests have it.
const MANY_PRIORITIES: Row = (
    "63 priorities",
    "test --quiet --profile lab --features taktos-schedule/priorities-63 --test ready",
    &[],
);
/// A day of virtual time in which hostile guests run next to servers that the analysis admits.
const DAY: Row = (
    "a day beside hostile guests",
    "test --quiet --profile lab -p taktos-simulate --test simulator -- --ignored hostile",
    &[],
);

/// Instances that close and open next to one that does neither: 50,000 random runs of all policies,
/// and 20,000 in which processors leave while budgets are used up.
const CLOSED: Row = (
    "seventy thousand stress runs of closed instances",
    "test --quiet --profile lab --test seats -- --ignored",
    &[],
);

/// Returns the step that checks the layout of sources.
pub(super) fn format() -> Step {
    row(FORMAT)
}

/// Returns the steps that check sources: of each board, then of this machine. The tests' build uses
/// the folder of this machine longest.
pub(super) fn lints(length: Length) -> Vec<Step> {
    // Boards for any chip are one crate; Armv6-M has code of its own.
    let of_chips = |board: &Board| [Board::MPS2_AN385, Board::CORTEX_M0].contains(board);
    let ones = boards::of_kernel(length).into_iter();
    let ones = ones.filter(|board| Board::ALL.contains(board) || of_chips(board));
    let ones = ones.map(|board| (board.name(), board.triple()));
    let fours = boards::of_four(length);
    let fours = fours.map(|board| (board.name, board.machine.triple()));
    let guests = [El2::BOARD, vm::GUESTS];
    let boards = ones.into_iter().chain(fours).chain(guests);
    let of = |(board, triple): (&'static str, &'static str)| {
        step(format!("lints of {board}"), move |workspace| {
            let programs = programs(workspace, board)?;
            let (charged, usual): (Vec<String>, Vec<String>) =
                programs.into_iter().partition(|name| has_budgets(name));
            let mut all = Tally::default();
            for (programs, feature) in [
                (usual, crate_of(board).1),
                (charged, Some("budgets")),
            ] {
                if programs.is_empty() {
                    continue;
                }
                let features = feature.map_or(String::new(), |name| format!("--features {name} "));
                let line = format!(
                    "clippy --quiet --release --manifest-path {} --lib --bin {} {features}--target {triple} -- -D warnings",
                    manifest(board),
                    programs.join(" --bin ")
                );
                all.add(counted(&mut words(workspace, &line))?);
            }
            Ok(all)
        })
        .needing(BUILDING)
    };
    boards.map(of).chain(LOOKS.into_iter().map(row)).collect()
}

/// Running what the tool runs, and looking at its reports.
const LOOKING: &[Need] = &[Need::Images, Need::Emulator, Need::Browser];

/// The tests of this machine.
pub(super) fn host_tests() -> Step {
    host_tests_of(None)
}

/// Those of these packages, or of all that are compiled for this machine.
pub(super) fn host_tests_of(packages: Option<BTreeSet<String>>) -> Step {
    let host = step(format!("{HOST_TESTS}, tool end to end"), move |workspace| {
        let mut tests = words(workspace, "test --quiet --no-fail-fast --profile lab");
        for package in packages.iter().flatten() {
            tests.args(["-p", package]);
        }
        counted(&mut tests)
    });
    host.needing(LOOKING)
}

/// Those of them that plain `cargo test` leaves out, and the interpreter in long runs: the library
/// forbids `unsafe`, so that it finds only what the compiler or a crate that is depended on does
/// wrong; overflows are checked in every run.
pub(super) fn more_tests(length: Length) -> Vec<Step> {
    let mut steps: Vec<Step> = [OPERATIONS, CALLS, MANY_PRIORITIES].map(row).into();
    if let Length::Long = length {
        steps.push(row(DAY));
        steps.push(row(CLOSED));
        steps.push(step("the scheduling library under miri", miri).needing(&[Need::Miri]));
    }
    steps
}

fn row((name, line, needs): Row) -> Step {
    let work = move |workspace: &Workspace| counted(&mut words(workspace, line));
    step(name, work).needing(needs)
}

/// Cargo with the words of a line.
fn words(workspace: &Workspace, line: &str) -> Command {
    let mut cargo = cargo(workspace);
    cargo.args(line.split_whitespace());
    cargo
}

/// No folder has more lines than its budget.
pub(super) fn line_budgets(workspace: &Workspace) -> Result<Tally> {
    Ok(crate::size::check(workspace)?.into_iter().collect())
}

/// No dependency goes through a wall, and no large circle of files is in a crate.
pub(super) fn layering(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    all.add(walls::check(workspace).map(|_| Tally::pass())?);
    all.add(circles::check(workspace).map(|_| Tally::pass())?);
    Ok(all)
}

/// Each list of boards is that of `boards.toml`.
pub(super) fn lists_of_boards(workspace: &Workspace) -> Result<Tally> {
    crate::boards::check(workspace).map(|()| Tally::pass())
}

/// Every program of a board of each architecture builds; what the lints look at is each program of
/// all boards.
pub(super) fn images(workspace: &Workspace, length: Length) -> Result<Tally> {
    crate::images::build(workspace, &boards::of_architectures(length)).map(|_| Tally::pass())
}

/// Option of the interpreter that leaves out the borrow checks of raw pointers, a third of its
/// time. The library forbids `unsafe`, so it has no raw pointers.
const NO_POINTERS: (&str, &str) = ("MIRIFLAGS", "-Zmiri-disable-stacked-borrows");

/// The scheduling library's own tests in the interpreter that looks for undefined behaviour.
fn miri(workspace: &Workspace) -> Result<Tally> {
    let manifest = std::fs::read_to_string(workspace.path("Cargo.toml"))?;
    let channel =
        ours(&manifest, "miri-toolchain").context("Cargo.toml names no miri-toolchain")?;
    let line = format!("+{channel} miri test --quiet --lib -p taktos-schedule --target-dir");
    let mut miri = words(workspace, &line);
    let (flags, flag) = NO_POINTERS;
    counted(miri.arg(workspace.target().join("miri")).env(flags, flag))
}

/// Returns the entry of the workspace's manifest for a tool that the tests use.
pub(super) fn ours(manifest: &str, key: &str) -> Option<String> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let ours = manifest.get("workspace")?.get("metadata")?.get("taktos")?;
    Some(ours.get(key)?.as_str()?.to_owned())
}

/// Builds the tool itself, for steps that run it as people do.
pub(super) fn tool_built(workspace: &Workspace) -> Result<Tally> {
    let words = ["build", "--quiet", "--profile", TOOL, "--bin", "taktos"];
    counted(cargo(workspace).args(words))
}

/// The tool that [`tool_built`] builds, which is that of the script `taktos`.
pub(super) fn tool(workspace: &Workspace) -> PathBuf {
    workspace.target().join(TOOL).join("taktos")
}

/// A call of that tool from `folder`.
pub(super) fn tool_in(workspace: &Workspace, folder: &Path) -> Command {
    let mut call = Command::new(tool(workspace));
    call.env("TAKTOS_ROOT", workspace.root())
        .current_dir(folder);
    call
}

/// Runs a program, which may say how many of its tests passed; one that says nothing of tests
/// passes or fails as a whole.
pub(super) fn counted(program: &mut Command) -> Result<Tally> {
    let (success, said) = call(program)?;
    let (passed, failed) = said
        .lines()
        .filter_map(counts)
        .reduce(|sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
        .unwrap_or((u64::from(success), 0));
    // A failure before any test ran, such as that of a compilation, is one failure.
    let failed = if success { failed } else { failed.max(1) };
    Ok(Tally {
        passed,
        failed,
        said: failures(&said),
        ..Tally::default()
    })
}
/// The counts in a line such as `test result: ok. 41 passed; 0 failed; ...`.
fn counts(line: &str) -> Option<(u64, u64)> {
    let words = line.strip_prefix("test result: ")?;
    let number = |word: &str| words.split(word).next()?.rsplit(' ').next()?.parse().ok();
    Some((number(" passed")?, number(" failed")?))
}

/// The part of a test run's output that says what failed.
fn failures(said: &str) -> String {
    let passing = |line: &&str| {
        let dots = line.chars().all(|letter| letter == '.');
        let tally = line.ends_with(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && line.starts_with('.');
        !(dots || tally || line.starts_with("running ") || line.starts_with("test result: ok"))
    };
    said.lines().filter(passing).collect::<Vec<_>>().join("\n")
}

/// Runs a program: whether it succeeded, and everything that it said.
fn call(program: &mut Command) -> Result<(bool, String)> {
    let output = program
        .output()
        .with_context(|| format!("{} does not start", program.get_program().display()))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok((output.status.success(), said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_from_what_the_harness_says() {
        let line =
            "test result: FAILED. 40 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(counts(line), Some((40, 2)));
        assert_eq!(counts("running 3 tests"), None);
    }

    #[test]
    fn plain_cargo_compiles_all_but_programs_of_boards_without_the_host() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let said = Command::new("cargo")
            .current_dir(root)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .unwrap();
        let metadata: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        let usual = metadata["workspace_default_members"].as_array().unwrap();
        let workspace = metadata["workspace_root"].as_str().unwrap();
        for package in metadata["packages"].as_array().unwrap() {
            let manifest = package["manifest_path"].as_str().unwrap();
            let manifest = manifest.strip_prefix(workspace).unwrap();
            // The library for C would give all that is compiled with it its 63 priorities, a
            // program that loads another one what that needs of the kernel.
            let is_apart = ["/user/c/", "/user/pump"]
                .iter()
                .any(|place| manifest.starts_with(place));
            let is_of_a_board =
                manifest.contains("/boards/") && !manifest.contains("/boards/host/");
            let for_the_host = !is_of_a_board && !is_apart;
            assert_eq!(
                usual.contains(&package["id"]),
                for_the_host,
                "{manifest}: every crate that the host compiles is a default member"
            );
        }
    }

    #[test]
    fn the_toolchain_of_miri_is_named() {
        let manifest = include_str!("../../../Cargo.toml");
        assert!(ours(manifest, "miri-toolchain").is_some_and(|name| name.starts_with("nightly-")));
    }

    #[test]
    fn a_program_that_fails_without_tests_is_one_failure() {
        let tally = counted(Command::new("sh").args(["-c", "echo broken; exit 1"])).unwrap();
        assert_eq!((tally.passed, tally.failed), (0, 1));
        assert!(tally.said.contains("broken"));
    }

    #[test]
    fn a_program_that_passes_is_counted() {
        let script = "echo 'test result: ok. 3 passed; 0 failed; 0 ignored'; \
                      echo 'test result: ok. 4 passed; 0 failed; 0 ignored'";
        let tally = counted(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!((tally.passed, tally.failed), (7, 0));
    }
}
