//! The steps that are programs of the tool chain.

use std::process::Command;

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::Tally;
use crate::image::cargo;
use crate::workspace::Workspace;

/// The profile of the laboratory: what is built once serves the tool and its
/// tests.
const PROFILE: [&str; 2] = ["--profile", "lab"];

pub(super) fn format(workspace: &Workspace) -> Result<Tally> {
    one(cargo(workspace).args(["fmt", "--all", "--", "--check", "-l"]))
}

pub(super) fn layering(workspace: &Workspace) -> Result<Tally> {
    one(xtask(workspace).arg("layering"))
}

/// Of what is compiled for this machine; the boards' programs have lints of their own.
pub(super) fn lints(workspace: &Workspace) -> Result<Tally> {
    let mut clippy = cargo(workspace);
    clippy
        .args(["clippy", "--quiet", "--all-targets"])
        .args(PROFILE);
    one(clippy.args(["--", "-D", "warnings"]))
}

pub(super) fn board_lints(workspace: &Workspace, board: Board) -> Result<Tally> {
    lints_for(workspace, board.name(), board.triple())
}

pub(super) fn lints_for(workspace: &Workspace, board: &str, triple: &str) -> Result<Tally> {
    let mut clippy = cargo(workspace);
    clippy.args(["clippy", "--quiet", "--release", "-p", board, "--bins"]);
    one(clippy.args(["--target", triple, "--", "-D", "warnings"]))
}

/// The crates that the documentation of what ships is made of, and those that it links to.
const DOCUMENTED: [&str; 9] = [
    "taktos-time",
    "taktos-abi",
    "taktos-schedule",
    "taktos-lock",
    "taktos-trace",
    "taktos-machine",
    "taktos-kernel",
    "taktos-hypervisor",
    "taktos-simulate",
];

/// The documentation builds without a warning.
pub(super) fn documentation(workspace: &Workspace) -> Result<Tally> {
    let mut doc = cargo(workspace);
    doc.args(["doc", "--quiet", "--no-deps"]).args(PROFILE);
    doc.args(DOCUMENTED.iter().flat_map(|name| ["-p", name]));
    one(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

pub(super) fn images(workspace: &Workspace) -> Result<Tally> {
    one(xtask(workspace).arg("images"))
}

pub(super) fn host_tests(workspace: &Workspace) -> Result<Tally> {
    let mut tests = cargo(workspace);
    counted(
        tests
            .args(["test", "--quiet", "--no-fail-fast"])
            .args(PROFILE),
    )
}

/// The run against the naive model that plain `cargo test` leaves out, because a debug build is slow.
pub(super) fn ten_million_operations(workspace: &Workspace) -> Result<Tally> {
    let mut run = cargo(workspace);
    run.args(["test", "--quiet", "-p", "taktos-tests", "--test", "model"])
        .args(PROFILE);
    counted(run.args(["--", "--ignored", "ten_million_operations"]))
}

/// A day of virtual time in which hostile guests run beside servers that the analysis admits.
pub(super) fn day_beside_hostile_guests(workspace: &Workspace) -> Result<Tally> {
    let mut run = cargo(workspace);
    run.args(["test", "--quiet", "-p", "taktos-simulate"])
        .args(["--test", "hostile"])
        .args(PROFILE);
    counted(run.args(["--", "--ignored"]))
}

/// The scheduling library's own tests in the interpreter that looks for undefined behaviour.
pub(super) fn miri(workspace: &Workspace) -> Result<Tally> {
    let manifest = std::fs::read_to_string(workspace.path("Cargo.toml"))?;
    let channel =
        ours(&manifest, "miri-toolchain").context("Cargo.toml names no miri-toolchain")?;
    let mut miri = cargo(workspace);
    miri.arg(format!("+{channel}"))
        .args(["miri", "test", "--quiet", "--lib", "-p", "taktos-schedule"])
        .arg("--target-dir")
        .arg(workspace.target().join("miri"));
    counted(&mut miri)
}

/// What the workspace's manifest says of a tool that the tests use.
pub(super) fn ours(manifest: &str, key: &str) -> Option<String> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let ours = manifest.get("workspace")?.get("metadata")?.get("taktos")?;
    Some(ours.get(key)?.as_str()?.to_owned())
}

fn xtask(workspace: &Workspace) -> Command {
    let mut xtask = cargo(workspace);
    xtask
        .args(["run", "--quiet", "-p", "xtask"])
        .args(PROFILE)
        .arg("--");
    xtask
}

/// Runs a program that passes or fails as a whole.
fn one(program: &mut Command) -> Result<Tally> {
    let (success, said) = call(program)?;
    Ok(if success {
        Tally::pass()
    } else {
        Tally::fail(said)
    })
}

/// Runs a program that says how many of its tests passed.
pub(super) fn counted(program: &mut Command) -> Result<Tally> {
    let (success, said) = call(program)?;
    let (passed, failed) = said
        .lines()
        .filter_map(counts)
        .fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    // What fails before any test ran, such as a compilation, is one failure.
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
    fn plain_cargo_compiles_all_but_the_boards_programs() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let said = Command::new("cargo")
            .current_dir(root)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .unwrap();
        let metadata: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        let usual = metadata["workspace_default_members"].as_array().unwrap();
        for package in metadata["packages"].as_array().unwrap() {
            let manifest = package["manifest_path"].as_str().unwrap();
            assert_eq!(
                usual.contains(&package["id"]),
                !manifest.contains("/boards/"),
                "{manifest}: every crate but a board's is a default member"
            );
        }
    }

    #[test]
    fn the_toolchain_of_miri_is_named() {
        let manifest = include_str!("../../../../../Cargo.toml");
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
