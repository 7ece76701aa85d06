//! The figures for programs.
//!
//! Owns: the JSON's shape, which is fixed. Must never know: how it is shown to people.

use serde::Serialize;
use taktos_export::{Evidence, in_order, to_json};

use super::Measured;
use crate::experiment::Scale;
use crate::response::PERCENTILES;

#[derive(Serialize)]
struct All {
    platform: String,
    evidence: Evidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    unit: &'static str,
    interval_us: u64,
    /// The usual cases.
    cases: Vec<One>,
    /// Those that depart from the usual in a parameter, which the scheduler's name says.
    variants: Vec<One>,
}

/// A case. `min`, `avg` and `max` are whole units, cut off as cyclictest cuts.
#[derive(Serialize)]
struct One {
    case: &'static str,
    scheduler: String,
    guest: &'static str,
    loops: u64,
    min: u64,
    avg: u64,
    max: u64,
    #[serde(serialize_with = "in_order")]
    percentiles: Vec<(String, u64)>,
    /// Whole units, and how often.
    histogram: Vec<(u64, u64)>,
}

/// The figures for programs.
pub fn json(platform: &str, scale: Option<Scale>, interval_us: u64, all: &[Measured]) -> String {
    let of = |variants: bool| {
        let chosen = all
            .iter()
            .filter(move |one| one.case.is_variant() == variants);
        chosen.map(one).collect()
    };
    to_json(&All {
        platform: platform.to_owned(),
        evidence: Evidence::Emulated,
        form: scale.map(Scale::name),
        unit: "1000 instructions",
        interval_us,
        cases: of(false),
        variants: of(true),
    })
}

fn one(Measured { case, latency }: &Measured) -> One {
    let percentile =
        |(name, part, whole): (&str, u64, u64)| (name.to_owned(), latency.quantile(part, whole));
    One {
        case: case.place.name(),
        scheduler: case.scheduler(),
        guest: case.guest.name(),
        loops: latency.loops(),
        min: latency.min(),
        avg: latency.avg(),
        max: latency.max(),
        percentiles: PERCENTILES.map(percentile).to_vec(),
        histogram: latency.histogram(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::example;
    use super::*;

    #[test]
    fn programs_find_each_case() {
        let data: serde_json::Value =
            serde_json::from_str(&json("virt", Some(Scale::Quick), 1000, &example())).unwrap();
        let rtds = data["cases"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["case"] == "shared")
            .unwrap();
        assert_eq!(rtds["scheduler"], "rtds");
        assert_eq!(rtds["guest"], "linux-rt");
        let of = |key: &str| rtds[key].as_u64().unwrap();
        assert_eq!(
            (of("loops"), of("min"), of("avg"), of("max")),
            (100, 5, 5, 30)
        );
        assert_eq!(rtds["percentiles"]["99"], 5);
        assert_eq!(rtds["histogram"], serde_json::json!([[5, 99], [30, 1]]));
        assert_eq!(data["variants"][0]["scheduler"], "rtds-4-in-10");
        assert_eq!(data["form"], "quick");
        assert_eq!(data["unit"], "1000 instructions");
    }
}
