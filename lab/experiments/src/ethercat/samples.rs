//! Results of runs, as rows of the long table.
//!
//! Owns: the names of labels and marks. Must never know: the figures that use them.

use super::case::{Place, Run};
use super::found::{Found, NUMBERS, SERIES, Told};
use crate::measure::{Labels, labelled};
use crate::samples::{Samples, Unit, Values};

/// A run and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The run.
    pub run: Run,
    /// Result on its console.
    pub told: Told,
}

impl Measured {
    /// Returns its results, if its segment came to OP.
    pub const fn found(&self) -> Option<&Found> {
        match &self.told {
            Told::Found(found) => Some(found),
            Told::NeverInOp(_) => None,
        }
    }
}

/// Returns the samples of all runs. `faults` counts each cycle of a run with a segment that never
/// came to OP; the others have each series in nanoseconds, `beyond-wire` in instructions, and each
/// number that was counted by its key.
pub fn samples(all: &[Measured]) -> Samples {
    let mut samples = Samples::default();
    for measured in all {
        let (run, labels) = (&measured.run, labels(&measured.run));
        let Some(found) = measured.found() else {
            samples.push(&labels, "faults", Unit::Number, Values::one(run.cycles));
            continue;
        };
        for name in SERIES {
            let values = Values::All(found.series(name).clone());
            samples.push(&labels, name, Unit::Nanoseconds, values);
        }
        samples.push(
            &labels,
            "spread",
            Unit::Nanoseconds,
            Values::one(spread(found)),
        );
        // One instruction takes one nanosecond where there is one processor.
        if run.case.place != Place::Dedicated {
            let trip = found.series("round-trip").max();
            let beyond = trip.saturating_sub(found.number("wire_ns"));
            samples.push(
                &labels,
                "beyond-wire",
                Unit::Instructions,
                Values::one(beyond),
            );
        }
        for (_, key) in NUMBERS {
            let unit = match key.ends_with("_ns") {
                true => Unit::Nanoseconds,
                false => Unit::Number,
            };
            samples.push(&labels, key, unit, Values::one(found.number(key)));
        }
        samples.push(&labels, "faults", Unit::Number, Values::one(faults(found)));
    }
    samples
}

fn labels(run: &Run) -> Labels {
    labelled([
        ("case", run.case.place.name().to_owned()),
        ("scheduler", run.case.scheduler.name().to_owned()),
        ("cycle", run.case.cycle.to_string()),
    ])
}

/// Returns the distance of the latest release from the earliest.
fn spread(found: &Found) -> u64 {
    let late = found.series("wake-late");
    late.max() - late.min()
}

/// Everything that a controller must not have: one of them is too many.
pub fn faults(found: &Found) -> u64 {
    let of = [
        "lost",
        "wkc_errors",
        "overruns",
        "left_op",
        "sync0_missed",
        "late_answers",
        "watchdog",
    ];
    of.iter().map(|key| found.number(key)).sum()
}
