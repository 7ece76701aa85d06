//! Contents of a pivot's cell, and their text.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use taktos_export::table::{Cell, thousands};

use crate::experiment::Shown;
use crate::number::{millis, percent, signed, with_sign};
use crate::samples::{Statistic, Unit, Values};

/// Contents of a cell, for the cells that are derived from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    None,
    /// A statistic of samples.
    Measured(Unit, u64),
    /// Least, mean, greatest.
    Three([u64; 3]),
    /// A difference of two statistics.
    Difference(i64),
    /// A change from one to the other, or a published range of it, in hundredths of a per cent.
    Change(i64, i64),
}

impl Figure {
    /// Least, mean and greatest of these values.
    pub(super) fn three(values: &Values) -> Self {
        let of = [Statistic::Minimum, Statistic::Mean, Statistic::Maximum];
        match of.map(|statistic| values.statistic(statistic)) {
            [Some(least), Some(mean), Some(greatest)] => Self::Three([least, mean, greatest]),
            _ => Self::None,
        }
    }

    /// The figure as a cell; a count stays one, for programs.
    pub(super) fn cell(self, how: Option<Shown>) -> Cell {
        match (self, how) {
            (Self::Measured(unit, count), None) if unit != Unit::Share => Cell::Count(count),
            (figure, how) => figure.shown(how).into(),
        }
    }

    /// A figure as people read it.
    pub(super) fn shown(self, how: Option<Shown>) -> Option<String> {
        Some(match (self, how) {
            (Self::None, _) => return None,
            (Self::Measured(Unit::Share, share), _) => percent(share),
            (Self::Measured(_, nanos), Some(Shown::Ms)) => millis(nanos),
            (Self::Measured(_, count), _) => thousands(count),
            (Self::Three([least, mean, greatest]), _) => format!("{least}/{mean}/{greatest}"),
            (Self::Difference(difference), _) => with_sign(difference),
            (Self::Change(low, high), _) if low == high => signed(low),
            (Self::Change(low, high), _) => format!("{} to {}", signed(low), signed(high)),
        })
    }

    /// Returns the place of our figure: equal if it is in the stated range; none if nothing is
    /// stated.
    pub(super) fn beside(self, theirs: Self) -> Option<Ordering> {
        let above = |is: bool| if is { Greater } else { Equal };
        Some(match (self, theirs) {
            (Self::Change(ours, _), Self::Change(low, _)) if ours < low => Less,
            (Self::Change(ours, _), Self::Change(_, high)) => above(ours > high),
            (Self::Difference(ours), Self::Difference(theirs)) => ours.cmp(&theirs),
            (Self::Measured(_, ours), Self::Measured(_, theirs)) => above(ours > theirs),
            (Self::Three(ours), Self::Three(theirs)) => {
                above(ours.iter().zip(&theirs).any(|(ours, theirs)| ours > theirs))
            }
            _ => return None,
        })
    }

    /// By what figures of one column are ordered; none where there is no figure.
    pub(super) fn order(self) -> Option<i128> {
        match self {
            Self::None => None,
            Self::Measured(_, value) | Self::Three([.., value]) => Some(i128::from(value)),
            Self::Difference(value) | Self::Change(value, _) => Some(i128::from(value)),
        }
    }
}
