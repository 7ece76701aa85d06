//! The emulator, run until the guest that is measured is done.
//!
//! Owns: the conditions of a good end of a run. Must never know: the meaning of the arguments.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use taktos_emulator::process::{self, Process};

use super::guest::stopped;
use crate::emulator;
use crate::failure::{Failure, one_line};

/// The emulator's program.
const PROGRAM: &str = "qemu-system-aarch64";
/// The last lines of a console that an error shows.
const SHOWN: usize = 8;
/// The hypervisor's reason for a stop that a guest requested.
const OFF: &str = "off";

/// One start of the emulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The guest that the hypervisor reports as off: then the run does not wait for the rest.
    pub watched: Option<&'a str>,
}

/// The emulator.
#[derive(Clone, Debug)]
pub struct Machine {
    program: String,
    /// The most real time of one run: only what hangs takes as long.
    limit: Duration,
}

/// How a run came to its end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The measured guest stopped, for this reason.
    Stopped(String),
    /// The console was closed.
    Closed,
    /// The time was over.
    Late,
}

impl Machine {
    /// Returns the emulator, with this limit of real time for a run.
    pub fn new(limit: Duration) -> Self {
        Self {
            program: PROGRAM.to_owned(),
            limit,
        }
    }

    /// Runs a machine until the watched guest is off, and returns the console. A busy guest next to
    /// it never ends by itself: the emulator is ended then.
    ///
    /// # Errors
    /// When the emulator does not start or fails, the guest stops for another reason, or the
    /// time is over: the last lines of the console are shown.
    pub fn run(&self, call: &Call<'_>) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(&call.arguments);
        let process = Process::unattended(command).map_err(emulator::failure)?;
        let (mut console, mut reason) = (String::new(), None);
        let heard = process.hear_lines(self.limit, |line| {
            console.push_str(line);
            let watched = call.watched.and_then(|guest| stopped(line, guest));
            reason = watched.map(str::to_owned);
            reason.is_some()
        });
        let (end, status) = match (heard, reason) {
            (_, Some(reason)) => (End::Stopped(reason), None),
            (process::End::Late, None) => (End::Late, None),
            (_, None) => {
                let status = process.wait().map_err(emulator::failure)?;
                (End::Closed, status.code())
            }
        };
        judge(&end, call.watched, status, &console)?;
        Ok(console)
    }
}

fn judge(end: &End, watched: Option<&str>, status: Option<i32>, console: &str) -> Result<()> {
    let guest = watched.unwrap_or("the program");
    let (cause, hint) = match end {
        End::Stopped(reason) if reason == OFF => return Ok(()),
        End::Closed if watched.is_none() && status == Some(0) => return Ok(()),
        End::Stopped(reason) => (
            format!("{guest} stopped: {}", one_line(reason)),
            "the guest or the hypervisor found a fault: fix it",
        ),
        End::Closed => (
            format!("the emulator ended with {status:?} before {guest} was done"),
            "look at its last lines above; ./taktos doctor says what this machine lacks",
        ),
        End::Late => (
            format!("{guest} was not done in the longest time that a run may take"),
            "name fewer loops: --loops N; or look at its last lines above",
        ),
    };
    let all: Vec<&str> = console.lines().collect();
    for line in &all[all.len().saturating_sub(SHOWN)..] {
        eprintln!("    {line}");
    }
    Err(Failure::error(cause, hint))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::guest::MEASURED;
    use super::*;

    /// A machine that is a shell's script.
    fn run(script: &str, watched: Option<&str>, limit: u64) -> Result<String> {
        let machine = Machine {
            program: "sh".into(),
            limit: Duration::from_millis(limit),
        };
        machine.run(&Call {
            arguments: vec!["-c".into(), script.into()],
            watched,
        })
    }

    #[test]
    fn a_busy_neighbour_is_not_waited_for() {
        let begun = Instant::now();
        let console = run(
            "echo '[taktos] measured stopped: off'; exec sleep 60",
            Some(MEASURED),
            20_000,
        );
        assert_eq!(console.unwrap(), "[taktos] measured stopped: off\n");
        assert!(begun.elapsed() < Duration::from_secs(20));
        // Without a hypervisor there is no such message.
        assert!(
            run(
                "echo '[taktos] measured stopped: off'; exit 0",
                None,
                20_000
            )
            .is_ok()
        );
    }

    #[test]
    fn every_other_end_is_an_error() {
        for (script, watched, words) in [
            (
                "echo '[taktos] measured stopped: fault at 0x0'; exec sleep 60",
                Some(MEASURED),
                "stopped: fault at 0x0",
            ),
            ("exit 0", Some(MEASURED), "Some(0) before"),
            ("exit 3", None, "Some(3) before"),
            ("exec sleep 60", None, "longest time"),
        ] {
            // Long enough for a shell on a busy machine; the last one has to wait for its end.
            let longest = if words == "longest time" { 500 } else { 20_000 };
            let error = run(script, watched, longest).unwrap_err().to_string();
            assert!(error.contains(words), "{script}: {error}");
        }
    }
}
