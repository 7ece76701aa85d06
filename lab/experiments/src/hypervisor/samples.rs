//! Results of cases, as rows of the long table.
//!
//! Owns: the names of labels and marks. Must never know: the figures that use them.

use super::{Measured, UNIT};
use crate::measure::labelled;
use crate::samples::{Samples, Unit, Values};

/// All cases. `latency` has least, mean and greatest as cyclictest prints them, in whole units;
/// `values` each whole unit; `mean` is of samples as fine as the guest counts them, in
/// instructions.
pub fn samples(all: &[Measured]) -> Samples {
    let mut samples = Samples::default();
    for Measured { case, latency } in all {
        let kind = if case.is_variant() {
            "variant"
        } else {
            "usual"
        };
        let labels = labelled([
            ("case", case.place.name().to_owned()),
            ("scheduler", case.scheduler()),
            ("guest", case.guest.name().to_owned()),
            ("kind", kind.to_owned()),
        ]);
        let whole = Values::All(latency.whole(UNIT));
        let mean = latency.sum() / u128::from(latency.samples());
        let mean = Values::one(u64::try_from(mean).unwrap_or(u64::MAX));
        for (mark, unit, values) in [
            ("latency", Unit::ThousandInstructions, whole.summed_up()),
            ("mean", Unit::Instructions, mean),
            ("values", Unit::ThousandInstructions, whole),
        ] {
            samples.push(&labels, mark, unit, values);
        }
    }
    samples
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::{Case, Guest, Place, Variant};
    use super::super::scheduling::{DEFAULT, Policy};
    use super::*;
    use crate::experiment::{Several, tests::shipped};
    use crate::figure::tests::drawn;
    use crate::response::Distribution;

    /// A few cases of Linux, as they might have been measured, and one of Taktos.
    pub fn example() -> Vec<Measured> {
        let one = |case, counts: &[(u64, u64)]| Measured {
            case,
            latency: Distribution::of(
                counts
                    .iter()
                    .map(|(us, count)| (us * UNIT, *count))
                    .collect(),
            )
            .unwrap(),
        };
        let linux = |place, policy| Case::usual(place, policy, Guest::Linux);
        let shared = linux(Place::Shared, Some(Policy::Rtds));
        let variant = Variant {
            name: "-4-in-10",
            server: Some(DEFAULT),
            ..Variant::default()
        };
        vec![
            one(
                linux(
                    Place::Native {
                        busy: false,
                        four: false,
                    },
                    None,
                ),
                &[(4, 99), (16, 1)],
            ),
            one(
                linux(Place::Dedicated, Some(Policy::CREDIT)),
                &[(4, 99_999), (12, 1)],
            ),
            one(
                linux(Place::Dedicated, Some(Policy::UNBALANCED)),
                &[(4, 99), (11, 1)],
            ),
            one(shared, &[(5, 99_999), (30, 1)]),
            one(Case { variant, ..shared }, &[(5, 50), (3000, 50)]),
            one(
                Case {
                    guest: Guest::Taktos,
                    ..shared
                },
                &[(1, 100)],
            ),
        ]
    }

    #[test]
    fn theirs_stand_beside_ours() {
        let Several::Hypervisor(experiment) = shipped("hypervisor") else {
            panic!("of another kind");
        };
        let drawn = drawn(&experiment.figures, &samples(&example()));
        let csv = drawn[0].tables[0].to_csv();
        for row in [
            "\nnative-dedicated,native,100,4/4/16,,1/3/15,4/4/16,,\n",
            "\ndedicated,credit,100000,4/4/12,4,5/27/133,5/8/59,4/4/12,yes\n",
            "\ndedicated,credit-no-balance,100,4/4/11,,4/23/119,,4/4/12,\"from 100,000 loops on\"\n",
            "\nshared,rtds,100000,5/5/30,5,,5/10/59,5/6/25,no\n",
        ] {
            assert!(csv.contains(row), "{row}\n{csv}");
        }
        assert!(!csv.contains("4-in-10"), "{csv}");
        let met = &drawn[0].answer[1];
        assert!(met.ends_with("in goal: 1 of 2 (emulated)."), "{met}");
        let variants = drawn
            .iter()
            .find(|one| one.title.contains("other parameters"));
        let variants = variants.unwrap().tables[0].to_csv();
        let row = "\nshared,rtds-4-in-10,100,5/1502/3000,,5/459/3239\n";
        assert!(variants.contains(row), "{variants}");
        let plots = drawn.iter().flat_map(|one| &one.plots);
        for (name, plot) in plots.clone() {
            assert!(plot.contains("thousand instructions (emulated)"), "{name}");
            assert!(!plot.contains("number"), "{name}");
        }
        // A histogram and a tail of each place of each guest.
        assert_eq!(plots.count(), 2 * (3 + 1));
    }

    #[test]
    fn programs_find_each_case() {
        let rows = samples(&example()).rows();
        let find = |scheduler: &str, mark: &str| {
            let rows = rows.as_array().unwrap().iter();
            let mut rows = rows.filter(|row| row["labels"]["scheduler"] == scheduler);
            rows.find(|row| row["mark"] == mark).unwrap()
        };
        let rtds = find("rtds", "latency");
        assert_eq!(rtds["labels"]["case"], "shared");
        assert_eq!(rtds["labels"]["guest"], "linux-rt");
        assert_eq!(rtds["unit"], "thousand-instructions");
        let of = |key: &str| rtds[key].as_u64().unwrap();
        assert_eq!(
            (of("samples"), of("min"), of("mean"), of("max")),
            (100_000, 5, 5, 30)
        );
        let values = find("rtds", "values");
        assert_eq!(values["percentiles"]["99"], 5);
        assert_eq!(
            values["histogram"],
            serde_json::json!([[5, 99_999], [30, 1]])
        );
        let few = &find("rtds-4-in-10", "values")["percentiles"];
        assert!(few["99"].is_u64() && few["99.9"].is_null(), "{few}");
    }
}
