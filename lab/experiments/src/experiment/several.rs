//! The schemas of the experiments on several processors. The key `kind` distinguishes them; an
//! unknown key is an error.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use taktos_simulate::Policy;
use taktos_simulate::file::text;
use taktos_time::Duration;

use super::file::Figure;
use super::load::{self, parse_as, parse_at};
use super::scale::Scale;
use crate::ethercat::{Named, Place, Scheduler};

/// An experiment on several processors.
#[derive(Debug)]
pub enum Several {
    /// A task set under each policy.
    Smp(Posed<Smp>),
    /// The response times of mechanisms.
    Mechanisms(Posed<Mechanisms>),
    /// Periodic threads on each processor.
    Latency(Posed<Latency>),
    /// Real-time guests under each scheduler of a hypervisor.
    Hypervisor(Posed<Hypervisor>),
    /// A controller of EtherCAT in a guest.
    Ethercat(Posed<Ethercat>),
}

/// An experiment with its question and its figures, and the keys of its kind.
#[derive(Debug)]
pub struct Posed<T> {
    /// Its title.
    pub title: String,
    /// Its question.
    pub question: String,
    /// Figures that answer the question, in the order in which they are shown.
    pub figures: Vec<Figure>,
    /// The keys of its kind.
    pub own: T,
}

impl<T> Deref for Posed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.own
    }
}

/// A task set on the kernel, on one processor and on several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Smp {
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
    /// The policy of the detailed runs: next to the paper, in each layout, at each quantum, and for
    /// the overhead.
    pub policy: PolicyName,
    /// The periods for which the overhead is measured.
    pub periods: Vec<Time>,
}

/// The response times of mechanisms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mechanisms {
    /// The board, unless the command line names another.
    pub board: String,
    /// The program that it runs.
    pub program: String,
    /// How often each experiment is repeated.
    pub loops: u64,
    /// The period of those that are periodic.
    pub interval: Time,
    /// The configurations of machines with two guests, by their names without `.toml`, next to this
    /// file.
    #[serde(default)]
    pub partitions: Vec<String>,
}

/// Periodic threads on each processor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Latency {
    /// The board, unless the command line names another.
    pub board: String,
    /// The program that it runs.
    pub program: String,
    /// How often each thread wakes.
    pub loops: u64,
    /// The threads' period.
    pub interval: Time,
}

/// Real-time guests under each scheduler of a hypervisor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hypervisor {
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// The measured thread's period.
    pub interval: Time,
    /// How often it wakes on a machine of one processor.
    pub loops: u64,
    /// How often it wakes on one of four; 0: there are no such cases.
    pub loops_of_four: u64,
    /// How long after a full period the thread wakes, in microseconds: a run each.
    pub phases_us: Vec<u32>,
    /// How far one of four processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// Whether the cases that depart from the usual in a parameter are run, too.
    pub variants: bool,
}

/// A controller of EtherCAT in a guest, under each scheduler of a hypervisor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ethercat {
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// How many cycles of each case are counted.
    pub cycles: u64,
    /// Into how many parts of the cycle they are divided, which is where the segment's clock
    /// begins: a run each.
    pub phases: u64,
    /// How long a busy Linux is given to start before the controller begins.
    pub settle: Time,
    /// How far one of several processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// The segment's devices, from the MainDevice on; without any, the experiment's own five.
    #[serde(rename = "device", default)]
    pub devices: Vec<Named>,
    /// The cases.
    #[serde(rename = "case")]
    pub cases: Vec<EthercatCases>,
}

/// Cases on one kind of machine: each scheduler in each cycle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EthercatCases {
    /// Their machine and neighbours.
    pub place: Place,
    /// Its schedulers.
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

/// Keys that are read first.
#[derive(Deserialize)]
struct First {
    kind: Option<String>,
    quick: Option<IgnoredAny>,
}

/// Keys of every kind.
#[derive(Deserialize)]
struct Head {
    title: String,
    question: String,
    #[serde(rename = "figure", default)]
    figures: Vec<Figure>,
}

/// Names of the keys of every kind.
const HEAD: [&str; 4] = ["kind", "title", "question", "figure"];

/// The kinds of experiments on several processors.
const KINDS: [&str; 5] = ["smp", "mechanisms", "latency", "hypervisor", "ethercat"];

/// Reads the experiment in a form, where the text is that of one on several processors; says which
/// form it is where there are two.
///
/// # Errors
/// When its kind is unknown, or a key is missing, unknown or broken, in either form.
pub fn several(text: &str, path: &Path, wanted: Scale) -> Result<Option<(Several, Option<Scale>)>> {
    let head: First = parse_as(text, path)?;
    let Some(kind) = head.kind else {
        return Ok(None);
    };
    let full = of_kind(&kind, text, path, Scale::Full)?;
    if head.quick.is_none() {
        return Ok(Some((full, None)));
    }
    let quick = of_kind(&kind, text, path, Scale::Quick)?;
    let chosen = match wanted {
        Scale::Quick => quick,
        Scale::Full => full,
    };
    Ok(Some((chosen, Some(wanted))))
}

/// Reads an experiment of a kind with the keys of `T`.
fn posed<T: DeserializeOwned>(text: &str, path: &Path, scale: Scale) -> Result<Posed<T>> {
    let head = parse_at(text, path, scale, |key| HEAD.contains(&key));
    let own = parse_at(text, path, scale, |key| !HEAD.contains(&key))?;
    let Head {
        title,
        question,
        figures,
    } = head?;
    Ok(Posed {
        title,
        question,
        figures,
        own,
    })
}

fn of_kind(kind: &str, text: &str, path: &Path, scale: Scale) -> Result<Several> {
    Ok(match kind {
        "smp" => Several::Smp(posed(text, path, scale)?),
        "mechanisms" => Several::Mechanisms(posed(text, path, scale)?),
        "latency" => Several::Latency(posed(text, path, scale)?),
        "hypervisor" => Several::Hypervisor(posed(text, path, scale)?),
        "ethercat" => Several::Ethercat(posed(text, path, scale)?),
        other => {
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Several>> {
        let found = several(text, Path::new("mine.toml"), Scale::Full)?;
        Ok(found.map(|(several, _)| several))
    }

    #[test]
    fn the_quick_form_is_chosen_where_there_is_one() {
        let quick = |text| several(text, Path::new("mine.toml"), Scale::Quick).unwrap();
        let smp = include_str!("../../../../experiments/spacecraft.toml");
        let (Several::Smp(few), scale) = quick(smp).unwrap() else {
            panic!("of another kind");
        };
        let Some(Several::Smp(all)) = read(smp).unwrap() else {
            panic!("of another kind");
        };
        assert_eq!(scale, Some(Scale::Quick));
        assert!(few.policies.len() < all.policies.len() && few.policies.contains(&few.policy));
        assert_eq!(few.horizon, all.horizon, "the paper's");
        let hypervisor = include_str!("../../../../experiments/hypervisor.toml");
        assert!(
            matches!(quick(hypervisor), Some((Several::Hypervisor(it), _)) if it.loops_of_four == 0)
        );
        let ethercat = include_str!("../../../../experiments/ethercat.toml");
        let Some((Several::Ethercat(it), _)) = quick(ethercat) else {
            panic!("of another kind");
        };
        assert!(it.cycles < 100_000, "{}", it.cycles);
        assert_eq!(it.settle.0, Duration::from_secs(3));
        let latency = include_str!("../../../../experiments/latency.toml");
        assert!(matches!(quick(latency), Some((_, None))));
    }

    #[test]
    fn what_is_wrong_in_the_quick_form_is_named() {
        let text = include_str!("../../../../experiments/ethercat.toml");
        let wrong = text.replacen("[quick]\n", "[quick]\nspeed = 7\n", 1);
        let error = read(&wrong).unwrap_err().to_string();
        let line = 2 + text.lines().position(|line| line == "[quick]").unwrap();
        let cause = format!("mine.toml:{line}: unknown field `speed`");
        assert!(error.starts_with(&cause), "{error}");
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
            // Of the form that is not wanted, too.
            (
                "[\"priority\", \"edf\"]",
                "[\"edg\"]",
                "no policy is called `edg`",
            ),
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
