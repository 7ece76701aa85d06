//! Distributions as data.

use serde_json::{Value, json};

use super::{Distribution, PERCENTILES};

/// The distribution for programs, in nanoseconds; the histogram has each value, and how often.
pub fn form(times: &Distribution) -> Value {
    json!({
        "samples": times.samples(),
        "min": times.min(),
        "mean": times.mean(),
        "max": times.max(),
        "percentiles": percentiles(|part, whole| times.quantile(part, whole)),
        "histogram": times.counts(),
    })
}

/// The percentiles that are shown, by their names.
pub fn percentiles(quantile: impl Fn(u64, u64) -> u64) -> Value {
    let all = PERCENTILES.into_iter();
    all.map(|(name, part, whole)| (name, quantile(part, whole)))
        .collect()
}
