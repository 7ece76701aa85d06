//! Owns: a machine that nobody watches: what it says until one of its partitions stops.
//! Must never know: what the partitions do, or print.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use taktos_emulator::process::{End, Process};

use crate::emulator;
use crate::failure::{Failure, one_line};

/// The last lines that an error shows.
const SHOWN: usize = 8;

/// A console that was listened to.
#[derive(Debug, Default)]
pub struct Heard {
    /// All of it.
    pub console: String,
    /// Why the partition stopped; none where the machine ended without a word of that.
    pub stopped: Option<String>,
}

impl Heard {
    /// The lines of a partition, without their mark.
    pub fn lines_of(&self, partition: &str) -> String {
        let mark = format!("[{partition}] ");
        let own = self
            .console
            .lines()
            .filter_map(|line| line.strip_prefix(&mark));
        own.flat_map(|line| [line, "\n"]).collect()
    }

    /// Takes a line in; says whether `partition` stops with it.
    fn hear(&mut self, line: &str, partition: &str) -> bool {
        self.console.push_str(line);
        self.console.push('\n');
        let said = line.strip_prefix("[taktos] ");
        let of = said.and_then(|said| said.strip_prefix(partition));
        if let Some(why) = of.and_then(|said| said.strip_prefix(" stopped: ")) {
            self.stopped = Some(why.to_owned());
        }
        self.stopped.is_some()
    }

    fn failure(&self, cause: &str, mend: &str) -> anyhow::Error {
        let lines: Vec<&str> = self.console.lines().collect();
        let last = &lines[lines.len().saturating_sub(SHOWN)..];
        let said = match last {
            [] => "it said nothing".to_owned(),
            last => format!("its last lines: {}", one_line(&last.join(" | "))),
        };
        Failure::error(format!("{cause}; {said}"), mend)
    }
}

/// Runs `program` with these arguments until `partition` has switched itself off; what else runs on the machine ends
/// with it.
///
/// # Errors
/// When the emulator does not start, the partition stops for another reason, the machine ends before, or `limit`
/// has passed by the clock on the wall.
pub fn until_off(
    program: &str,
    arguments: &[String],
    partition: &str,
    limit: Duration,
) -> Result<Heard> {
    let mut command = Command::new(program);
    command.args(arguments);
    let process = Process::unattended(command).map_err(emulator::failure)?;
    let mut heard = Heard::default();
    let end = process.hear_lines(limit, |line| {
        heard.hear(line.trim_end_matches(['\r', '\n']), partition)
    });
    if end == End::Late {
        let cause = format!("{partition} is not done after {} s", limit.as_secs());
        return Err(heard.failure(&cause, "ask for less: --loops N"));
    }
    match heard.stopped.as_deref() {
        Some("off") => Ok(heard),
        Some(why) => Err(heard.failure(
            &format!("{partition} stopped: {}", one_line(why)),
            "the guest or the hypervisor is at fault",
        )),
        None => Err(heard.failure(
            &format!("the machine ended before {partition} was done"),
            "./taktos doctor says whether the emulator is the right one",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that is a shell's script.
    fn run(script: &str) -> Result<Heard> {
        let arguments = ["-c".to_owned(), script.to_owned()];
        until_off("sh", &arguments, "asker", Duration::from_millis(3000))
    }

    #[test]
    fn the_machine_ends_when_the_partition_is_off() {
        let heard = run(
            "printf '[asker] one\\r\\n[other] two\\n[asker] three\\n[taktos] asker stopped: off\\n'; exec sleep 60",
        );
        assert_eq!(heard.unwrap().lines_of("asker"), "one\nthree\n");
    }

    #[test]
    fn another_end_is_an_error_that_shows_the_last_lines() {
        for (script, words) in [
            (
                "echo '[taktos] asker stopped: fault at 0x8'; exec sleep 60",
                "asker stopped: fault at 0x8; its last",
            ),
            (
                "echo '[taktos] other stopped: off'",
                "before asker was done; its last lines: [taktos] other",
            ),
            (
                "echo '[asker] [taktos] asker stopped: off'",
                "before asker was done",
            ),
            ("exec sleep 60", "not done after 3 s; it said nothing"),
        ] {
            let error = run(script).unwrap_err().to_string();
            assert!(error.contains(words), "{script}: {error}");
        }
    }
}
