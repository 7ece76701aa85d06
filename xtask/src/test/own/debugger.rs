//! Owns: a session of gdb with a program in the emulator: what it must show of the threads.
//! Must never know: how gdb finds them; that is the script that `taktos new` writes.

use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{Place, Tally, said};

/// A gdb that knows the boards' processors.
const DEBUGGER: &str = "gdb-multiarch";
/// The program, which does not wait for a debugger.
const PROGRAM: &str = include_str!("threads/main.rs");
/// Input at the point of the program where it is inspected.
const TYPED: [&str; 6] = [
    "break *looked_at",
    "continue",
    "taktos threads",
    "taktos backtrace worker",
    "taktos backtrace idle",
    "kill",
];

/// Output that must be shown, words of a line each: the threads by name, state, priority and size
/// of their stacks; where the worker waits, and from where it came; and that there are no calls of
/// a thread that only is ready.
const SHOWN: [&[&str]; 5] = [
    &["worker", "blocked", "5"],
    &["main", "executing", "20"],
    &["idle", "ready", "32", "?"],
    &["wait_for_gate", "main.rs"],
    &["idle is ready: only a thread that waits, or runs, has calls to show"],
];

/// Inspects the program that was written as `name` with gdb, if there is a gdb.
pub(super) fn looks(place: &Place<'_>, name: &str, board: Board) -> Result<Tally> {
    if Command::new(DEBUGGER)
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return Ok(Tally {
            figures: format!("{name}: no {DEBUGGER} here, so nobody looks at the threads\n"),
            ..Tally::default()
        });
    }
    place.put(name, "src/main.rs", PROGRAM)?;
    // With what calls are shown by: its dependencies go without.
    let lines = format!("profile.dev.package.{name}.debug='line-tables-only'");
    place.build(name, board, &["--config", &lines])?;
    let output = session(place, name, board)?;
    let shown = said(&output);
    let has = |words: &&[&str]| {
        shown
            .lines()
            .any(|line| words.iter().all(|word| line.contains(word)))
    };
    Ok(SHOWN
        .iter()
        .map(|words| match has(words) {
            true => Ok(()),
            false => Err(format!("{name}: gdb does not show {words:?}:\n{shown}\n")),
        })
        .collect())
}

/// One session. The emulator is a child of gdb, which speaks with it where the console otherwise
/// is.
fn session(place: &Place<'_>, name: &str, board: Board) -> Result<Output> {
    let image = place.image(name, board);
    let silent = |word: &'static str| if word == "stdio" { "null" } else { word };
    let words: Vec<&str> = board.arguments_alone().into_iter().map(silent).collect();
    let emulator = format!(
        "taktos connect | {} {} -S -gdb stdio -kernel {}",
        board.program(),
        words.join(" "),
        image.display()
    );
    let mut gdb = Command::new("timeout");
    gdb.current_dir(place.folder.join(name))
        .args([
            "60",
            DEBUGGER,
            "-nx",
            "-batch",
            "-ex",
            "set confirm off",
            "-ex",
            "source taktos.py",
            "-ex",
            &emulator,
        ])
        .args(TYPED.iter().flat_map(|line| ["-ex", line]))
        .arg(&image)
        .stdin(Stdio::null());
    gdb.output().context("gdb does not start")
}
