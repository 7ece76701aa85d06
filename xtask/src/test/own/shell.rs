//! Owns: a program with a shell on a serial line of the board's: the text that is typed, and the
//! answers. Must never know: how a program is written and built.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};
use taktos_emulator::Board;

use super::{Place, Tally};

const NAME: &str = "shell";
const BOARD: Board = Board::MPS2_AN386;
const PROGRAM: &str = include_str!("shell/main.rs");
/// The board's first line; the emulator's second, for the console's is its first.
const LINE: [&str; 2] = ["-serial", "stdio"];
const PROMPT: &[u8] = b"\r\n> ";
/// Text that is typed, and words of a line each that the answer must have.
const TALK: [(&str, &[&[&str]]); 8] = [
    ("version\r", &[&["taktos"]]),
    (
        "threads\r",
        &[
            &["shell", "executing", "30"],
            &["worker", "blocked", "10", "1024"],
            &["main", "dormant", "20"],
            &["idle", "ready", "32"],
        ],
    ),
    ("priority worker 7\r", &[&["worker", "blocked", "7"]]),
    (
        "priority woker 7\r",
        &[&["error: no thread has the name `woker`"], &["hint:"]],
    ),
    (
        "objex\x7fcts\r",
        &[
            &["permits", "semaphore", "2 permits"],
            &["lock", "mutex", "owned by worker"],
            &["line", "device", "1 openings"],
        ],
    ),
    ("heap\r", &[&["of 1024 bytes are free"]]),
    (
        "help\r",
        &[&["threads"], &["end", "STATUS: ends the program"]],
    ),
    ("end x\r", &[&["error: `x` is no number"]]),
];
/// The last line, by which the program ends with this status.
const END: (&str, i32) = ("end 7\r", 7);

/// Writes the program, and types.
pub(super) fn answers(place: &Place<'_>) -> Result<Tally> {
    place.write(NAME, &["--board", BOARD.name()])?;
    let shell = place.workspace.path("user/shell");
    let shell = format!("[dependencies]\ntaktos-shell = {{ path = {shell:?} }}\n");
    place.replace(NAME, "Cargo.toml", ("[dependencies]\n", &shell))?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.build(NAME, BOARD, &[])?;
    let mut emulator = place
        .emulator(NAME, BOARD)
        .args(LINE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the emulator does not start")?;
    // If the answers are others, the program waits for its end until the time-out.
    let said = talk(&mut emulator);
    let status = emulator.wait()?.code();
    Ok(match said {
        Ok(()) if status == Some(END.1) => Tally::pass(),
        Ok(()) => Tally::fail(format!("{NAME}: ended with {status:?}\n")),
        Err(cause) => Tally::fail(format!("{NAME}: {cause:#}\n")),
    })
}

/// Types each line after the prompt, and reads up to the next.
fn talk(emulator: &mut Child) -> Result<()> {
    let mut typed: ChildStdin = emulator.stdin.take().context("the line has a way in")?;
    let mut output = emulator.stdout.take().context("the line has a way out")?;
    let mut first = [0; 2];
    output.read_exact(&mut first)?;
    for (line, lines) in TALK {
        typed.write_all(line.as_bytes())?;
        let answer = until_prompt(&mut output).with_context(|| format!("after {line:?}"))?;
        for words in lines {
            let has = |line: &str| words.iter().all(|word| line.contains(word));
            if !answer.lines().any(has) {
                bail!("no line of the answer to {line:?} has {words:?}:\n{answer}");
            }
        }
    }
    typed.write_all(END.0.as_bytes())?;
    Ok(())
}

/// Reads up to the next prompt.
fn until_prompt(output: &mut ChildStdout) -> Result<String> {
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(PROMPT) {
        output
            .read_exact(&mut byte)
            .with_context(|| format!("the line ended in {:?}", String::from_utf8_lossy(&answer)))?;
        answer.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
