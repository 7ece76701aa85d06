//! The statistics of samples, in the form in which they are written down.

use serde::{Deserialize, Serialize};
use taktos_emulator::Statistics;

/// Summary of a set of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The least.
    pub min: u64,
    /// The middle one; of an even number, the lower of the two.
    pub median: u64,
    /// The greatest: a worst case is no percentile.
    pub max: u64,
    /// How many there are.
    pub samples: u64,
}

impl Summary {
    /// The summary of the values, or nothing where there are none.
    pub fn of(values: impl Iterator<Item = u64>) -> Option<Self> {
        let Statistics {
            min,
            median,
            max,
            samples,
        } = Statistics::of(values)?;
        Some(Self {
            min,
            median,
            max,
            samples: samples as u64,
        })
    }
}
