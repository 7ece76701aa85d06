//! Owns: the machine's console between it and a person, and the terminal's settings meanwhile.
//! Must never know: the load of the machine.
//!
//! The emulator reads the standard input itself: from a terminal letter by letter, without echo,
//! from a pipe or a file as it is. Its output passes through here.

use std::io::{IsTerminal, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use taktos_emulator::process::{Heard, Process};

use super::Ending;
use crate::emulator;

const EMULATOR: &str = "qemu-system-aarch64";

/// Limits that end a run while the machine would continue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limit {
    /// Host time after which the run ends.
    pub time: Option<Duration>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The emulator ended.
    Machine(ExitStatus),
    /// The time was over.
    Time,
}

/// Runs the emulator with these arguments until it or the time ends. Its output goes to the
/// standard output as it comes, and to `ending`.
///
/// # Errors
/// When the emulator does not start.
pub fn run(arguments: &[String], limit: Limit, ending: &mut Ending) -> Result<Ended> {
    let mut command = Command::new(EMULATOR);
    command.args(arguments);
    // Dropped last: a killed emulator leaves the terminal as it had set it.
    let _terminal = Terminal::keep();
    let process = Process::attended(command).map_err(emulator::failure)?;
    match pass(&process, limit, ending) {
        Ok(()) => Ok(Ended::Machine(process.wait().map_err(emulator::failure)?)),
        Err(Stop::Time) => Ok(Ended::Time),
        Err(Stop::Output(cause)) => Err(cause).context("writing the console"),
    }
}

/// Why the console is not listened to any longer.
enum Stop {
    Time,
    Output(std::io::Error),
}

/// Passes the console on until its end, or the limit.
fn pass(process: &Process, limit: Limit, ending: &mut Ending) -> Result<(), Stop> {
    let until = limit.time.and_then(|time| Instant::now().checked_add(time));
    let mut screen = std::io::stdout().lock();
    loop {
        match process.hear(until) {
            Heard::Piece(bytes) => {
                ending.hear(&bytes);
                let written = screen.write_all(&bytes).and_then(|()| screen.flush());
                written.map_err(Stop::Output)?;
            }
            Heard::Closed => return Ok(()),
            Heard::Late => return Err(Stop::Time),
        }
    }
}

/// The terminal's settings, which the emulator changes and leaves so when it is killed.
struct Terminal(Option<String>);

impl Terminal {
    fn keep() -> Self {
        if !std::io::stdin().is_terminal() {
            return Self(None);
        }
        let said = Command::new("stty")
            .arg("-g")
            .stdin(Stdio::inherit())
            .output();
        let said = said.ok().filter(|said| said.status.success());
        let text = said.and_then(|said| String::from_utf8(said.stdout).ok());
        Self(text.map(|text| text.trim().to_owned()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(settings) = &self.0 {
            // Nothing is lost when it fails: the terminal is as the emulator left it.
            let _ = Command::new("stty")
                .arg(settings)
                .stdin(Stdio::inherit())
                .status();
        }
    }
}
