//! What can be asked of experiments on several processors.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use taktos_experiments::experiment::Scale;
use taktos_runner::failure::Failure;
use taktos_simulate::Policy;
use taktos_simulate::file::{suggest, text};
use taktos_time::Duration;

use super::{Format, RunOptions};

/// The most repetitions that the images have room for.
const MOST_LOOPS: u64 = 100_000;
const MILLI: u64 = 1_000_000;
const MICRO: u64 = 1_000;

/// How much is run, where the file is not to decide.
#[derive(Args, Debug, Clone, Default)]
pub struct SizeOptions {
    /// How much time passes in each run of tasks; default: the file's
    #[arg(long = "for", value_name = "TIME", value_parser = whole_millis)]
    pub horizon: Option<Duration>,
    /// How often each mechanism is measured, or each thread wakes; default: the file's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_LOOPS))]
    pub loops: Option<u64>,
    /// Only the cases whose name holds these letters, such as shared-rtds (hypervisor)
    #[arg(long = "only", value_name = "LETTERS")]
    pub cases: Option<String>,
    /// All that the experiment's file asks for, which may take hours; without it, its quick form
    #[arg(long)]
    pub full: bool,
    /// Do runs anew that an earlier call has done
    #[arg(long)]
    pub fresh: bool,
    /// The policy of a task set that runs in both worlds; default: the file's, or edf
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub scheduler: Option<Policy>,
}

impl SizeOptions {
    /// How much of a file is run.
    pub const fn scale(&self) -> Scale {
        match self.full {
            true => Scale::Full,
            false => Scale::Quick,
        }
    }

    /// Refuses what was given and has no meaning for this experiment.
    ///
    /// # Errors
    /// Names the first option that is none of these.
    pub fn only(&self, meant: &[&str]) -> Result<()> {
        let given = [
            ("for", self.horizon.is_some()),
            ("loops", self.loops.is_some()),
            ("scheduler", self.scheduler.is_some()),
            ("only", self.cases.is_some()),
            ("full", self.full),
            ("fresh", self.fresh),
        ];
        match given
            .into_iter()
            .find(|(name, given)| *given && !meant.contains(name))
        {
            None => Ok(()),
            Some((name, _)) => Err(Failure::error(
                format!("--{name} has no meaning for this experiment"),
                "leave it out, or name another experiment",
            )),
        }
    }
}

/// What is measured of periodic threads.
#[derive(Args, Debug, Clone)]
pub struct LatencyOptions {
    /// The board; default: the one that the experiment names
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// How often each thread wakes; default: the file's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_LOOPS))]
    pub loops: Option<u64>,
    /// The threads' period; default: the file's
    #[arg(long, value_name = "TIME", value_parser = whole_micros)]
    pub interval: Option<Duration>,
    /// How much later each processor's releases are than those of the one before; default: all in one instant
    #[arg(long, value_name = "TIME", value_parser = whole_micros)]
    pub distance: Option<Duration>,
    /// Keep every processor busy with a less urgent thread
    #[arg(long)]
    pub load: bool,
    /// What is printed
    #[arg(long, value_enum, default_value_t = LatencyFormat::Table)]
    pub format: LatencyFormat,
    /// cyclictest's text in nanoseconds, as its own -N has it
    #[arg(long)]
    pub nanoseconds: bool,
    /// The result directory; default: out/latency
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl LatencyOptions {
    /// Those of a file that is run like any other.
    pub fn of(options: &RunOptions, loops: Option<u64>) -> Self {
        Self {
            board: options.board.clone(),
            loops,
            interval: None,
            distance: None,
            load: false,
            format: options.format.into(),
            nanoseconds: false,
            out: options.out.clone(),
        }
    }
}

/// What `taktos latency` prints.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyFormat {
    /// Tables for people
    Table,
    /// JSON for programs
    Json,
    /// The tables as CSV
    Csv,
    /// What `cyclictest -q -h` prints
    Cyclictest,
}

impl From<Format> for LatencyFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Table => Self::Table,
            Format::Json => Self::Json,
            Format::Csv => Self::Csv,
        }
    }
}

fn whole(text: &str, unit: u64, name: &str) -> Result<Duration, String> {
    let time = text::duration(text)?;
    match time.as_nanos() {
        0 => Err("nothing happens in no time".into()),
        nanos if nanos.is_multiple_of(unit) => Ok(time),
        _ => Err(format!("the program counts whole {name}")),
    }
}

fn whole_millis(text: &str) -> Result<Duration, String> {
    whole(text, MILLI, "milliseconds")
}

fn whole_micros(text: &str) -> Result<Duration, String> {
    whole(text, MICRO, "microseconds")
}

fn policy(text: &str) -> Result<Policy, String> {
    let known = Policy::ALL.map(Policy::name);
    let policy = text.parse();
    policy.map_err(|_| format!("no policy has this name: {}", suggest::mend(text, known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole() {
        assert_eq!(whole_millis("2 s"), Ok(Duration::from_secs(2)));
        assert!(
            whole_millis("1500us")
                .unwrap_err()
                .contains("whole milliseconds")
        );
        assert!(whole_micros("0s").is_err());
        assert_eq!(whole_micros("250us"), Ok(Duration::from_nanos(250_000)));
    }

    #[test]
    fn an_option_without_meaning_is_refused() {
        let size = SizeOptions {
            loops: Some(3),
            ..SizeOptions::default()
        };
        assert!(size.only(&["loops"]).is_ok());
        let error = size.only(&["for"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--loops has no meaning for this experiment"
        );
    }
}
