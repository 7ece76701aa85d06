//! A board's programs in the emulator, as the steps run them.
//!
//! Owns: how a program is found, gets its words and is started. Must never know: what it must say.

use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::Setting;
use taktos_emulator::{Emulator, Ended, Options};
use taktos_runner::several::Board;
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

use super::Tally;

/// The most real time of one run by default: such a program needs a second or two.
const TIME: Duration = Duration::from_secs(120);

/// A board and its emulator.
pub(super) struct Runner<'a> {
    workspace: &'a Workspace,
    board: Board,
    triple: &'static str,
    emulator: Emulator,
    /// The most real time of one run.
    time: Duration,
    /// The most instructions.
    instructions: u64,
}

/// A program, and the words that it finds on its command line.
pub(super) type Words<'a> = (&'a str, Option<&'a str>);

impl<'a> Runner<'a> {
    /// Finds the board's emulator.
    pub(super) fn of(workspace: &'a Workspace, board: impl Into<Board>) -> Result<Self> {
        let board = board.into();
        Ok(Self {
            workspace,
            board,
            triple: board.machine.triple(),
            emulator: emulator::find(board.machine)?,
            time: TIME,
            instructions: Options::default().instructions,
        })
    }

    /// Returns the runner for programs of another target.
    pub(super) fn compiled_for(self, triple: &'static str) -> Self {
        Self { triple, ..self }
    }

    /// Returns the runner for programs that may take longer.
    pub(super) fn for_at_most(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Returns the runner for programs that may execute more.
    pub(super) fn with_instructions(self, instructions: u64) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// Runs a program to its end on the number of processors in the setting.
    pub(super) fn run(&self, (program, words): Words<'_>, setting: &Setting) -> Result<Ended> {
        let board = (self.board.name, self.triple);
        let image = image::build_for(self.workspace, board, program)?;
        let options = Options {
            argument: words.map(str::to_owned),
            real_time: self.time,
            instructions: self.instructions,
            ..Options::default()
        };
        let ended = self.emulator.run(&image.path, setting, &options);
        ended.with_context(|| format!("{program} {}", words.unwrap_or_default()))
    }
}

/// How many tests passed and failed, as the line that begins so says.
pub(super) fn counted(line: &str, ended: Ended) -> Result<Tally> {
    let mut lines = ended.console.lines();
    let said = lines.find_map(|said| said.strip_prefix(line));
    let counts = said.and_then(counts);
    let (passed, failed) = counts.context("the suite did not say how many tests passed")?;
    Ok(Tally {
        passed,
        failed: match ended.exit_status {
            0 => failed,
            _ => failed.max(1),
        },
        said: ended.console,
        ..Tally::default()
    })
}

/// The counts in `passed 41 failed 0`.
fn counts(said: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let ["passed", passed, "failed", failed] = words[..] else {
        return None;
    };
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_own_words_are_counted() {
        assert_eq!(counts("passed 41 failed 2"), Some((41, 2)));
        assert_eq!(counts("passed 41"), None);
    }
}
