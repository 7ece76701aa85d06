//! What a machine with guests prints.

use serde::Serialize;
use taktos_export::{Evidence, in_order, to_json};
use taktos_simulate::Partition;
use taktos_simulate::file::text;
use taktos_simulate::partition::{HostCpuStatistics, PartitionOutcome, VcpuStatistics};

use super::Guests;
use crate::simulation::form::TaskForm;
use crate::simulation::request::Request;

/// A machine with guests. All times are in nanoseconds.
#[derive(Serialize)]
struct GuestsForm<'a> {
    evidence: Evidence,
    seed: u64,
    virtual_time: u64,
    events: u64,
    #[serde(serialize_with = "in_order")]
    partitions: Vec<(String, PartitionForm<'a>)>,
    cpus: &'a [HostCpuStatistics],
    pools: Vec<PoolForm<'a>>,
}

#[derive(Serialize)]
struct PartitionForm<'a> {
    #[serde(serialize_with = "in_order")]
    tasks: Vec<(String, TaskForm)>,
    vcpus: &'a [VcpuStatistics],
}

#[derive(Serialize)]
struct PoolForm<'a> {
    name: &'a str,
    policy: &'static str,
    admitted: Option<bool>,
}

/// The figures.
pub fn json(request: &Request, guests: &Guests) -> String {
    let outcome = &guests.outcome;
    let partitions = request.set.workload.partitions.iter();
    to_json(&GuestsForm {
        evidence: Evidence::Simulated,
        seed: guests.machine.seed,
        virtual_time: outcome.virtual_time,
        events: outcome.events,
        partitions: partitions.zip(&outcome.partitions).map(partition).collect(),
        cpus: &outcome.cpus,
        pools: outcome
            .pools
            .iter()
            .map(|pool| PoolForm {
                name: &pool.name,
                policy: pool.scheduler,
                admitted: pool.admitted.as_ref().map(Result::is_ok),
            })
            .collect(),
    })
}

fn partition<'a>(
    (partition, outcome): (&Partition, &'a PartitionOutcome),
) -> (String, PartitionForm<'a>) {
    let names = partition.tasks.iter().map(|task| task.name.clone());
    let tasks = outcome.guest.tasks.iter().map(TaskForm::from);
    let form = PartitionForm {
        tasks: names.zip(tasks).collect(),
        vcpus: &outcome.vcpus,
    };
    (partition.name.clone(), form)
}

/// On what and for how long, in one line.
pub fn described(guests: &Guests) -> String {
    let several = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    format!(
        "{} on {}, {} of virtual time, seed {} (simulated)",
        several(guests.outcome.partitions.len(), "partition"),
        several(guests.outcome.cpus.len(), "processor"),
        text::shown(guests.machine.horizon),
        guests.machine.seed
    )
}
