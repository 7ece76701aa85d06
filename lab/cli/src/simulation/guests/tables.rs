//! The tables of a machine with guests.

use taktos_export::table::{Cell, Table};
use taktos_simulate::partition::{HostCpuStatistics, PartitionOutcome, VcpuStatistics};

use super::Guests;
use crate::simulation::request::Request;
use crate::simulation::tables::{Unit, response_table, share, simulated, task_table};

/// The unit of all guests.
fn unit(guests: &Guests) -> Unit {
    let partitions = guests.outcome.partitions.iter();
    Unit::of(partitions.flat_map(|partition| &partition.guest.tasks))
}

/// All tables that are shown: each guest's tasks, virtual processors, processors, pools.
pub fn all(request: &Request, guests: &Guests) -> Vec<Table> {
    let mut tables = Vec::new();
    let partitions = &request.set.workload.partitions;
    for (partition, outcome) in partitions.iter().zip(&guests.outcome.partitions) {
        let title = format!("Tasks of {} under {}", partition.name, partition.policy);
        let figures = &outcome.guest.tasks;
        tables.push(task_table(title, &partition.tasks, figures, unit(guests)));
    }
    tables.extend([vcpus(guests), processors(guests), pools(guests)]);
    tables
}

/// The response times of each guest.
pub fn responses(request: &Request, guests: &Guests) -> Vec<Table> {
    let partitions = request.set.workload.partitions.iter();
    let table = |(partition, outcome): (&taktos_simulate::Partition, &PartitionOutcome)| {
        let title = format!("Response times of {}", partition.name);
        response_table(title, &partition.tasks, &outcome.guest.tasks, unit(guests))
    };
    partitions
        .zip(&guests.outcome.partitions)
        .map(table)
        .collect()
}

fn vcpus(guests: &Guests) -> Table {
    let unit = unit(guests);
    let all = guests.outcome.virtual_time;
    let partitions = guests.outcome.partitions.iter();
    let rows = partitions.flat_map(|partition| {
        let vcpus = (0_u64..).zip(&partition.vcpus);
        vcpus.map(|(number, vcpu)| (partition.name.as_str(), number, vcpu))
    });
    let rows: Vec<_> = rows.collect();
    let least = |vcpu: &VcpuStatistics| vcpu.periods.and_then(|periods| periods.received.min());
    Table::over("Virtual processors", &rows)
        .label("partition", |(partition, ..)| *partition)
        .label("vcpu", |(_, number, _)| *number)
        .column(simulated("received, %"), |(.., vcpu)| {
            share(vcpu.received, all)
        })
        .column(simulated("wanted, %"), |(.., vcpu)| share(vcpu.wanted, all))
        .column(simulated("latency, mean"), |(.., vcpu)| {
            unit.cell(vcpu.latency.mean())
        })
        .column(simulated("longest"), |(.., vcpu)| {
            unit.cell(vcpu.latency.max())
        })
        .column(simulated("periods"), |(.., vcpu)| {
            vcpu.periods.map(|periods| periods.received.count())
        })
        .column(simulated("least received"), |(.., vcpu)| {
            unit.cell(least(vcpu))
        })
        .column(simulated("short of budget"), |(.., vcpu)| {
            vcpu.periods.map(|periods| periods.short)
        })
        .column(simulated("switches"), |(.., vcpu)| vcpu.switches)
        .column(simulated("migrations"), |(.., vcpu)| vcpu.migrations)
        .note(
            "Latency: from when it had something to do until a processor executed it. Periods: those \
             that it wanted whole, the least that it executed in one of them, and those in which that \
             was less than its budget: what the hypervisor's acts cost is not executed by it.",
        )
        .done()
}

fn processors(guests: &Guests) -> Table {
    let part = |cpu: &HostCpuStatistics, part| share(part, cpu.busy + cpu.overhead + cpu.idle);
    Table::over("Processors", &guests.outcome.cpus)
        .label("processor", |cpu| u64::from(cpu.cpu))
        .column(simulated("busy, %"), |cpu| part(cpu, cpu.busy))
        .column(simulated("overhead, %"), |cpu| part(cpu, cpu.overhead))
        .column(simulated("idle, %"), |cpu| part(cpu, cpu.idle))
        .column(simulated("decisions"), |cpu| cpu.decisions)
        .column(simulated("switches"), |cpu| cpu.switches)
        .done()
}

fn pools(guests: &Guests) -> Table {
    let mut table = Table::over("Pools", &guests.outcome.pools)
        .label("pool", |pool| pool.name.as_str())
        .label("policy", |pool| pool.scheduler)
        .label("servers admitted", |pool| match &pool.admitted {
            None => Cell::Blank,
            Some(Ok(())) => "yes".into(),
            Some(Err(error)) => format!("no: {error}").into(),
        })
        .done();
    table
        .notes
        .extend(guests.waiting().into_iter().map(|words| words + "."));
    table
}
