//! The figures for programs.
//!
//! Owns: the JSON's shape, which is fixed. Must never know: how it is shown to people.

use serde_json::{Value, json};

use super::Measured;
use crate::experiment::Scale;
use crate::form::of_several;
use crate::response::percentiles;

/// The figures for programs: the usual cases, and those that depart from the usual in a parameter, which the scheduler's
/// name says.
pub fn json(platform: &str, scale: Option<Scale>, interval_us: u64, all: &[Measured]) -> String {
    let of = |variants: bool| -> Vec<Value> {
        let chosen = all
            .iter()
            .filter(move |one| one.case.is_variant() == variants);
        chosen.map(one).collect()
    };
    let own = json!({
        "unit": "1000 instructions",
        "interval_us": interval_us,
        "cases": of(false),
        "variants": of(true),
    });
    of_several(platform, scale, own)
}

/// A case. `min`, `avg` and `max` are whole units, cut off as cyclictest cuts; the histogram has whole units, and how often.
fn one(Measured { case, latency }: &Measured) -> Value {
    json!({
        "case": case.place.name(),
        "scheduler": case.scheduler(),
        "guest": case.guest.name(),
        "loops": latency.loops(),
        "min": latency.min(),
        "avg": latency.avg(),
        "max": latency.max(),
        "percentiles": percentiles(latency.loops(), |part, whole| latency.quantile(part, whole)),
        "histogram": latency.histogram(),
    })
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
            (100_000, 5, 5, 30)
        );
        assert_eq!(rtds["percentiles"]["99"], 5);
        let few = &data["variants"][0]["percentiles"];
        assert!(few["99"].is_u64() && few["99.9"].is_null(), "{few}");
        assert_eq!(rtds["histogram"], serde_json::json!([[5, 99_999], [30, 1]]));
        assert_eq!(data["variants"][0]["scheduler"], "rtds-4-in-10");
        assert_eq!(data["form"], "quick");
        assert_eq!(data["unit"], "1000 instructions");
    }
}
