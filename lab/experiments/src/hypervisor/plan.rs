//! Which cases are run, and how often each guest wakes.
//!
//! Owns: the list of cases, and the division of loops among phases. Must never know: the results of
//! a run.

use super::case::{Case, Guest, Place, Run, Variant};
use super::scheduling::{DEFAULT, Policy};

/// How much is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Wake-ups of each case on one processor.
    pub loops: u64,
    /// Those on four, which take as many times longer to emulate; 0: no such case is run.
    pub loops_of_four: u64,
    /// The phases, in microseconds: a run each.
    pub phases: Vec<u32>,
    /// Whether cases that depart from the usual are run, too.
    pub variants: bool,
    /// Part of a name: only cases with this in their name are run.
    pub only: Option<String>,
}

impl Extent {
    /// Wake-ups of a case.
    const fn loops_of(&self, case: &Case) -> u64 {
        match case.place.processors() {
            1 => self.loops,
            _ => self.loops_of_four,
        }
    }
}

/// The least loops of a run that is worth a start of the machine.
const LEAST: u64 = 200;

/// The cases, the usual ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The cases.
    pub cases: Vec<Case>,
    extent: Extent,
}

impl Plan {
    /// Returns the plan of this extent.
    pub fn new(extent: Extent) -> Self {
        let named = |case: &Case| {
            let only = extent.only.as_ref();
            only.is_none_or(|only| case.name().contains(only.as_str()))
        };
        let wanted = |case: &Case| {
            (extent.variants || !case.is_variant()) && extent.loops_of(case) > 0 && named(case)
        };
        let cases = all().into_iter().filter(wanted).collect();
        Self { cases, extent }
    }

    /// The runs of a case: a phase each, as many as are worth it.
    pub fn runs(&self, case: &Case) -> Vec<Run> {
        let loops = self.extent.loops_of(case);
        let most = (loops / LEAST).max(1);
        let phases: Vec<u32> = self
            .extent
            .phases
            .iter()
            .copied()
            .take(usize::try_from(most).unwrap_or(usize::MAX))
            .collect();
        let each = loops.div_ceil(phases.len().max(1) as u64);
        let run = |(number, phase)| Run {
            case: *case,
            number,
            phase,
            loops: each.min(loops - (number as u64 * each).min(loops)),
        };
        let runs = phases.into_iter().enumerate().map(run);
        runs.filter(|run| run.loops > 0).collect()
    }
}

/// Every case.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for guest in Guest::ALL {
        cases.extend(usual(guest));
    }
    for guest in Guest::ALL {
        cases.extend(variants(guest));
    }
    cases
}

fn usual(guest: Guest) -> Vec<Case> {
    let native = |busy, four| Case::usual(Place::Native { busy, four }, None, guest);
    let mut cases = vec![native(false, false), native(true, false)];
    let mut add = |place: Place| {
        let fits = |policy: &Policy| {
            (policy.shares() || !place.is_shared())
                && (policy.is_for_several() || place.processors() == 1)
        };
        let policies = Policy::ALL.into_iter().filter(fits);
        cases.extend(policies.map(|policy| Case::usual(place, Some(policy), guest)));
    };
    for place in [
        Place::Dedicated,
        Place::Shared,
        Place::DedicatedFour { pinned: true },
        Place::DedicatedFour { pinned: false },
        Place::SharedFour { pinned: true },
        Place::SharedFour { pinned: false },
    ] {
        add(place);
    }
    if guest == Guest::Linux {
        cases.extend([native(false, true), native(true, true)]);
    }
    cases
}

fn variants(guest: Guest) -> Vec<Case> {
    let case = |place, policy, variant| Case {
        place,
        policy: Some(policy),
        guest,
        variant,
    };
    let usual = Variant::default();
    let trapped = Variant {
        name: "-wait-trapped",
        trapped: true,
        ..usual
    };
    let floor = Variant {
        name: "-timer-floor-50us",
        floor: 50,
        ..usual
    };
    let default = Variant {
        name: "-4-in-10",
        server: Some(DEFAULT),
        busy: Some(DEFAULT),
        ..usual
    };
    let busy = Variant {
        name: "-busy-4-in-10",
        busy: Some(DEFAULT),
        forced: true,
        ..usual
    };
    let unlimited = Policy::Credit {
        balance: true,
        ratelimit: Some(0),
    };
    let no_limit = Variant {
        name: "-no-ratelimit",
        ..usual
    };
    let fine = Variant {
        name: "-quantum-20ns",
        quantum: Some(20),
        ..usual
    };
    let coarse = Variant {
        name: "-quantum-1000ns",
        quantum: Some(1000),
        ..usual
    };
    let mut cases: Vec<Case> = [
        Policy::CREDIT,
        Policy::Credit2,
        Policy::Rtds,
        Policy::Sedf,
        Policy::Null,
    ]
    .map(|policy| case(Place::Dedicated, policy, trapped))
    .to_vec();
    cases.push(case(Place::Dedicated, Policy::Rtds, floor));
    cases.push(case(Place::Shared, Policy::Rtds, default));
    cases.push(case(Place::Shared, Policy::Rtds, busy));
    cases.push(case(Place::Shared, Policy::Rtds, floor));
    cases.push(case(Place::Shared, unlimited, no_limit));
    let four = Place::DedicatedFour { pinned: true };
    cases.extend([fine, coarse].map(|variant| case(four, Policy::CREDIT, variant)));
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn extent(loops: u64) -> Extent {
        Extent {
            loops,
            loops_of_four: loops / 10,
            phases: vec![0, 130, 270],
            variants: true,
            only: None,
        }
    }

    fn plan(loops: u64) -> Plan {
        Plan::new(extent(loops))
    }

    #[test]
    fn each_case_has_its_own_name_and_says_dedicated_or_shared() {
        let plan = plan(1000);
        let names: BTreeSet<String> = plan.cases.iter().map(Case::name).collect();
        assert_eq!(names.len(), plan.cases.len());
        for case in &plan.cases {
            let place = case.place.name();
            assert!(
                place.contains("dedicated") != place.contains("shared"),
                "{place}"
            );
            assert_eq!(place.contains("shared"), case.place.is_shared(), "{place}");
        }
    }

    #[test]
    fn every_policy_is_measured_with_and_without_a_neighbour() {
        let plan = plan(1000);
        for guest in Guest::ALL {
            for (place, without) in [(Place::Dedicated, ""), (Place::Shared, "null")] {
                let found: BTreeSet<String> = plan
                    .cases
                    .iter()
                    .filter(|case| case.guest == guest && case.place == place && !case.is_variant())
                    .map(Case::scheduler)
                    .collect();
                let wanted = Policy::ALL.map(|policy| policy.name().to_owned());
                let wanted = wanted.into_iter().filter(|name| name != without).collect();
                assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn a_pattern_chooses() {
        let plan = Plan::new(Extent {
            only: Some("shared-rtds-linux".into()),
            ..extent(1000)
        });
        let names: Vec<String> = plan.cases.iter().map(Case::name).collect();
        assert_eq!(names, ["shared-rtds-linux-rt"]);
    }

    #[test]
    fn a_small_plan_has_the_usual_cases_of_one_processor() {
        let small = Plan::new(Extent {
            loops_of_four: 0,
            variants: false,
            ..extent(1000)
        });
        let usual = plan(1000).cases.into_iter();
        let usual = usual.filter(|case| case.place.processors() == 1 && !case.is_variant());
        assert_eq!(small.cases, usual.collect::<Vec<_>>());
        assert!(small.cases.len() > 20);
    }

    #[test]
    fn loops_are_divided_among_phases() {
        let plan = plan(1000);
        let runs = plan.runs(&plan.cases[0]);
        let loops: Vec<(u64, u32)> = runs.iter().map(|run| (run.loops, run.phase)).collect();
        assert_eq!(loops, [(334, 0), (334, 130), (332, 270)]);
        let four = plan
            .cases
            .iter()
            .find(|case| case.place.processors() == 4)
            .unwrap();
        assert_eq!(plan.runs(four).len(), 1);
        assert_eq!(plan.runs(four)[0].loops, 100);
    }

    #[test]
    fn servers_are_those_of_the_case() {
        let plan = plan(1000);
        let find = |name: &str| {
            let found = plan.cases.iter().find(|case| case.name() == name);
            found.unwrap_or_else(|| panic!("{name}")).server()
        };
        assert_eq!(find("dedicated-rtds-taktos"), None);
        assert_eq!(find("shared-credit-taktos"), None);
        assert_eq!(find("shared-sedf-taktos").unwrap().budget, 500);
        assert_eq!(find("shared-rtds-4-in-10-taktos").unwrap().period, 10_000);
        let busy = |name: &str| {
            let case = plan.cases.iter().find(|case| case.name() == name);
            case.and_then(Case::busy).map(|server| server.budget)
        };
        assert_eq!(busy("dedicated-rtds-taktos"), None);
        assert_eq!(busy("shared-credit2-taktos"), None);
        assert_eq!(busy("shared-rtds-taktos"), Some(400));
        assert_eq!(busy("shared-sedf-taktos"), Some(4000));
        assert_eq!(busy("shared-rtds-busy-4-in-10-taktos"), Some(4000));
    }
}
