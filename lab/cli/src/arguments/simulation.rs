//! Arguments of the simulator, and of the generator of task sets.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use taktos_simulate::file::{suggest, text};
use taktos_simulate::generate::{Deadlines, Method, Periods};
use taktos_simulate::{Order, Policy};
use taktos_time::Duration;

use super::Format;
use crate::simulation::ClusterRequest;

pub(super) const SIM_EXAMPLES: &str = "\
Examples:
  taktos sim experiments/onboard.toml                        each policy in turn
  taktos sim experiments/onboard.toml --cpus 4 --scheduler edf --format json
  taktos sim experiments/onboard.toml --clusters edf:0-1,priority:2-3
  taktos sim experiments/onboard.toml --clusters 0-1,2-3 --scheduler priority
  taktos sim experiments/onboard.toml --for 100s --trace     the whole trace
  taktos sim experiments/onboard.toml experiments/guests.toml --for 1s   beside each other
  taktos sim --scenario experiments/scenarios/smp01.scenario
  taktos sim --storm --seed 7                                random schedules, laws checked

A task set is a file in TOML (experiments/onboard.toml shows the form), an rt-app
file (JSON) or a SimSo file (XML). Times have a unit: 100ms, 250us, 10s.
Policies: simple, priority, edf, priority-affinity, strong-affinity, cbs.";

pub(super) const GENERATE_EXAMPLES: &str = "\
Examples:
  taktos generate                                            ten tasks, one processor's load
  taktos generate --tasks 20 --utilisation 3 --most 0.5      no task above one half
  taktos generate --periods automotive --min-period 1ms --max-period 1s
  taktos generate --deadlines 0.5..1 --seed 7 --index 3      set 3 of experiment 7
  taktos generate --sets 100 --out sets                      a hundred files, for: taktos sim sets
  taktos generate --sets 100                                 a hundred sets in one text, for: taktos sim -

The same options give the same bytes, on any machine.";

/// Input, set-up and output of a simulation.
#[derive(Args, Debug, Clone)]
pub struct SimOptions {
    /// Task set (TOML, rt-app JSON, SimSo XML), several, or a directory to compare; `-` for stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Run these scenario scripts instead: every `expect` must hold
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["files", "storm"])]
    pub scenario: Vec<PathBuf>,
    /// Run random schedules from a seed instead, and check scheduler invariants after each event
    #[arg(long, conflicts_with = "files")]
    pub storm: bool,
    /// The policy, `all`, or fixed priorities by period (`rm`), by deadline (`dm`) or as given
    /// (`fp`); default: the file's, or all
    #[arg(long, value_name = "POLICY", value_parser = scheduler)]
    pub scheduler: Option<SchedulerChoice>,
    /// How many processors; default: the file's, or 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub cpus: Option<u8>,
    /// Scheduler instances: processors, each with a policy before it where one is wanted
    #[arg(long, value_name = "LIST", value_parser = clusters, conflicts_with = "cpus")]
    pub clusters: Option<Clusters>,
    /// How much virtual time passes; default: the file's, or 10s
    #[arg(long = "for", value_name = "TIME", value_parser = text::duration)]
    pub horizon: Option<Duration>,
    /// Cost model of the kernel (TOML file); default: the file's, or no costs
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Seed of random draws; default: the file's, or 0
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Number of runs with different seeds; results are combined
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub replications: u64,
    /// Worker threads; 0: one for each processor of this machine
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub jobs: u16,
    /// Trace the whole run, not its first part only; and write the trace to FILE too
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub trace: Option<Option<PathBuf>>,
    /// Number of commands in a stress test
    #[arg(long, value_name = "N", default_value_t = 2_000, requires = "storm", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub events: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// The result directory; default: out/sim-NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Exit with status 1 when a deadline is missed
    #[arg(long)]
    pub fail_on_miss: bool,
}

/// One policy, or all in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchedulerChoice {
    /// Each policy in turn.
    All,
    /// This one.
    One(Policy),
    /// Fixed priorities by this rule.
    By(Order),
}

/// Scheduler instances, as they stand on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters(pub Vec<ClusterRequest>);

/// Other names of the policies.
const OTHER_NAMES: [(&str, &str); 3] = [
    ("gedf", "edf"),
    ("g-edf", "edf"),
    ("apa", "strong-affinity"),
];

fn scheduler(text: &str) -> Result<SchedulerChoice, String> {
    let word = text.to_ascii_lowercase();
    if word == "all" {
        return Ok(SchedulerChoice::All);
    }
    if let Some(order) = Order::ALL.into_iter().find(|order| order.name() == word) {
        return Ok(SchedulerChoice::By(order));
    }
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == word);
    let name = other.map_or(word.as_str(), |(_, policy)| policy);
    name.parse().map(SchedulerChoice::One).map_err(|_| {
        let known = Policy::ALL.map(Policy::name).into_iter();
        let known = known.chain(Order::ALL.map(Order::name)).chain(["all"]);
        format!("no policy has this name: {}", suggest::hint(text, known))
    })
}

fn clusters(text: &str) -> Result<Clusters, String> {
    crate::simulation::clusters(text).map(Clusters)
}

/// Properties of the generated sets, and where they go.
#[derive(Args, Debug, Clone)]
pub struct GenerateOptions {
    /// How many tasks a set has
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub tasks: u16,
    /// The sum of the utilisations, in processors
    #[arg(long, value_name = "U", default_value = "1", value_parser = text::billionths)]
    pub utilisation: u64,
    /// How utilisations are drawn: uunifast, uunifast-discard, randfixedsum or drs
    #[arg(long, value_name = "METHOD", default_value = "drs", value_parser = method)]
    pub method: Method,
    /// The least utilisation of a task
    #[arg(long, value_name = "U", default_value = "0", value_parser = text::billionths)]
    pub least: u64,
    /// The greatest utilisation of a task; several, with commas: one for each task
    #[arg(long, value_name = "U", default_value = "1", value_parser = text::billionths, value_delimiter = ',')]
    pub most: Vec<u64>,
    /// How periods are distributed: uniform, log-uniform, harmonic, limited or automotive
    #[arg(long, value_name = "KIND", default_value = "log-uniform", value_parser = periods)]
    pub periods: Periods,
    /// The shortest period
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = text::duration)]
    pub min_period: Duration,
    /// The longest period
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = text::duration)]
    pub max_period: Duration,
    /// Unit of which periods are multiples
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = text::duration)]
    pub granularity: Duration,
    /// `implicit` (the period), or the part of the way from C to T in which they lie: 0.5..1
    #[arg(long, value_name = "KIND", default_value = "implicit", value_parser = deadlines)]
    pub deadlines: Deadlines,
    /// The experiment that the sets belong to
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// The point of the experiment
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub point: u32,
    /// Which set of the point; with --sets the first one
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub index: u32,
    /// How many sets
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub sets: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = SetForm::Toml)]
    pub format: SetForm,
    /// A file for one set, a directory for several; default: the screen, one set after the other
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// The forms of a generated task set.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetForm {
    /// TOML that `taktos sim` reads
    Toml,
    /// For programs: times in nanoseconds
    Json,
    /// One line a task: times in nanoseconds
    Csv,
}

impl SetForm {
    /// The ending of a file of this form.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Toml => "toml",
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

fn method(text: &str) -> Result<Method, String> {
    by_name(text, &Method::ALL.map(|method| (method.name(), method)))
}

fn periods(text: &str) -> Result<Periods, String> {
    by_name(text, &Periods::ALL.map(|periods| (periods.name(), periods)))
}

fn by_name<T: Copy>(text: &str, known: &[(&'static str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == text);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| suggest::hint(text, known.iter().map(|(name, _)| *name)))
}

fn deadlines(text: &str) -> Result<Deadlines, String> {
    if text == "implicit" {
        return Ok(Deadlines::Implicit);
    }
    let wrong = || "write `implicit`, or two shares from 0 to 1, such as 0.5..1".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let share = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|share| (0.0..=1.0).contains(share))
    };
    match (share(from), share(to)) {
        (Some(from), Some(to)) if from <= to => Ok(Deadlines::Constrained(from, to)),
        _ => Err(wrong()),
    }
}
