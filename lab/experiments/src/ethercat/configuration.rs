//! The machine of a case, as a file that `taktos vm run` takes.
//!
//! Owns: its form, and the arguments of its guests. Must never know: the machine made of it.

use serde_json::json;
use taktos_runner::station::MEASURED;

use super::case::{BUSY, Place, Run};
use crate::hypervisor::{BUSY as NEIGHBOUR, busy, policy, vcpu, written};

/// The partition of the segment.
const SEGMENT: &str = "segment";

/// The file next to the configuration that describes a user's own devices.
pub const DEVICES: &str = "devices.bin";

/// Common properties of all cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// How far one of several processors may run ahead of another, in nanoseconds.
    pub quantum: u32,
    /// How long a busy Linux is given to start before the controller begins, in milliseconds.
    pub settle: u64,
    /// The description of a user's own devices; nothing for the experiment's.
    pub devices: Vec<u8>,
}

/// Returns the arguments of the controller's program; `role` names its part of the program.
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
    let (case, servers) = (run.case, run.case.servers());
    let processors = case.place.processors();
    let pinned = |processor| (case.place == Place::Dedicated).then_some(processor);
    let guest = |number: usize, name: &str, role: &str| {
        let described = name == SEGMENT && !common.devices.is_empty();
        json!({
            "name": name,
            "memory": "16 MiB",
            "image": "taktos:ethercat",
            "arguments": words(run, common, role),
            "on-fault": "stay",
            "initrd": described.then_some(DEVICES),
            "vcpu": [vcpu(pinned(number), servers.map(|servers| servers[number]))],
        })
    };
    let neighbour = || {
        let vcpu = vcpu(pinned(2), servers.map(|_| BUSY));
        busy(std::iter::once(vcpu))
    };
    let [control, segment, rest] = case.windows();
    let windows = [(MEASURED, control), (SEGMENT, segment), (NEIGHBOUR, rest)];
    let pool = |scheduler| policy(scheduler, processors, &windows);
    written(
        "ethercat",
        json!({
            "title": run.name(),
            "question": format!("Does a controller of EtherCAT keep a cycle of {} us?", case.cycle),
            "machine": {
                "cpus": processors,
                "cpu": common.processor,
                "memory": "512 MiB",
                "quantum": common.quantum,
            },
            "pool": case.scheduler.0.map(pool),
            "partition": [
                guest(0, MEASURED, "control"),
                guest(1, SEGMENT, "segment"),
                case.place.is_busy().then(neighbour),
            ],
            "channel": [{
                "name": "wire",
                "between": [MEASURED, SEGMENT],
                "kind": "fifo",
                "size": "16 KiB",
                "ends": ["memory", "memory"],
            }],
        }),
    )
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
            let machine = read.unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.hint));
            if let Err(error) = machine.check() {
                panic!("{}: {error}: {}\n{text}", case.name(), error.hint);
            }
            assert!(!machine.force, "{text}");
            assert_eq!(machine.partitions.len(), 2 + usize::from(place.is_busy()));
            assert_eq!(machine.machine.cpus, place.processors());
        }
        assert_eq!(seen, 4 * (6 + 6 + 6));
    }
}
