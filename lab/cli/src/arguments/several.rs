//! Arguments of experiments on several processors.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use taktos_experiments::experiment::Scale;
use taktos_runner::failure::Failure;
use taktos_simulate::Policy;
use taktos_simulate::file::{suggest, text};
use taktos_time::Duration;

/// The most repetitions for which the images have space.
const MOST_LOOPS: u64 = 100_000;
const MILLI: u64 = 1_000_000;
const MICRO: u64 = 1_000;

/// How much is run, where the file is not to decide.
#[derive(Args, Debug, Clone, Default)]
pub struct SizeOptions {
    /// Virtual time of each run of tasks; default: the file's
    #[arg(long = "for", value_name = "TIME", value_parser = whole_millis)]
    pub horizon: Option<Duration>,
    /// How often each mechanism is measured, or each thread wakes; default: the file's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_LOOPS))]
    pub loops: Option<u64>,
    /// Only the cases with these letters in their names, such as shared-rtds (hypervisor)
    #[arg(long = "only", value_name = "LETTERS")]
    pub cases: Option<String>,
    /// All that the experiment's file defines, which may take hours; without it, its quick form
    #[arg(long)]
    pub full: bool,
    /// Repeat runs that an earlier call has done
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

/// Options of a measurement of periodic threads.
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
    /// How much later each processor's releases are than those of the one before; default: all at
    /// one instant
    #[arg(long, value_name = "TIME", value_parser = whole_micros)]
    pub distance: Option<Duration>,
    /// Keep every processor busy with a lower-priority thread
    #[arg(long)]
    pub load: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = LatencyFormat::Table)]
    pub format: LatencyFormat,
    /// Print cyclictest's text in nanoseconds, as its own -N does
    #[arg(long)]
    pub nanoseconds: bool,
    /// The result directory; default: out/latency
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Output formats of `taktos latency`.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyFormat {
    /// Tables for people
    Table,
    /// JSON for programs
    Json,
    /// The tables as CSV
    Csv,
    /// Output of `cyclictest -q -h`
    Cyclictest,
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
    policy.map_err(|_| format!("no policy has this name: {}", suggest::hint(text, known)))
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
