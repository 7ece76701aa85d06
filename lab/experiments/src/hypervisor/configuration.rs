//! The configuration of a case, as a file that `taktos vm run` takes.
//!
//! Owns: what the machine of a case looks like. Must never know: how it becomes one.

use std::fmt::Write;

use taktos_runner::station::MEASURED;

use super::case::{Guest, Run};
use super::scheduling::{Policy, Server};

/// What all cases have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The guest's period, in microseconds.
    pub interval: u64,
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// The quantum where no variant says another, in nanoseconds.
    pub quantum: u32,
}

/// The name of the busy one.
const BUSY: &str = "busy";

/// The words that the measured guest and the busy one find on their command lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Of the measured one.
    pub measured: String,
    /// Of the busy one.
    pub busy: String,
}

/// The configuration of a run.
pub fn text(run: &Run, measure: &Measure, words: &Words) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = head(&mut out, run, measure);
    let _ = pool(&mut out, run);
    let _ = measured(&mut out, run, &words.measured);
    let _ = busy(&mut out, run, &words.busy);
    out
}

fn head(out: &mut String, run: &Run, measure: &Measure) -> std::fmt::Result {
    let (case, name) = (run.case, run.name());
    let Measure {
        processor, quantum, ..
    } = measure;
    let quantum = case.variant.quantum.unwrap_or(*quantum);
    writeln!(out, "# Made by `taktos reproduce hypervisor`.\n")?;
    writeln!(out, "title    = \"{name}\"")?;
    writeln!(
        out,
        "question = \"How late does the measured guest wake: {}?\"",
        case.guest.words()
    )?;
    if case.variant.forced {
        writeln!(out, "force    = true")?;
    }
    writeln!(out, "\n[machine]")?;
    writeln!(out, "cpus        = {}", case.place.processors())?;
    writeln!(out, "cpu         = \"{processor}\"")?;
    writeln!(out, "memory      = \"1 GiB\"")?;
    writeln!(out, "quantum     = {quantum}")?;
    if case.variant.floor > 0 {
        writeln!(out, "timer-floor = \"{} us\"", case.variant.floor)?;
    }
    Ok(())
}

fn pool(out: &mut String, run: &Run) -> std::fmt::Result {
    let case = run.case;
    let last = case.place.processors() - 1;
    let table = case.table();
    let windows = [(MEASURED, table.measured), (BUSY, table.busy)];
    case.policy.map_or(Ok(()), |scheduler| {
        policy(out, scheduler, last, windows.into_iter())
    })
}

/// The pool of all processors, up to `last`, under a policy; under ARINC 653 with these windows, in microseconds.
pub(crate) fn policy<'a>(
    out: &mut String,
    policy: Policy,
    last: usize,
    windows: impl Iterator<Item = (&'a str, u32)> + Clone,
) -> std::fmt::Result {
    writeln!(out, "\n[[pool]]")?;
    writeln!(out, "name   = \"all\"")?;
    writeln!(out, "cpus   = \"0-{last}\"")?;
    writeln!(out, "policy = \"{}\"", policy.word())?;
    match policy {
        Policy::Credit { balance, ratelimit } => {
            writeln!(out, "balance = {balance}")?;
            if let Some(ratelimit) = ratelimit {
                writeln!(out, "ratelimit = \"{ratelimit} us\"")?;
            }
        }
        Policy::Arinc653 => {
            let frame: u32 = windows.clone().map(|(_, runtime)| runtime).sum();
            writeln!(out, "frame  = \"{frame} us\"")?;
            for (name, runtime) in windows.filter(|(_, runtime)| *runtime > 0) {
                writeln!(out, "\n[[pool.window]]")?;
                writeln!(out, "partition = \"{name}\"")?;
                writeln!(out, "runtime   = \"{runtime} us\"")?;
            }
        }
        Policy::Credit2 | Policy::Rtds | Policy::Sedf | Policy::Null => {}
    }
    Ok(())
}

fn measured(out: &mut String, run: &Run, words: &str) -> std::fmt::Result {
    let case = run.case;
    let (image, memory) = match case.guest {
        Guest::Linux => ("debian:rt", "128 MiB"),
        Guest::Taktos => ("taktos:latency", "16 MiB"),
    };
    writeln!(out, "\n[[partition]]")?;
    writeln!(out, "name      = \"{MEASURED}\"")?;
    writeln!(out, "memory    = \"{memory}\"")?;
    writeln!(out, "image     = \"{image}\"")?;
    writeln!(out, "arguments = \"{words}\"")?;
    writeln!(out, "on-fault  = \"stay\"")?;
    writeln!(out, "on-reset  = \"stay\"")?;
    if case.variant.trapped {
        writeln!(out, "wait      = \"trapped\"")?;
    }
    vcpu(out, case.place.is_pinned().then_some(0), case.server())
}

fn busy(out: &mut String, run: &Run, words: &str) -> std::fmt::Result {
    let case = run.case;
    let count = case.place.busy();
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "\n[[partition]]")?;
    writeln!(out, "name      = \"{BUSY}\"")?;
    writeln!(out, "memory    = \"128 MiB\"")?;
    writeln!(out, "image     = \"debian:ordinary\"")?;
    writeln!(out, "arguments = \"{words}\"")?;
    let first = case.place.processors() - count;
    for number in first..first + count {
        let processor = case.place.is_pinned().then_some(number);
        vcpu(out, processor, case.busy())?;
    }
    Ok(())
}

/// A virtual processor, on a processor of its own where one is named, with a server where there is one.
pub(crate) fn vcpu(
    out: &mut String,
    processor: Option<usize>,
    server: Option<Server>,
) -> std::fmt::Result {
    writeln!(out, "\n[[partition.vcpu]]")?;
    if let Some(processor) = processor {
        writeln!(out, "hard-affinity = {processor}")?;
    }
    if let Some(Server {
        period,
        budget,
        extra,
    }) = server
    {
        writeln!(out, "period     = \"{period} us\"")?;
        writeln!(out, "budget     = \"{budget} us\"")?;
        writeln!(out, "extra-time = {extra}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use taktos_vm::{Configuration, Policy as InFile};

    use super::super::case::{Case, Place, Variant};
    use super::super::plan::{Extent, Plan};
    use super::*;

    fn of(case: &Case) -> Configuration {
        let run = Run {
            case: *case,
            number: 0,
            loops: 100,
            phase: 97,
        };
        let measure = Measure {
            interval: 1000,
            processor: "cortex-a57".into(),
            quantum: 100,
        };
        let words = Words {
            measured: "loops=100 phase-ns=97000".into(),
            busy: "taktos.job=busy".into(),
        };
        let text = text(&run, &measure, &words);
        let read = Configuration::parse(&text, "case.toml");
        let configuration = read.unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.mend));
        if let Err(error) = configuration.check() {
            panic!("{}: {error}: {}\n{text}", case.name(), error.mend);
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
