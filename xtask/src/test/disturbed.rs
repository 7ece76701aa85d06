//! Runs on a host under load: as many processes as it has processors compute without end, and the
//! processes that the runs have started are stopped again and again. All runs are started at once,
//! so that the load lasts only as long as they take together.
//!
//! Owns: how a host disturbs. Must never know: what is run, and what must come out.

use std::fs;
use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long the started processes run, and how long they are then stopped, in milliseconds, one
/// pair after the other: no multiple of anything that the emulator or the system does.
const TURNS: [(u64, u64); 5] = [(31, 3), (7, 11), (53, 1), (13, 29), (3, 7)];

/// Runs the programs so, side by side, and gives what each printed.
pub(super) fn disturbed(programs: Vec<Command>) -> Result<Vec<Output>> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let _busy: Vec<Busy> = (0..processors)
        .map(|_| Busy::new())
        .collect::<Result<_, _>>()?;
    thread::scope(|scope| {
        let runs = programs.into_iter();
        let runs: Vec<_> = runs.map(|one| scope.spawn(|| stopped(one))).collect();
        let outputs = runs.into_iter().map(|run| match run.join() {
            Ok(output) => output,
            Err(cause) => std::panic::resume_unwind(cause),
        });
        outputs.collect()
    })
}

/// Runs one, and has what it started stand still again and again.
fn stopped(mut program: Command) -> Result<Output> {
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = program.spawn().context("the tool does not start")?;
    let (id, over) = (run.id(), AtomicBool::new(false));
    let output = thread::scope(|scope| {
        scope.spawn(|| stop_again_and_again(id, &over));
        let output = run.wait_with_output();
        over.store(true, Ordering::Relaxed);
        output
    });
    Ok(output?)
}

/// A process that computes until it is dropped.
struct Busy(Child);

impl Busy {
    fn new() -> io::Result<Self> {
        let endless = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn();
        endless.map(Self)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // Another process may have ended it: then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn stop_again_and_again(run: u32, over: &AtomicBool) {
    for (goes_on, stands) in TURNS.iter().cycle() {
        if over.load(Ordering::Relaxed) {
            return;
        }
        thread::sleep(Duration::from_millis(*goes_on));
        let started = started_by(run);
        signal("STOP", &started);
        thread::sleep(Duration::from_millis(*stands));
        signal("CONT", &started);
    }
}

/// The processes that a process has started and that still run: `/proc/ID/stat` names the parent,
/// after the name in parentheses.
fn started_by(process: u32) -> Vec<String> {
    let of = process.to_string();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = all.filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let behind = stat.rsplit_once(") ").map_or("", |(_, behind)| behind);
        behind.split(' ').nth(1) == Some(&of)
    })
    .collect()
}

/// Sends a signal. A process that has ended meanwhile is passed over.
fn signal(name: &str, processes: &[String]) {
    if !processes.is_empty() {
        let kill = "kill -\"$0\" \"$@\" 2>/dev/null";
        let _ = Command::new("sh")
            .args(["-c", kill, name])
            .args(processes)
            .status();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disturbed_run_ends_with_all_that_it_says() {
        let run = |count: &str, status| {
            let script = format!("for i in {count}; do sleep 0.05; echo $i; done; exit {status}");
            let mut run = Command::new("sh");
            run.args(["-c", &script]);
            run
        };
        let outputs = disturbed(vec![run("1 2 3", 3), run("4", 0)]).unwrap();
        let ended = outputs.iter().map(|one| (one.status.code(), &*one.stdout));
        let expected = [(Some(3), &b"1\n2\n3\n"[..]), (Some(0), b"4\n")];
        assert!(ended.eq(expected), "{outputs:?}");
    }

    #[test]
    fn what_a_process_has_started_is_found() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let found = started_by(std::process::id());
        assert!(found.contains(&child.id().to_string()), "{found:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
