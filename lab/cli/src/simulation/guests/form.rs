//! What a machine with guests prints.

use serde::Serialize;
use taktos_export::{Evidence, in_order, to_json};
use taktos_simulate::file::text;
use taktos_simulate::partition::{HostCpuStatistics, PartitionOutcome, VcpuStatistics};

use super::Guests;
use crate::simulation::form::{SummaryForm, TaskForm};
use crate::simulation::request::Request;

/// A machine with guests. All times are in nanoseconds.
#[derive(Serialize)]
struct GuestsForm<'a> {
    evidence: Evidence,
    seed: u64,
    virtual_time: u64,
    events: u64,
    #[serde(serialize_with = "in_order")]
    partitions: Vec<(String, PartitionForm)>,
    cpus: Vec<CpuForm>,
    pools: Vec<PoolForm<'a>>,
}

#[derive(Serialize)]
struct PartitionForm {
    #[serde(serialize_with = "in_order")]
    tasks: Vec<(String, TaskForm)>,
    vcpus: Vec<VcpuForm>,
}

#[derive(Serialize)]
struct VcpuForm {
    received: u64,
    wanted: u64,
    wakes: u64,
    latency: SummaryForm,
    switches: u64,
    migrations: u64,
    periods: Option<PeriodsForm>,
}

#[derive(Serialize)]
struct PeriodsForm {
    period: u64,
    budget: u64,
    received: SummaryForm,
    count: u64,
    short: u64,
}

#[derive(Serialize)]
struct CpuForm {
    cpu: u8,
    busy: u64,
    overhead: u64,
    idle: u64,
    decisions: u64,
    switches: u64,
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
    let partition = |(partition, outcome): (&taktos_simulate::Partition, &PartitionOutcome)| {
        let names = partition.tasks.iter().map(|task| task.name.clone());
        let form = PartitionForm {
            tasks: names
                .zip(outcome.guest.tasks.iter().map(TaskForm::from))
                .collect(),
            vcpus: outcome.vcpus.iter().map(vcpu).collect(),
        };
        (partition.name.clone(), form)
    };
    to_json(&GuestsForm {
        evidence: Evidence::Simulated,
        seed: guests.machine.seed,
        virtual_time: outcome.virtual_time,
        events: outcome.events,
        partitions: partitions.zip(&outcome.partitions).map(partition).collect(),
        cpus: outcome.cpus.iter().map(cpu).collect(),
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

fn vcpu(vcpu: &VcpuStatistics) -> VcpuForm {
    VcpuForm {
        received: vcpu.received,
        wanted: vcpu.wanted,
        wakes: vcpu.wakes,
        latency: (&vcpu.latency).into(),
        switches: vcpu.switches,
        migrations: vcpu.migrations,
        periods: vcpu.periods.map(|periods| PeriodsForm {
            period: periods.period,
            budget: periods.budget,
            received: (&periods.received).into(),
            count: periods.received.count(),
            short: periods.short,
        }),
    }
}

const fn cpu(cpu: &HostCpuStatistics) -> CpuForm {
    CpuForm {
        cpu: cpu.cpu,
        busy: cpu.busy,
        overhead: cpu.overhead,
        idle: cpu.idle,
        decisions: cpu.decisions,
        switches: cpu.switches,
    }
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
