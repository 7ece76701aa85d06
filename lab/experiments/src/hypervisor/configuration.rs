//! The configuration of a case, as a file that `taktos vm run` takes.
//!
//! Owns: the form of a case's machine. Must never know: the machine made of it.

use serde_json::{Value, json};
use taktos_linux::{Job, command_line};
use taktos_runner::station::MEASURED;

use super::case::{Guest, Run};
use super::scheduling::{Policy, Server};
use crate::experiment::Hypervisor;

/// The name of the busy one.
pub(crate) const BUSY: &str = "busy";

/// The configuration of a run, in which the measured guest finds these words on its command line.
pub fn text(run: &Run, experiment: &Hypervisor, words: &str) -> String {
    let (case, variant) = (run.case, run.case.variant);
    let (image, memory) = match case.guest {
        Guest::Linux => ("debian:rt", "128 MiB"),
        Guest::Taktos => ("taktos:latency", "16 MiB"),
    };
    let processors = case.place.processors();
    let pinned = |processor| case.place.is_pinned().then_some(processor);
    let others = processors - case.place.busy()..processors;
    let others = others.map(|number| vcpu(pinned(number), case.busy()));
    let table = case.table();
    let windows = [(MEASURED, table.measured), (BUSY, table.busy)];
    written(
        "hypervisor",
        json!({
            "title": run.name(),
            "question": format!("How late does the measured guest wake: {}?", case.guest.words()),
            "force": variant.forced.then_some(true),
            "machine": {
                "cpus": processors,
                "cpu": experiment.processor,
                "memory": "1 GiB",
                "quantum": variant.quantum.unwrap_or(experiment.quantum),
                "timer-floor": (variant.floor > 0).then(|| micros(variant.floor)),
            },
            "pool": case.policy.map(|scheduler| policy(scheduler, processors, &windows)),
            "partition": [
                {
                    "name": MEASURED,
                    "memory": memory,
                    "image": image,
                    "arguments": words,
                    "on-fault": "stay",
                    "on-reset": "stay",
                    "wait": variant.trapped.then_some("trapped"),
                    "vcpu": [vcpu(pinned(0), case.server())],
                },
                (case.place.busy() > 0).then(|| busy(others)),
            ],
        }),
    )
}

/// The text of a configuration for the command's experiment; keys without a value are left out.
pub(crate) fn written(command: &str, mut configuration: Value) -> String {
    prune(&mut configuration);
    let text = toml::to_string(&configuration).unwrap_or_default();
    format!("# Made by `taktos reproduce {command}`.\n\n{text}")
}

fn prune(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(prune);
        }
        Value::Array(all) => {
            all.retain(|value| !value.is_null());
            all.iter_mut().for_each(prune);
        }
        _ => {}
    }
}

fn micros(time: u32) -> String {
    format!("{time} us")
}

/// The pool of all processors under a policy; under ARINC 653 with these windows, in microseconds.
pub(crate) fn policy(policy: Policy, processors: usize, windows: &[(&str, u32)]) -> Value {
    let of_table = policy == Policy::Arinc653;
    let frame: u32 = windows.iter().map(|(_, runtime)| runtime).sum();
    let windows = windows.iter().filter(|(_, runtime)| *runtime > 0);
    let window =
        |(name, runtime): &(&str, u32)| json!({ "partition": name, "runtime": micros(*runtime) });
    let (balance, ratelimit) = match policy {
        Policy::Credit { balance, ratelimit } => (Some(balance), ratelimit.map(micros)),
        _ => (None, None),
    };
    json!([{
        "name": "all",
        "cpus": format!("0-{}", processors - 1),
        "policy": policy.word(),
        "balance": balance,
        "ratelimit": ratelimit,
        "frame": of_table.then(|| micros(frame)),
        "window": of_table.then(|| windows.map(window).collect::<Vec<_>>()),
    }])
}

/// The busy Linux on these virtual processors.
pub(crate) fn busy(vcpus: impl Iterator<Item = Value>) -> Value {
    json!({
        "name": BUSY,
        "memory": "128 MiB",
        "image": "debian:ordinary",
        "arguments": command_line(&Job::Busy { seconds: None }),
        "vcpu": vcpus.collect::<Vec<_>>(),
    })
}

/// A virtual processor, on a processor of its own where one is named, with a server where there is
/// one.
pub(crate) fn vcpu(processor: Option<usize>, server: Option<Server>) -> Value {
    json!({
        "hard-affinity": processor,
        "period": server.map(|server| micros(server.period)),
        "budget": server.map(|server| micros(server.budget)),
        "extra-time": server.map(|server| server.extra),
    })
}

#[cfg(test)]
mod tests {
    use taktos_vm::{Configuration, Policy as InFile};

    use super::super::case::{Case, Place, Variant};
    use super::super::plan::{Extent, Plan};
    use super::*;
    use crate::experiment::{Several, tests::shipped};

    fn of(case: &Case) -> Configuration {
        let run = Run {
            case: *case,
            number: 0,
            loops: 100,
            phase: 97,
        };
        let Several::Hypervisor(experiment) = shipped("hypervisor") else {
            panic!("of another kind");
        };
        let text = text(&run, &experiment, "loops=100 phase-ns=97000");
        let read = Configuration::parse(&text, "case.toml");
        let configuration = read.unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.hint));
        if let Err(error) = configuration.check() {
            panic!("{}: {error}: {}\n{text}", case.name(), error.hint);
        }
        configuration
    }

    fn plan() -> Vec<Case> {
        let extent = Extent {
            loops: 100,
            loops_of_four: 100,
            phases: vec![0],
            variants: true,
            only: None,
        };
        let all = Plan::new(extent).cases.into_iter();
        all.filter(|case| !case.place.is_native()).collect()
    }

    #[test]
    fn every_case_is_a_machine_that_is_admitted() {
        for case in plan() {
            let machine = of(&case);
            assert_eq!(machine.machine.cpus, case.place.processors());
            assert_eq!(machine.force, case.variant.forced, "{}", case.name());
            let busy = machine.partitions.get(1).map_or(0, |busy| busy.vcpus.len());
            assert_eq!(busy, case.place.busy(), "{}", case.name());
        }
    }

    #[test]
    fn what_is_forced_would_be_refused() {
        let forced: Vec<Case> = plan()
            .into_iter()
            .filter(|case| case.variant.forced)
            .collect();
        assert!(!forced.is_empty());
        for case in forced {
            let mut machine = of(&case);
            machine.force = false;
            assert!(machine.check().is_err(), "{}", case.name());
        }
    }

    #[test]
    fn waiting_is_native_where_the_processor_is_the_guests_alone() {
        let native = |case: &Case| {
            let machine = of(case);
            format!("{:?}", machine.wait(&machine.partitions[0])) == "Native"
        };
        let case = |place, policy| Case::usual(place, Some(policy), Guest::Linux);
        for policy in [
            Policy::CREDIT,
            Policy::Credit2,
            Policy::Rtds,
            Policy::Sedf,
            Policy::Null,
        ] {
            let alone = case(Place::Dedicated, policy);
            assert!(native(&alone), "{policy:?}");
            assert!(
                native(&case(Place::DedicatedFour { pinned: true }, policy)),
                "{policy:?}"
            );
            let trapped = Variant {
                trapped: true,
                ..Variant::default()
            };
            assert!(
                !native(&Case {
                    variant: trapped,
                    ..alone
                }),
                "{policy:?}"
            );
        }
        assert!(!native(&case(Place::Shared, Policy::Rtds)));
    }

    #[test]
    fn parameters_of_the_case_reach_the_file() {
        let case = |policy| of(&Case::usual(Place::Shared, Some(policy), Guest::Taktos));
        let InFile::Credit {
            balance, ratelimit, ..
        } = case(Policy::UNBALANCED).pools[0].policy
        else {
            panic!("another policy");
        };
        assert_eq!((balance, ratelimit.as_nanos()), (false, 1_000_000));
        let rtds = case(Policy::Rtds);
        let budgets = rtds
            .partitions
            .iter()
            .map(|one| one.vcpus[0].budget.unwrap().as_nanos());
        assert_eq!(budgets.collect::<Vec<_>>(), [500_000, 400_000]);
        assert_eq!(
            rtds.partitions[0].arguments.as_deref(),
            Some("loops=100 phase-ns=97000")
        );
    }
}
