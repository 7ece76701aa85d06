//! Owns: the emulator's process: its console between it and a person, its end.
//! Must never know: what runs on the machine.
//!
//! The emulator reads the standard input itself: from a terminal letter by letter, without echo, from
//! a pipe or a file as it is. What it writes passes through here.

use std::io::{IsTerminal, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Ending;
use crate::failure::Failure;

const EMULATOR: &str = "qemu-system-aarch64";

/// Why a run may end although the machine goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limit {
    /// After so long by the clock on the wall.
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

/// Runs the emulator with these arguments until it or the time ends. What it writes goes to the
/// standard output as it comes, and `ending` hears it.
///
/// # Errors
/// When the emulator does not start.
pub fn run(arguments: &[String], limit: Limit, ending: &mut Ending) -> Result<Ended> {
    let terminal = Terminal::keep();
    let mut child = Command::new(EMULATOR)
        .args(arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|cause| {
            Failure::error(
                format!("{EMULATOR} does not start: {cause}"),
                crate::emulator::SET_UP,
            )
        })?;
    let output = child.stdout.take();
    let result = output.map_or(Ok(()), |output| pass(output, limit, ending));
    let ended = end(&mut child, result.is_err());
    terminal.restore();
    match result {
        Ok(()) => Ok(Ended::Machine(ended.context("waiting for the emulator")?)),
        Err(Stop::Time) => Ok(Ended::Time),
        Err(Stop::Output(cause)) => Err(cause).context("writing the console"),
    }
}

/// Why the console is not listened to any longer.
enum Stop {
    Time,
    Output(std::io::Error),
}

fn end(child: &mut Child, kill: bool) -> std::io::Result<ExitStatus> {
    if kill {
        child.kill()?;
    }
    child.wait()
}

/// Passes the console on until its end, or the limit.
fn pass(mut output: ChildStdout, limit: Limit, ending: &mut Ending) -> Result<(), Stop> {
    let until = limit.time.and_then(|time| Instant::now().checked_add(time));
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(64);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            if sender.send(bytes[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut screen = std::io::stdout().lock();
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let bytes = match left {
            Some(left) => receiver.recv_timeout(left),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match bytes {
            Ok(bytes) => {
                ending.hear(&bytes);
                let written = screen.write_all(&bytes).and_then(|()| screen.flush());
                written.map_err(Stop::Output)?;
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => return Err(Stop::Time),
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

    fn restore(self) {
        if let Some(settings) = self.0 {
            // Nothing is lost when it fails: the terminal is as the emulator left it.
            let _ = Command::new("stty")
                .arg(settings)
                .stdin(Stdio::inherit())
                .status();
        }
    }
}
