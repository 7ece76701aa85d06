//! Distributions as data.

use serde::Serialize;
use taktos_export::in_order;

use super::{Distribution, PERCENTILES};

/// A distribution for programs, in nanoseconds.
#[derive(Serialize)]
pub struct Form {
    samples: u64,
    min: u64,
    mean: u64,
    max: u64,
    #[serde(serialize_with = "in_order")]
    percentiles: Vec<(String, u64)>,
    /// Value, and how often.
    histogram: Vec<(u64, u64)>,
}

/// The distribution for programs.
pub fn form(times: &Distribution) -> Form {
    let percentile =
        |(name, part, whole): (&str, u64, u64)| (name.to_owned(), times.quantile(part, whole));
    Form {
        samples: times.samples(),
        min: times.min(),
        mean: times.mean(),
        max: times.max(),
        percentiles: PERCENTILES.map(percentile).to_vec(),
        histogram: times.counts().to_vec(),
    }
}
