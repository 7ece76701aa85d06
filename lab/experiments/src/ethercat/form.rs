//! The figures for programs.
//!
//! Owns: the JSON's shape, which is fixed. Must never know: its form for people.

use serde_json::{Value, json};

use super::case::Case;
use super::found::Found;
use super::samples::{Measured, faults};
use crate::experiment::Scale;
use crate::form::of_several;
use crate::response::Distribution;

/// The figures for programs.
pub fn json(platform: &str, scale: Option<Scale>, cases: &[Case], all: &[Measured]) -> String {
    let of = |case: &Case| {
        let runs: Vec<&Measured> = all.iter().filter(|one| one.run.case == *case).collect();
        row(case, &runs)
    };
    let rows: Vec<Value> = cases.iter().filter_map(of).collect();
    of_several(platform, scale, json!({ "rows": rows }))
}

/// Returns a case: all its runs together; `never_in_op` are those with a segment that never came to
/// OP.
fn row(case: &Case, runs: &[&Measured]) -> Option<Value> {
    let found: Vec<&Found> = runs.iter().filter_map(|run| run.found()).collect();
    let together =
        |name: &str| Distribution::together(found.iter().map(|found| found.series(name)));
    let late = together("wake-late");
    let trip = together("round-trip");
    let of =
        |all: &Option<Distribution>, part: fn(&Distribution) -> u64| all.as_ref().map_or(0, part);
    let sum = |key: &str| -> u64 { found.iter().map(|found| found.number(key)).sum() };
    let max = |key: &str| {
        found
            .iter()
            .map(|found| found.number(key))
            .max()
            .unwrap_or(0)
    };
    let never_in_op = runs.len() - found.len();
    (!runs.is_empty()).then(|| {
        json!({
            "case": case.place.name(),
            "scheduler": case.scheduler.name(),
            "cycle_us": case.cycle,
            "cycles": of(&late, Distribution::samples),
            "late_min_ns": of(&late, Distribution::min),
            "late_avg_ns": of(&late, Distribution::mean),
            "late_max_ns": of(&late, Distribution::max),
            "round_trip_max_ns": of(&trip, Distribution::max),
            "wire_ns": max("wire_ns"),
            "lost": sum("lost"),
            "wkc_errors": sum("wkc_errors"),
            "overruns": sum("overruns"),
            "left_op": sum("left_op"),
            "sync0_missed": sum("sync0_missed"),
            "late_answers": sum("late_answers"),
            "dc_max_ns": max("dc_max_ns"),
            // Thousandths of a millisecond are enough, and every program prints these alike.
            "op_ms": (max("op_ns") / 1_000) as f64 / 1_000.0,
            "never_in_op": never_in_op,
            "holds": never_in_op == 0 && found.iter().all(|found| faults(found) == 0),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::case::{Place, Run, Scheduler};
    use super::super::found::{Told, tests::told};
    use super::*;
    use crate::hypervisor::Policy;

    fn measured(case: Case, told: Told) -> Measured {
        let run = Run::of(case, 10, 1).next().unwrap();
        Measured { run, told }
    }

    #[test]
    fn programs_find_each_case() {
        let case = |policy| Case {
            place: Place::Shared,
            scheduler: Scheduler(Some(policy)),
            cycle: 250,
        };
        let [rtds, credit, sedf] = [Policy::Rtds, Policy::CREDIT, Policy::Sedf].map(case);
        let all = [
            measured(rtds, Told::read(&told(0, 500)).unwrap()),
            measured(rtds, Told::read(&told(2, 900)).unwrap()),
            measured(credit, Told::NeverInOp("why".into())),
        ];
        let text = json("virt", None, &[rtds, credit, sedf], &all);
        let data: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = data["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 2);
        let of = |key: &str| rows[0][key].as_u64().unwrap();
        assert_eq!(
            (of("cycles"), of("late_min_ns"), of("late_max_ns")),
            (20, 500, 908)
        );
        assert_eq!(
            (of("lost"), of("sync0_missed"), of("cycle_us")),
            (2, 2, 250)
        );
        assert_eq!(rows[0]["op_ms"], 31.0);
        assert_eq!(
            (&rows[1]["never_in_op"], &rows[1]["holds"]),
            (&1.into(), &false.into())
        );
    }
}
