//! The schema of an experiment file. An unknown key is an error.

use std::collections::BTreeMap;

use serde::Deserialize;
use taktos_export::plot;
use toml::Spanned;

use crate::measure::Labels;
use crate::samples::{Statistic, Unit};

/// An experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its title.
    pub title: String,
    /// Its question.
    pub question: String,
    /// The board that it runs on, unless the command line names another.
    pub board: Spanned<String>,
    /// The program that it runs: a binary of the board's crate.
    pub program: Spanned<String>,
    /// Figures that answer the question, in the order in which they are shown.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
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
    /// The schedule of the threads.
    Schedule(Schedule),
    /// The parts of one operation, analysed and measured.
    Parts(Parts),
    /// Operations next to other systems and goals.
    Goals(Goals),
    /// A row for each case, a column for each statistic, change or published figure.
    Pivot(Pivot),
}

impl Figure {
    /// Returns its title.
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
            Self::Pivot(pivot) => &pivot.title,
        }
    }

    /// The labels of the cases that it is about; none: all cases.
    pub const fn only(&self) -> Option<&Labels> {
        match self {
            Self::Curve(curve) => Some(&curve.only),
            Self::Summary(spread)
            | Self::Histogram(spread)
            | Self::Phases(spread)
            | Self::Tail(spread) => Some(&spread.only),
            Self::Pivot(pivot) => Some(&pivot.only),
            Self::Schedule(_) | Self::Parts(_) | Self::Goals(_) => None,
        }
    }

    /// Returns whether the figure is empty without a model of the processor.
    pub fn needs_cycles(&self) -> bool {
        match self {
            Self::Curve(curve) => curve.unit == Unit::Cycles,
            Self::Phases(_) => true,
            Self::Histogram(spread) | Self::Tail(spread) => {
                spread.unit.unwrap_or(Unit::Cycles) == Unit::Cycles
            }
            Self::Parts(parts) => parts.unit == Unit::Cycles,
            Self::Summary(_) | Self::Schedule(_) | Self::Goals(_) | Self::Pivot(_) => false,
        }
    }
}

/// A statistic of some marks along a label of the rounds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curve {
    /// Its title.
    pub title: String,
    /// The marks, each a series.
    pub marks: Vec<String>,
    /// The label that the curve runs along; its values are numbers.
    pub along: String,
    /// The label that distinguishes series of one mark.
    pub by: Option<String>,
    /// The cases: those that have these labels.
    #[serde(default, rename = "where")]
    pub only: Labels,
    /// Unit of the counts.
    pub unit: Unit,
    /// Statistic of the samples of a round.
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

/// Others' figures next to a curve.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCurve {
    /// The file in `experiments/published`, without its ending.
    pub file: String,
    /// The table in it.
    pub table: String,
    /// Name of the columns.
    pub name: String,
    /// Evidence of the figures.
    pub basis: String,
    /// The key of the values along.
    pub along: String,
    /// For a mark, the key of its values.
    pub series: BTreeMap<String, String>,
}

/// Some marks, or all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Its title.
    pub title: String,
    /// The marks; without them, all that have samples.
    #[serde(default)]
    pub marks: Vec<String>,
    /// The label that distinguishes rows; without it, all cases are one.
    pub along: Option<String>,
    /// The label of which each value has a plot of its own.
    pub per: Option<String>,
    /// The cases: those that have these labels.
    #[serde(default, rename = "where")]
    pub only: Labels,
    /// Unit of the counts; tables show instructions and cycles if there is none.
    pub unit: Option<Unit>,
    /// Statistics of the samples in tables.
    #[serde(default = "least_median_greatest")]
    pub statistics: Vec<Statistic>,
}

fn least_median_greatest() -> Vec<Statistic> {
    vec![Statistic::Minimum, Statistic::Median, Statistic::Maximum]
}

/// A table turned out of the samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pivot {
    /// Its title.
    pub title: String,
    /// The cases: those that have these labels.
    #[serde(default, rename = "where")]
    pub only: Labels,
    /// The labels that distinguish rows.
    pub rows: Vec<String>,
    /// The columns, in their order.
    #[serde(rename = "column")]
    pub columns: Vec<PivotColumn>,
    /// The file in `experiments/published` that columns of others' figures are of, without its
    /// ending.
    pub published: Option<String>,
    /// For a label's value, what it is called in that file, where that is not the same.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The columns that are summed up in the answer.
    #[serde(default)]
    pub verdict: Vec<String>,
    /// Notes below it.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether it is in the report alone.
    #[serde(default)]
    pub detail: bool,
}

/// A column: one of `mark`, `change`, `difference`, `theirs` and `within` says what of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PivotColumn {
    /// Heading of the column.
    pub name: String,
    /// The mark that is measured.
    pub mark: Option<String>,
    /// Statistic of its samples; the mean if there is none.
    pub statistic: Option<Statistic>,
    /// Whether least, mean and greatest are shown for them: `4/5/12`.
    #[serde(default)]
    pub three: bool,
    /// The cases: those of the row that have these labels.
    #[serde(default, rename = "where")]
    pub only: Labels,
    /// A label: there is a column for each of its values, which replaces `{label}` in the name.
    pub each: Option<String>,
    /// The relative change from one column before to another.
    pub change: Option<[String; 2]>,
    /// The difference from one column before to another.
    pub difference: Option<[String; 2]>,
    /// The key of others' figure in the published file; the row's label replaces `{label}`.
    pub theirs: Option<String>,
    /// The file that they are of, where that is not the figure's own.
    pub published: Option<String>,
    /// Evidence of others' figures.
    pub basis: Option<String>,
    /// A verdict: whether the first of these columns is within the range of the second one.
    pub within: Option<[String; 2]>,
    /// From how many samples on that verdict is given.
    pub from: Option<Enough>,
    /// Why ours differs, which is next to each "no".
    pub why: Option<Why>,
    /// How the figure is written.
    pub shown: Option<Shown>,
}

/// A number of samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enough {
    /// The column that counts them.
    pub column: String,
    /// The least.
    pub least: u64,
}

/// Reasons for a figure that differs from others'.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// Ours is less.
    pub below: Option<String>,
    /// Ours is more.
    pub above: Option<String>,
}

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// Nanoseconds as milliseconds with three decimals.
    Ms,
    /// With its sign.
    Difference,
    /// In per cent, with its sign.
    Change,
}

/// The schedule of the threads, from the begin of a round.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Its title.
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
    /// Its title.
    pub title: String,
    /// Unit of the counts.
    pub unit: Unit,
    /// For each part, its mark, in the order of the rows.
    pub parts: toml::Table,
    /// Others' figures.
    pub published: Option<PublishedParts>,
}

/// Others' figures next to parts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedParts {
    /// The file in `experiments/published`, without its ending.
    pub file: String,
    /// The table of analysed figures.
    pub analysed: String,
    /// The table of measured figures.
    pub measured: String,
    /// Evidence of the measured figures.
    pub basis: String,
}

/// Operations next to other systems and goals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goals {
    /// Its title.
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
    /// Evidence of the figures.
    pub basis: String,
    /// The board that they are of: on another one, nothing is compared.
    pub board: String,
}
