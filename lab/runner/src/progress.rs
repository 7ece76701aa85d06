//! Progress messages, for a person at the terminal: on the standard error, so that the standard
//! output holds nothing but the answer.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Whether messages are switched off.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Switches messages off: the messages of parallel work would be mixed.
pub fn be_silent() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Returns whether a line can move.
fn is_moving() -> bool {
    std::io::stderr().is_terminal() && !SILENT.load(Ordering::Relaxed)
}

/// Prints a line, unless messages are switched off; on a terminal in the place of the moving line.
fn say(line: &str) {
    match (SILENT.load(Ordering::Relaxed), is_moving()) {
        (true, _) => {}
        (false, true) => eprintln!("\r\x1b[K{line}"),
        (false, false) => eprintln!("{line}"),
    }
}

/// Progress messages: a moving line on a terminal, plain lines elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The number of the step and of all steps, where a command has several.
    step: Option<(usize, usize)>,
}

impl Progress {
    /// Returns the same progress as step `number` of `all`.
    pub const fn step(number: usize, all: usize) -> Self {
        Self {
            step: Some((number, all)),
        }
    }

    /// Says what a person should know before the work begins, if there is something.
    pub fn note(&self, words: Option<String>) {
        if let Some(words) = words {
            say(&self.line(&words));
        }
    }

    /// Does the work while saying what it is, and says when it is done.
    pub fn during<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let line = self.line(what);
        if !is_moving() {
            say(&line);
            return work();
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{msg} {spinner} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(line.clone());
        bar.enable_steady_tick(Duration::from_millis(120));
        let result = work();
        bar.finish_and_clear();
        eprintln!("{line} done");
        result
    }

    /// Does work of `all` parts, with messages as [`Self::during`]. On a terminal they show how
    /// many parts are done, which the work reports, and how long the others will take.
    pub fn counted<T>(
        &self,
        what: &str,
        all: usize,
        work: impl FnOnce(&(dyn Fn(usize) + Sync)) -> T,
    ) -> T {
        let line = self.line(what);
        if !is_moving() {
            say(&format!("{line} ({all} runs)"));
            return work(&|_| ());
        }
        let bar = ProgressBar::new(all as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {pos}/{len} {spinner} {elapsed}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_message(line.clone());
        bar.enable_steady_tick(Duration::from_millis(120));
        let result = work(&|done| bar.set_position(done as u64));
        bar.finish_and_clear();
        eprintln!("{line} done");
        result
    }

    /// Does a run up to a virtual time, with messages on how much has passed: `reached`, in
    /// nanoseconds. The work prints its own lines by the function that it receives, which keeps
    /// them apart from the moving line.
    pub fn until<T>(
        &self,
        what: &str,
        (reached, goal): (&AtomicU64, Duration),
        work: impl FnOnce(&dyn Fn(&mut dyn FnMut())) -> T,
    ) -> T {
        let line = self.line(what);
        say(&line);
        let bar = is_moving().then(ProgressBar::new_spinner);
        let every = match &bar {
            Some(_) => Duration::from_millis(250),
            None => Duration::from_secs(10),
        };
        let (done, is_done) = channel::<()>();
        let shown = &bar;
        let result = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Ends when the work is done, which drops the sender.
                while is_done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                    let at = Duration::from_nanos(reached.load(Ordering::Relaxed));
                    let (at, goal) = (at.as_secs_f64(), goal.as_secs_f64());
                    let passed = format!("    {at:.3} s of {goal} s of virtual time have passed");
                    match shown {
                        Some(bar) => {
                            bar.set_message(passed);
                            bar.tick();
                        }
                        None => say(&passed),
                    }
                }
            });
            let result = work(&|print| match shown {
                Some(bar) => bar.suspend(print),
                None => print(),
            });
            drop(done);
            result
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        result
    }

    fn line(&self, what: &str) -> String {
        match self.step {
            Some((number, all)) => format!("  [{number}/{all}] {what}"),
            None => format!("  {what}"),
        }
    }
}
