//! Images on boards: found, run one next to another, and on several processors only with consistent
//! clocks.
//!
//! Owns: the boards' names, the probe that comes before any figure, and the number of runs at once.
//! Must never know: the purpose of a run.

mod board;
mod time_probe;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::Setting;
use taktos_emulator::{Emulator, Options, Record, Until, Watch};

use crate::failure::Failure;
use crate::fault::Failed;
use crate::image::{self, Image};
use crate::workspace::Workspace;
pub use board::Board;
pub use time_probe::{TimeProbe, probe_time};

/// Nanoseconds that one processor may run ahead of another, by default.
pub const QUANTUM: u32 = 100;
/// The quanta with figures next to each other.
pub const QUANTA: [u32; 3] = [20, 100, 1000];
/// The most real time of one run: only what hangs takes as long.
const TIME: Duration = Duration::from_secs(1800);

/// The most instructions of a recorded run, of all processors together.
const INSTRUCTIONS: u64 = 1_000_000_000_000;

/// Message of the emulator if a signal ends it.
const ENDED: &str = ": terminating on signal ";

/// Limits of these figures, in one line: it is in every report.
pub const LIMITS: &str = "one instruction takes one nanosecond on every processor; no caches, no bus contention, \
     sequentially consistent memory; an interrupt to a running processor is off by up to one quantum";

/// A board and its emulator.
#[derive(Debug)]
pub struct Machine {
    /// The board.
    pub board: Board,
    emulator: Emulator,
}

/// One run of an image: its arguments, and how far processors may drift apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The image's command line; empty: no arguments.
    pub argument: String,
    /// Nanoseconds that one processor may run ahead of another.
    pub quantum: u32,
    /// Executables that the image loads.
    pub loaded: Vec<PathBuf>,
}

impl Machine {
    /// Finds the board's emulator and builds the clock for it.
    ///
    /// # Errors
    /// When one of them is missing.
    pub fn find(board: impl Into<Board>) -> Result<Self> {
        let board = board.into();
        let emulator = crate::emulator::find(board.machine)?;
        Ok(Self { board, emulator })
    }

    /// Returns the name of the emulator, with its version.
    pub fn emulator(&self) -> String {
        format!("QEMU {}", self.emulator.version())
    }

    /// Returns which clock gives it its time: a name that changes with the clock's source.
    pub fn clock(&self) -> String {
        self.emulator.clock()
    }

    /// Builds a program of the board.
    ///
    /// # Errors
    /// When cargo refuses.
    pub fn build(&self, workspace: &Workspace, program: &str) -> Result<Image> {
        let board = (self.board.name, self.board.machine.triple());
        image::build_for(workspace, board, program)
    }

    /// Runs an image to its end, and gives its console.
    ///
    /// # Errors
    /// When it does not end, or says that it failed.
    pub fn run(&self, image: &Image, call: &Call) -> Result<String> {
        let ended = self
            .emulator
            .run(&image.path, &self.setting(call), &self.options(call))
            .with_context(|| self.what(image, call))?;
        succeeded(
            self.end(image, call, (ended.exit_status, &ended.console))?,
            &ended.console,
        )?;
        Ok(ended.console)
    }

    /// Runs an image to its end as [`Self::run`] does, and returns the clock's whole record.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn record(&self, image: &Image, call: &Call) -> Result<Record> {
        let record = self.record_as(image, call, self.options(call), &mut |_| {})?;
        let ended = (record.exit_status, record.console.as_str());
        succeeded(self.end(image, call, ended)?, &record.console)?;
        Ok(record)
    }

    /// Records a run until an end that the image does not choose, with watches in addition to those
    /// that the image names; passes each line of the console on as it comes. A run that reports a
    /// failure is a record, too, with the failure.
    ///
    /// # Errors
    /// If it does not end.
    pub fn record_until(
        &self,
        image: &Image,
        call: &Call,
        (until, watch): (Until, Watch),
        on_line: &mut dyn FnMut(&str),
    ) -> Result<(Record, Option<Failed>)> {
        let options = Options {
            until: Some(until),
            watch,
            real_time: Options::default().real_time,
            ..self.options(call)
        };
        let record = self.record_as(image, call, options, on_line)?;
        let failed = self.end(image, call, (record.exit_status, &record.console))?;
        Ok((record, failed))
    }

    fn record_as(
        &self,
        image: &Image,
        call: &Call,
        options: Options,
        on_line: &mut dyn FnMut(&str),
    ) -> Result<Record> {
        let setting = self.setting(call);
        let record = self
            .emulator
            .record(&image.path, &setting, &options, on_line);
        record.with_context(|| self.what(image, call))
    }

    /// Returns the failure of a run, if it failed.
    fn end(&self, image: &Image, call: &Call, ended: (i32, &str)) -> Result<Option<Failed>> {
        failed(&self.what(image, call), ended, &image.path)
    }

    fn what(&self, image: &Image, call: &Call) -> String {
        let board = self.board.name;
        match call.argument.as_str() {
            "" => {
                let name = image.path.file_stem().unwrap_or_default();
                format!("{} on {board}", name.to_string_lossy())
            }
            argument => format!("`{argument}` on {board}"),
        }
    }

    /// Several processors together execute more, and the emulator takes longer for it.
    fn options(&self, call: &Call) -> Options {
        let argument = Some(call.argument.clone()).filter(|argument| !argument.is_empty());
        let one = Options {
            argument,
            loaded: call.loaded.clone(),
            ..Options::default()
        };
        match self.board.processors {
            1 => one,
            _ => Options {
                real_time: TIME,
                instructions: INSTRUCTIONS,
                ..one
            },
        }
    }

    const fn setting(&self, call: &Call) -> Setting {
        Setting::new(self.board.processors, call.quantum)
    }
}

impl Default for Call {
    /// Returns a call without arguments, with the usual quantum.
    fn default() -> Self {
        Self {
            argument: String::new(),
            quantum: QUANTUM,
            loaded: Vec::new(),
        }
    }
}

fn failed(what: &str, ended: (i32, &str), image: &Path) -> Result<Option<Failed>> {
    // The emulator reports success if another process ends it.
    match ended.1.contains(ENDED) {
        true => Err(Failure::error(
            format!("{what}: the emulator was ended from outside"),
            "run it again",
        )),
        false => Ok(Failed::of(what, ended, image)),
    }
}

/// Shows the console of a run that failed.
fn succeeded(failed: Option<Failed>, console: &str) -> Result<()> {
    let Some(failed) = failed else { return Ok(()) };
    for line in console.lines() {
        eprintln!("    {line}");
    }
    Err(failed.error(
        "its console is above; taktos trace runs an image and keeps who ran when until such an end",
    ))
}

/// Calls `work` with each of `all`, as many at once as this machine has processors; the results are
/// in the order of `all`, independent of the order of completion. `done` receives each time how
/// many are done.
///
/// # Errors
/// The first error, in the order of `all`; calls that have not begun by then are omitted.
pub fn each<T: Sync, R: Send>(
    all: &[T],
    done: &(dyn Fn(usize) + Sync),
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<Option<Result<R>>>> = Mutex::new(all.iter().map(|_| None).collect());
    let worker = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(place) else { break };
            let result = work(one);
            if result.is_err() {
                next.store(all.len(), Ordering::Relaxed);
            }
            if let Ok(mut results) = results.lock() {
                results[place] = Some(result);
            }
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.min(all.len()) {
            scope.spawn(worker);
        }
    });
    let results = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_ended_is_no_success() {
        let ended = "@run\nqemu-system-aarch64: terminating on signal 15 from pid 7 ()\n";
        let judge = |status, console| {
            let failed = failed("it", (status, console), Path::new("/no/image"))?;
            succeeded(failed, console)
        };
        assert!(judge(0, "@run\n@end\n").is_ok());
        let error = judge(0, ended).unwrap_err().to_string();
        assert!(error.contains("ended from outside"), "{error}");
        let error = judge(2, "").unwrap_err().to_string();
        assert!(error.contains("status 2"), "{error}");
    }

    #[test]
    fn results_keep_their_order_and_the_first_error_wins() {
        let all: Vec<u64> = (0..40).collect();
        let heard = AtomicUsize::new(0);
        let count = |number| {
            heard.fetch_max(number, Ordering::Relaxed);
        };
        let doubled = each(&all, &count, |one| Ok(2 * one)).unwrap();
        assert_eq!(doubled, all.iter().map(|one| 2 * one).collect::<Vec<_>>());
        assert_eq!(heard.into_inner(), 40);
        let refused = each(&all, &|_| (), |one| match one {
            3.. => anyhow::bail!("no {one}"),
            one => Ok(*one),
        });
        assert_eq!(refused.unwrap_err().to_string(), "no 3");
        assert!(each(&[0_u8; 0], &|_| (), |_| Ok(())).unwrap().is_empty());
    }
}
