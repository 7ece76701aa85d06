//! The machine of a case, as a file that `taktos vm run` takes.
//!
//! Owns: what it looks like, and the words of its guests. Must never know: how it becomes a machine.

use std::fmt::Write;

use taktos_runner::station::MEASURED;

use super::case::{BUSY, Place, Run};
use crate::hypervisor::{policy, vcpu};

/// The partition of the segment, and that of the busy Linux.
const SEGMENT: &str = "segment";
const NEIGHBOUR: &str = "busy";

/// The file beside the configuration that describes a user's own devices.
pub const DEVICES: &str = "devices.bin";

/// What all cases have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// How far one of several processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// How long a busy Linux is given to start before the controller begins, in milliseconds.
    pub settle: u64,
    /// What the busy Linux is told.
    pub busy: String,
    /// The description of a user's own devices; nothing for the experiment's.
    pub devices: Vec<u8>,
}

/// What the program of the controller is told; `role` says which part of it.
pub fn words(run: &Run, common: &Common, role: &str) -> String {
    let (cycle, cycles, phase) = (run.case.cycle, run.cycles, run.phase);
    let after = match run.case.place.is_busy() {
        true => common.settle,
        false => 0,
    };
    format!("role={role} cycle-us={cycle} cycles={cycles} phase-ns={phase} after-ms={after}")
}

/// The configuration of a run.
pub fn text(run: &Run, common: &Common) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, run, common);
    out
}

fn write(out: &mut String, run: &Run, common: &Common) -> std::fmt::Result {
    head(out, run, common)?;
    pool(out, run)?;
    let servers = run.case.servers();
    let pinned = |processor| (run.case.place == Place::Dedicated).then_some(processor);
    for (number, (name, role)) in [(MEASURED, "control"), (SEGMENT, "segment")]
        .into_iter()
        .enumerate()
    {
        writeln!(out, "\n[[partition]]")?;
        writeln!(out, "name      = \"{name}\"")?;
        writeln!(out, "memory    = \"16 MiB\"")?;
        writeln!(out, "image     = \"taktos:ethercat\"")?;
        writeln!(out, "arguments = \"{}\"", words(run, common, role))?;
        writeln!(out, "on-fault  = \"stay\"")?;
        if name == SEGMENT && !common.devices.is_empty() {
            writeln!(out, "initrd    = \"{DEVICES}\"")?;
        }
        vcpu(out, pinned(number), servers.map(|servers| servers[number]))?;
    }
    if run.case.place.is_busy() {
        writeln!(out, "\n[[partition]]")?;
        writeln!(out, "name      = \"{NEIGHBOUR}\"")?;
        writeln!(out, "memory    = \"128 MiB\"")?;
        writeln!(out, "image     = \"debian:ordinary\"")?;
        writeln!(out, "arguments = \"{}\"", common.busy)?;
        vcpu(out, pinned(2), servers.map(|_| BUSY))?;
    }
    writeln!(out, "\n[[channel]]")?;
    writeln!(out, "name    = \"wire\"")?;
    writeln!(out, "between = [\"{MEASURED}\", \"{SEGMENT}\"]")?;
    writeln!(out, "kind    = \"fifo\"")?;
    writeln!(out, "size    = \"16 KiB\"")?;
    writeln!(out, "ends    = [\"memory\", \"memory\"]")
}

fn head(out: &mut String, run: &Run, common: &Common) -> std::fmt::Result {
    let Common {
        processor, quantum, ..
    } = common;
    writeln!(out, "# Made by `taktos reproduce ethercat`.\n")?;
    writeln!(out, "title    = \"{}\"", run.name())?;
    writeln!(
        out,
        "question = \"Does a controller of EtherCAT keep a cycle of {} us?\"",
        run.case.cycle
    )?;
    writeln!(out, "\n[machine]")?;
    writeln!(out, "cpus    = {}", run.case.place.processors())?;
    writeln!(out, "cpu     = \"{processor}\"")?;
    writeln!(out, "memory  = \"512 MiB\"")?;
    writeln!(out, "quantum = {quantum}")
}

fn pool(out: &mut String, run: &Run) -> std::fmt::Result {
    let case = run.case;
    let last = case.place.processors() - 1;
    let windows = [MEASURED, SEGMENT, NEIGHBOUR]
        .into_iter()
        .zip(case.windows());
    case.scheduler
        .0
        .map_or(Ok(()), |scheduler| policy(out, scheduler, last, windows))
}

#[cfg(test)]
mod tests {
    use taktos_vm::Configuration;

    use super::super::case::{Case, Scheduler};
    use super::*;
    use crate::hypervisor::Policy;

    #[test]
    fn every_case_is_a_machine_that_is_admitted() {
        let common = Common {
            processor: "cortex-a57".into(),
            quantum: 100,
            settle: 3_000,
            busy: "taktos.job=busy".into(),
            devices: Vec::new(),
        };
        let places = [Place::Alone, Place::Dedicated, Place::Shared];
        let mut seen = 0;
        for (place, policy, cycle) in places.into_iter().flat_map(|place| {
            let of = move |policy| [125, 250, 500, 1_000].map(|cycle| (place, policy, cycle));
            Policy::ALL.into_iter().flat_map(of)
        }) {
            let case = Case {
                place,
                scheduler: Scheduler(Some(policy)),
                cycle,
            };
            if case.contradiction().is_some() {
                continue;
            }
            seen += 1;
            let run = Run::of(case, 1_000, 2).last().unwrap();
            let text = text(&run, &common);
            let read = Configuration::parse(&text, "case.toml");
            let machine = read.unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.mend));
            if let Err(error) = machine.check() {
                panic!("{}: {error}: {}\n{text}", case.name(), error.mend);
            }
            assert!(!machine.force, "{text}");
            assert_eq!(machine.partitions.len(), 2 + usize::from(place.is_busy()));
            assert_eq!(machine.machine.cpus, place.processors());
        }
        assert_eq!(seen, 4 * (6 + 6 + 6));
    }
}
