//! One process of the emulator. Owns: starting it, reading its console piece by piece, ending it
//! with its owner. Must never know: the meaning of the arguments, and of the machine's output.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::Error;
use crate::program::missing;

/// How many pieces of a console wait to be heard before the machine itself has to wait: one that
/// floods its console must not fill this machine's memory.
const WAITING: usize = 64;

/// An emulator under way. It does not outlive its owner.
#[derive(Debug)]
pub struct Process {
    child: Child,
    pieces: Receiver<Vec<u8>>,
}

/// Next event from a console.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line with its end, or the bytes that were there: it depends on how the process was
    /// started.
    Piece(Vec<u8>),
    /// Nothing more: every process that could write has ended.
    Closed,
    /// Nothing until the time was over.
    Late,
}

impl Process {
    /// Starts an emulator without a person at its console. Its output and the machine's come in one
    /// stream, line by line, without the emulator's warnings: these are no output of the machine,
    /// and some come at random times, as the emulator's threads are scheduled.
    ///
    /// # Errors
    /// [`Error::EmulatorMissing`] when it does not start, [`Error::Io`] when there is no pipe.
    pub fn unattended(mut command: Command) -> Result<Self, Error> {
        let (output, input) = std::io::pipe().map_err(io("starting the emulator"))?;
        let both = input.try_clone().map_err(io("starting the emulator"))?;
        command.stdin(Stdio::null()).stdout(both).stderr(input);
        let child = spawn(&mut command)?;
        let warning = format!("{}: warning: ", command.get_program().to_string_lossy());
        // The command holds the pipe's other end, and would keep it open.
        drop(command);
        let mut lines = BufReader::new(output);
        let mut line = move |piece: &mut Vec<u8>| {
            piece.clear();
            lines.read_until(b'\n', piece)
        };
        Ok(Self {
            child,
            pieces: pieces(move |piece| {
                let mut length = line(piece)?;
                while piece.starts_with(warning.as_bytes()) {
                    length = line(piece)?;
                }
                Ok(length)
            }),
        })
    }

    /// Starts an emulator before a person: it reads this process's input itself, and what the
    /// machine writes comes as it is written.
    ///
    /// # Errors
    /// As [`Process::unattended`].
    pub fn attended(mut command: Command) -> Result<Self, Error> {
        let (mut output, input) = std::io::pipe().map_err(io("starting the emulator"))?;
        command.stdin(Stdio::inherit()).stdout(input);
        let child = spawn(&mut command)?;
        drop(command);
        Ok(Self {
            child,
            pieces: pieces(move |piece| {
                piece.resize(4096, 0);
                let length = output.read(piece)?;
                piece.truncate(length);
                Ok(length)
            }),
        })
    }

    /// Starts an emulator, and discards its console.
    ///
    /// # Errors
    /// As [`Process::unattended`].
    pub fn unheard(mut command: Command) -> Result<Self, Error> {
        let none = Stdio::null;
        command.stdin(none()).stdout(none()).stderr(none());
        Ok(Self {
            child: spawn(&mut command)?,
            pieces: sync_channel(0).1,
        })
    }

    /// Returns the next event, until that instant; `None`: waits without a limit.
    #[must_use]
    pub fn hear(&self, until: Option<Instant>) -> Heard {
        let piece = match until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(left) => self.pieces.recv_timeout(left),
            None => self
                .pieces
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match piece {
            Ok(piece) => Heard::Piece(piece),
            Err(RecvTimeoutError::Disconnected) => Heard::Closed,
            Err(RecvTimeoutError::Timeout) => Heard::Late,
        }
    }

    /// Reads lines for this time, or until `on_line` returns `true`.
    pub fn hear_lines(&self, time: Duration, mut on_line: impl FnMut(&str) -> bool) -> End {
        let until = Instant::now().checked_add(time);
        loop {
            match self.hear(until) {
                Heard::Piece(line) if on_line(&String::from_utf8_lossy(&line)) => {
                    return End::Enough;
                }
                Heard::Piece(_) => {}
                Heard::Closed => return End::Closed,
                Heard::Late => return End::Late,
            }
        }
    }

    /// Waits for its end. The console is no longer heard.
    ///
    /// # Errors
    /// [`Error::Io`] when the system does not say how it ended.
    pub fn wait(mut self) -> Result<ExitStatus, Error> {
        self.child.wait().map_err(io("waiting for the emulator"))
    }
}

/// Why [`Process::hear_lines`] heard no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The listener has heard what it wanted.
    Enough,
    /// The console was closed.
    Closed,
    /// The time was over.
    Late,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself: then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(command: &mut Command) -> Result<Child, Error> {
    let child = command.spawn();
    child.map_err(|_| missing(Path::new(command.get_program())))
}

fn io(what: &str) -> impl Fn(std::io::Error) -> Error + '_ {
    move |cause| Error::Io {
        what: what.into(),
        cause,
    }
}

/// Returns the pieces of a console as `read` cuts them, until it is closed or the receiver is gone.
fn pieces(
    mut read: impl FnMut(&mut Vec<u8>) -> std::io::Result<usize> + Send + 'static,
) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::spawn(move || {
        loop {
            let mut piece = Vec::new();
            let length = read(&mut piece);
            if !matches!(length, Ok(1..)) || sender.send(piece).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that is a shell's script.
    fn machine(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_streams_are_heard_in_their_order() {
        let process = Process::unattended(machine("echo one; echo two >&2; printf three; exit 4"));
        let (process, mut said) = (process.unwrap(), String::new());
        let end = process.hear_lines(Duration::from_secs(20), |line| {
            said.push_str(line);
            false
        });
        assert_eq!((end, said.as_str()), (End::Closed, "one\ntwo\nthree"));
        assert_eq!(process.wait().unwrap().code(), Some(4));
    }

    #[test]
    fn the_emulators_warnings_are_not_the_machines_words() {
        let script = "echo sh: warning: chance; echo a sh: warning: b; echo sh: warning: end";
        let process = Process::unattended(machine(script)).unwrap();
        let mut said = String::new();
        let end = process.hear_lines(Duration::from_secs(20), |line| {
            said.push_str(line);
            false
        });
        assert_eq!((end, said.as_str()), (End::Closed, "a sh: warning: b\n"));
    }

    #[test]
    fn a_machine_ends_with_its_owner_though_it_floods() {
        let process = Process::unattended(machine("exec yes")).unwrap();
        let pid = process.child.id();
        let mut left = 1000;
        let end = process.hear_lines(Duration::from_secs(20), |_| {
            left -= 1;
            left == 0
        });
        assert_eq!(end, End::Enough);
        drop(process);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn a_silent_machine_is_late() {
        let process = Process::unattended(machine("exec sleep 60")).unwrap();
        let end = process.hear_lines(Duration::from_millis(50), |_| false);
        assert_eq!(end, End::Late);
    }

    #[test]
    fn before_a_person_nothing_waits_for_the_end_of_a_line() {
        let process = Process::attended(machine("printf 'name: '; exec sleep 60")).unwrap();
        let heard = process.hear(Instant::now().checked_add(Duration::from_secs(20)));
        assert_eq!(heard, Heard::Piece(b"name: ".to_vec()));
    }
}
