//! The schema of an experiment file. An unknown key is an error.

use serde::Deserialize;
use taktos_emulator::Count;
use taktos_export::{Evidence, plot};
use toml::Spanned;

use crate::measure::{Labels, Summary};

/// An experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// The board that it runs on, unless the command line names another.
    pub board: Spanned<String>,
    /// The program that it runs: a binary of the board's crate.
    pub program: Spanned<String>,
    /// What answers the question, in the order in which it is shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Executed instructions.
    Instructions,
    /// Modelled cycles.
    Cycles,
}

impl Unit {
    /// The unit's name in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
        }
    }

    /// What a figure in this unit rests on.
    pub const fn evidence(self) -> Evidence {
        match self {
            Self::Instructions => Evidence::Emulated,
            Self::Cycles => Evidence::Modelled,
        }
    }

    /// This unit's part of a sample.
    pub const fn of(self, sample: &Count) -> u64 {
        match self {
            Self::Instructions => sample.instructions,
            Self::Cycles => sample.cycles,
        }
    }
}

/// Which statistic stands for a set of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The least, as the papers take it.
    Minimum,
    /// The middle one.
    Median,
    /// The greatest.
    Maximum,
}

impl Statistic {
    /// The statistic's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Median => "median",
            Self::Maximum => "maximum",
        }
    }

    /// The statistic of a summary.
    pub const fn of(self, summary: Summary) -> u64 {
        match self {
            Self::Minimum => summary.min,
            Self::Median => summary.median,
            Self::Maximum => summary.max,
        }
    }
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal differences, from zero.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
    /// Every value that occurs, evenly.
    Steps,
}

impl From<Scale> for plot::Scale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Linear => Self::Linear,
            Scale::Log => Self::Log,
            Scale::Steps => Self::Steps,
        }
    }
}

/// A figure.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Figure {
    /// A statistic of some marks along a label of the rounds.
    Curve(Curve),
    /// Least, middle and greatest of some marks.
    Summary(Spread),
    /// How often each value occurred.
    Histogram(Spread),
    /// Which part of the kernel the cost belongs to.
    Phases(Spread),
    /// How likely a larger value is.
    Tail(Spread),
    /// Who ran when.
    Schedule(Schedule),
    /// The parts of one operation, analysed and measured.
    Parts(Parts),
    /// Operations beside other systems and goals.
    Goals(Goals),
}

impl Figure {
    /// What it shows.
    pub fn title(&self) -> &str {
        match self {
            Self::Curve(curve) => &curve.title,
            Self::Summary(spread)
            | Self::Histogram(spread)
            | Self::Phases(spread)
            | Self::Tail(spread) => &spread.title,
            Self::Schedule(schedule) => &schedule.title,
            Self::Parts(parts) => &parts.title,
            Self::Goals(goals) => &goals.title,
        }
    }

    /// Whether there is nothing of it without a model of the processor.
    pub fn needs_cycles(&self) -> bool {
        match self {
            Self::Curve(curve) => curve.unit == Unit::Cycles,
            Self::Phases(_) => true,
            Self::Histogram(spread) | Self::Tail(spread) => spread.unit != Some(Unit::Instructions),
            Self::Parts(parts) => parts.unit == Unit::Cycles,
            Self::Summary(_) | Self::Schedule(_) | Self::Goals(_) => false,
        }
    }
}

/// A statistic of some marks along a label of the rounds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curve {
    /// What it shows.
    pub title: String,
    /// The marks, each a series.
    pub marks: Vec<String>,
    /// The rounds' label that the curve runs along; its values are numbers.
    pub along: String,
    /// What is counted.
    pub unit: Unit,
    /// What stands for the samples of a round.
    pub statistic: Statistic,
    /// How the axis along is divided.
    #[serde(default)]
    pub x_scale: Scale,
    /// How the axis up is divided.
    #[serde(default)]
    pub y_scale: Scale,
    /// Others' figures.
    pub published: Option<PublishedCurve>,
}

/// Others' figures beside a curve.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCurve {
    /// The file in `experiments/published`, without its ending.
    pub file: String,
    /// The table in it.
    pub table: String,
    /// What the columns are called.
    pub name: String,
    /// What the figures rest on.
    pub basis: String,
    /// The key of the values along.
    pub along: String,
    /// For a mark, the key of its values.
    pub series: std::collections::BTreeMap<String, String>,
}

/// Some marks, or all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// What it shows.
    pub title: String,
    /// The marks; without them, all that have samples.
    #[serde(default)]
    pub marks: Vec<String>,
    /// The rounds' label that tells rows apart; without it, all rounds are one.
    pub along: Option<String>,
    /// What is counted; tables show both.
    pub unit: Option<Unit>,
}

/// Who ran when, from the begin of a round.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// What it shows.
    pub title: String,
    /// The labels of the round; without them, the first one.
    #[serde(default)]
    pub round: Labels,
    /// How many switches it shows.
    pub switches: usize,
}

/// The parts of one operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// What it shows.
    pub title: String,
    /// What is counted.
    pub unit: Unit,
    /// For each part, its mark, in the order of the rows.
    pub parts: toml::Table,
    /// Others' figures.
    pub published: Option<PublishedParts>,
}

/// Others' figures beside parts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedParts {
    /// The file in `experiments/published`, without its ending.
    pub file: String,
    /// The table of analysed figures.
    pub analysed: String,
    /// The table of measured figures.
    pub measured: String,
    /// What the measured figures rest on.
    pub basis: String,
}

/// Operations beside other systems and goals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goals {
    /// What it shows.
    pub title: String,
    /// The other systems' figures.
    pub published: PublishedPeers,
}

/// Other systems' figures and the goals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPeers {
    /// The file in `experiments/published`, without its ending.
    pub file: String,
    /// What the figures rest on.
    pub basis: String,
    /// The board that they are of: on another one, nothing is compared.
    pub board: String,
}
