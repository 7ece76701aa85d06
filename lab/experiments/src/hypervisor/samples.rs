//! What cases gave, as rows of the long table.
//!
//! Owns: the names of labels and marks. Must never know: which figure asks for them.

use super::Measured;
use super::latency::Latency;
use crate::measure::labelled;
use crate::response::Distribution;
use crate::samples::{Samples, Unit, Values};

/// All cases. `latency` has least, mean and greatest as cyclictest prints them, in whole units; `values` each whole unit;
/// `mean` is of samples as fine as the guest counts them, in instructions.
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
        samples.push(
            &labels,
            "latency",
            Unit::ThousandInstructions,
            summed_up(latency),
        );
        let mean = Values::one(latency.mean_thousandths());
        samples.push(&labels, "mean", Unit::Instructions, mean);
        if let Some(values) = Distribution::of(latency.histogram()) {
            samples.push(
                &labels,
                "values",
                Unit::ThousandInstructions,
                Values::All(values),
            );
        }
    }
    samples
}

/// Whole units, cut off.
fn summed_up(latency: &Latency) -> Values {
    Values::Known {
        samples: latency.loops(),
        min: latency.min(),
        sum: latency.sum_of_units(),
        max: latency.max(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::{Case, Guest, Place, Variant};
    use super::super::scheduling::{DEFAULT, Policy};
    use super::*;
    use crate::experiment::{Several, tests::shipped};
    use crate::figure::tests::drawn;

    /// A few cases of Linux, as they might have been measured, and one of Taktos.
    pub fn example() -> Vec<Measured> {
        let one = |case, counts: &[(u64, u64)]| Measured {
            case,
            latency: Latency::of(1000, counts.to_vec()).unwrap(),
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
}
