//! The schemas of the experiments on several processors. The key `kind` tells
//! them apart; an unknown key is an error.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use taktos_simulate::Policy;
use taktos_simulate::file::text;
use taktos_time::Duration;

use super::file::Figure;
use super::load::{self, parse_as};
use crate::ethercat::{Place, Scheduler};

/// An experiment on several processors.
#[derive(Debug)]
pub enum Several {
    /// A task set under each policy.
    Smp(Smp),
    /// The response times of mechanisms.
    Mechanisms(Mechanisms),
    /// Periodic threads on each processor.
    Latency(Latency),
    /// Real-time guests under each scheduler of a hypervisor.
    Hypervisor(Hypervisor),
    /// A controller of EtherCAT in a guest.
    Ethercat(Ethercat),
}

/// A task set on the kernel, on one processor and on several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Smp {
    #[serde(rename = "kind")]
    _kind: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The board, unless the command line names another.
    pub board: String,
    /// The program that it runs.
    pub program: String,
    /// The task set's file, from the folder of the experiment's.
    pub tasks: PathBuf,
    /// How much time passes in each run.
    #[serde(rename = "for")]
    pub horizon: Time,
    /// The policies that are compared.
    pub policies: Vec<PolicyName>,
    /// The policy that is looked at closely: beside the paper, in each layout,
    /// at each quantum, and for the overhead.
    pub policy: PolicyName,
    /// The periods for which the overhead is measured.
    pub periods: Vec<Time>,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
    /// What the quick form has instead.
    pub quick: Option<toml::Table>,
}

/// The response times of mechanisms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mechanisms {
    #[serde(rename = "kind")]
    _kind: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The board, unless the command line names another.
    pub board: String,
    /// The program that it runs.
    pub program: String,
    /// How often each experiment is repeated.
    pub loops: u64,
    /// The period of those that are periodic.
    pub interval: Time,
    /// The configurations of machines with two guests, by their names without `.toml`, beside this file.
    #[serde(default)]
    pub partitions: Vec<String>,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
    /// What the quick form has instead.
    pub quick: Option<toml::Table>,
}

/// Periodic threads on each processor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Latency {
    #[serde(rename = "kind")]
    _kind: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The board, unless the command line names another.
    pub board: String,
    /// The program that it runs.
    pub program: String,
    /// How often each thread wakes.
    pub loops: u64,
    /// The threads' period.
    pub interval: Time,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
    /// What the quick form has instead.
    pub quick: Option<toml::Table>,
}

/// Real-time guests under each scheduler of a hypervisor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hypervisor {
    #[serde(rename = "kind")]
    _kind: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// The measured thread's period.
    pub interval: Time,
    /// How often it wakes on a machine of one processor.
    pub loops: u64,
    /// How often it wakes on one of four.
    pub loops_of_four: u64,
    /// How long after a full period the thread wakes, in microseconds: a run each.
    pub phases_us: Vec<u32>,
    /// How far one of four processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
    /// What the quick form has instead.
    pub quick: Option<toml::Table>,
}

/// A controller of EtherCAT in a guest, under each scheduler of a hypervisor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ethercat {
    #[serde(rename = "kind")]
    _kind: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// How many cycles of each case are counted.
    pub cycles: u64,
    /// Into how many parts of the cycle they are divided, which is where the segment's clock begins: a run each.
    pub phases: u64,
    /// How long a busy Linux is given to start before the controller begins.
    pub settle: Time,
    /// How far one of several processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// The cases.
    #[serde(rename = "case")]
    pub cases: Vec<EthercatCases>,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
    /// What the quick form has instead.
    pub quick: Option<toml::Table>,
}

/// Cases on one kind of machine: each scheduler in each cycle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EthercatCases {
    /// On what, beside whom.
    pub place: Place,
    /// Who schedules.
    pub schedulers: Vec<Scheduler>,
    /// From one exchange to the next, in microseconds.
    pub cycles_us: Vec<u32>,
}

/// A time with its unit, as people write it: `10 s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = String::deserialize(deserializer)?;
        text::duration(&words).map(Self).map_err(D::Error::custom)
    }
}

/// A policy by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyName(pub Policy);

impl<'de> Deserialize<'de> for PolicyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Policy::ALL.map(Policy::name).join(", ");
        let policy = name.parse().map(Self);
        policy.map_err(|_| {
            D::Error::custom(format!(
                "no policy is called `{name}`: name one of {}",
                known()
            ))
        })
    }
}

/// How much of what a file asks for is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// What its table `quick` has stands for the keys of these names; all, where there is none. Minutes.
    Quick,
    /// All of it, which may take hours.
    Full,
}

impl Size {
    /// What of a file was run, for its reader.
    pub fn told(self, quick: Option<&toml::Table>) -> &'static str {
        match (self, quick) {
            (Self::Quick, Some(_)) => {
                "quick: what the table `quick` of the file says; --full runs all"
            }
            _ => "full",
        }
    }
}

/// What is looked at first.
#[derive(Deserialize)]
struct Head {
    kind: Option<String>,
}

/// The kinds of experiments on several processors.
const KINDS: [&str; 5] = ["smp", "mechanisms", "latency", "hypervisor", "ethercat"];

/// Reads the experiment, where the text is that of one on several processors.
///
/// # Errors
/// When its kind is unknown, or a key is missing, unknown or broken.
pub fn several(text: &str, path: &Path, size: Size) -> Result<Option<Several>> {
    let head: Head = parse_as(text, path)?;
    let file = (text, path, size);
    let experiment = match head.kind.as_deref() {
        None => return Ok(None),
        Some("smp") => Several::Smp(read(file)?),
        Some("mechanisms") => Several::Mechanisms(read(file)?),
        Some("latency") => Several::Latency(read(file)?),
        Some("hypervisor") => Several::Hypervisor(read(file)?),
        Some("ethercat") => Several::Ethercat(read(file)?),
        Some(other) => {
            let cause = format!(
                "no experiment is of the kind `{other}`: there are {}",
                KINDS.join(", ")
            );
            return Err(load::refused(
                text,
                path,
                load::offset_of(text, "kind"),
                &cause,
            ));
        }
    };
    Ok(Some(experiment))
}

/// The table of a file that holds what the quick form has instead.
const QUICK: &str = "quick";

/// Reads the file, and once more with the keys of its quick form, where that is wanted and there is one.
fn read<T: DeserializeOwned>((text, path, size): (&str, &Path, Size)) -> Result<T> {
    let all: T = parse_as(text, path)?;
    let mut table: toml::Table = parse_as(text, path)?;
    let instead = table.get(QUICK).and_then(toml::Value::as_table).cloned();
    match (size, instead) {
        (Size::Full, _) | (_, None) => Ok(all),
        (Size::Quick, Some(instead)) => {
            table.extend(instead);
            T::deserialize(table).map_err(|error| {
                let place = load::offset_of(text, QUICK);
                load::refused(
                    text,
                    path,
                    place,
                    &format!("in `{QUICK}`: {}", error.message()),
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Several>> {
        several(text, Path::new("mine.toml"), Size::Full)
    }

    #[test]
    fn the_quick_form_has_its_own_keys() {
        let text = include_str!("../../../../experiments/ethercat.toml");
        let quick = |text: &str| several(text, Path::new("mine.toml"), Size::Quick);
        let Some(Several::Ethercat(it)) = quick(text).unwrap() else {
            panic!("of another kind");
        };
        assert!(it.cycles < 100_000, "{}", it.cycles);
        assert_eq!(it.settle.0, Duration::from_secs(3));
        let wrong = text.replacen("[quick]\n", "[quick]\nspeed = 7\n", 1);
        let error = quick(&wrong).unwrap_err().to_string();
        let line = 1 + text.lines().position(|line| line == "[quick]").unwrap();
        assert!(
            error.starts_with(&format!(
                "mine.toml:{line}: in `quick`: unknown field `speed`"
            )),
            "{error}"
        );
    }

    #[test]
    fn what_is_shipped_is_read() {
        let smp = include_str!("../../../../experiments/spacecraft.toml");
        assert!(
            matches!(read(smp).unwrap(), Some(Several::Smp(smp)) if smp.policy.0 == Policy::Edf)
        );
        let mechanisms = include_str!("../../../../experiments/mechanisms.toml");
        assert!(
            matches!(read(mechanisms).unwrap(), Some(Several::Mechanisms(it)) if it.loops == 100_000)
        );
        let latency = include_str!("../../../../experiments/latency.toml");
        assert!(matches!(read(latency).unwrap(), Some(Several::Latency(_))));
        let hypervisor = include_str!("../../../../experiments/hypervisor.toml");
        assert!(
            matches!(read(hypervisor).unwrap(), Some(Several::Hypervisor(it)) if it.phases_us.len() == 10)
        );
        let ethercat = include_str!("../../../../experiments/ethercat.toml");
        assert!(
            matches!(read(ethercat).unwrap(), Some(Several::Ethercat(it)) if it.cycles == 100_000)
        );
        let other = include_str!("../../../../experiments/ipc.toml");
        assert!(read(other).unwrap().is_none());
    }

    #[test]
    fn a_broken_line_is_named() {
        let smp = include_str!("../../../../experiments/spacecraft.toml");
        for (from, to, words) in [
            ("kind ", "knid ", "unknown field"),
            ("\"smp\"", "\"spm\"", "no experiment is of the kind `spm`"),
            ("\"10 s\"", "\"10\"", "`10` has no unit"),
            ("\"cbs\"", "\"cbz\"", "no policy is called `cbz`"),
            ("periods ", "period ", "unknown field `period`"),
        ] {
            let text = smp.replacen(from, to, 1);
            let broken = text
                .lines()
                .zip(smp.lines())
                .position(|(text, smp)| text != smp);
            let line = 1 + broken.unwrap_or_else(|| panic!("{from} is not there"));
            // Without its kind it is an experiment of one processor, with too many keys.
            let error = match read(&text) {
                Ok(None) => continue,
                Ok(_) => panic!("{to} was read"),
                Err(error) => error.to_string(),
            };
            assert!(error.starts_with(&format!("mine.toml:{line}: ")), "{error}");
            assert!(error.contains(words), "{error}");
        }
    }
}
