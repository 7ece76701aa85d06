//! Distributions as data.

use serde_json::{Value, json};

use super::{Distribution, PERCENTILES, tells};

/// The distribution for programs, in nanoseconds; the histogram has each value, and how often.
pub fn form(times: &Distribution) -> Value {
    json!({
        "samples": times.samples(),
        "min": times.min(),
        "mean": times.mean(),
        "max": times.max(),
        "percentiles": percentiles(times.samples(), |part, whole| times.quantile(part, whole)),
        "histogram": times.counts(),
    })
}

/// The percentiles that are shown, by their names; nothing where the samples do not tell one.
pub fn percentiles(samples: u64, quantile: impl Fn(u64, u64) -> u64) -> Value {
    let one = |(name, part, whole)| {
        let told = tells(samples, part, whole);
        (name, told.then(|| quantile(part, whole)))
    };
    PERCENTILES.into_iter().map(one).collect()
}
