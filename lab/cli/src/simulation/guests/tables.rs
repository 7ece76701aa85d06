//! The tables of a machine with guests.

use taktos_export::table::{Cell, Column, Table};
use taktos_simulate::partition::PartitionOutcome;

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
    let mut table = Table::new(
        "Virtual processors",
        vec![
            Column::label("partition"),
            Column::label("vcpu"),
            simulated("received, %"),
            simulated("wanted, %"),
            simulated("latency, mean"),
            simulated("longest"),
            simulated("periods"),
            simulated("least received"),
            simulated("short of budget"),
            simulated("switches"),
            simulated("migrations"),
        ],
    );
    let all = guests.outcome.virtual_time;
    for partition in &guests.outcome.partitions {
        for (number, vcpu) in (0_u64..).zip(&partition.vcpus) {
            let periods = vcpu.periods;
            table.push(vec![
                partition.name.as_str().into(),
                number.into(),
                share(vcpu.received, all),
                share(vcpu.wanted, all),
                unit.cell(vcpu.latency.mean()),
                unit.cell(vcpu.latency.max()),
                periods.map(|periods| periods.received.count()).into(),
                unit.cell(periods.and_then(|periods| periods.received.min())),
                periods.map(|periods| periods.short).into(),
                vcpu.switches.into(),
                vcpu.migrations.into(),
            ]);
        }
    }
    table.notes.push(
        "Latency: from when it had something to do until a processor executed it. Periods: those \
         that it wanted whole, the least that it executed in one of them, and those in which that \
         was less than its budget: what the hypervisor's acts cost is not executed by it."
            .into(),
    );
    table
}

fn processors(guests: &Guests) -> Table {
    let mut table = Table::new(
        "Processors",
        vec![
            Column::label("processor"),
            simulated("busy, %"),
            simulated("overhead, %"),
            simulated("idle, %"),
            simulated("decisions"),
            simulated("switches"),
        ],
    );
    for cpu in &guests.outcome.cpus {
        let all = cpu.busy + cpu.overhead + cpu.idle;
        table.push(vec![
            u64::from(cpu.cpu).into(),
            share(cpu.busy, all),
            share(cpu.overhead, all),
            share(cpu.idle, all),
            cpu.decisions.into(),
            cpu.switches.into(),
        ]);
    }
    table
}

fn pools(guests: &Guests) -> Table {
    let names = ["pool", "policy", "servers admitted"];
    let mut table = Table::new("Pools", names.map(Column::label).to_vec());
    for pool in &guests.outcome.pools {
        let admitted = match &pool.admitted {
            None => Cell::Blank,
            Some(Ok(())) => "yes".into(),
            Some(Err(error)) => format!("no: {error}").into(),
        };
        table.push(vec![
            pool.name.as_str().into(),
            pool.scheduler.into(),
            admitted,
        ]);
    }
    table
}
