//! Output of a machine with guests.

use serde_json::{Value, json};
use taktos_export::{Evidence, to_json};
use taktos_simulate::file::text;

use super::Guests;
use crate::simulation::form::tasks;
use crate::simulation::request::Request;

/// The figures. All times are in nanoseconds.
pub fn json(request: &Request, guests: &Guests) -> String {
    let outcome = &guests.outcome;
    let partitions = request.set.workload.partitions.iter();
    let partitions = partitions
        .zip(&outcome.partitions)
        .map(|(partition, outcome)| {
            let tasks = tasks(&partition.tasks, &outcome.guest.tasks);
            let form = json!({ "tasks": tasks, "vcpus": outcome.vcpus });
            (partition.name.clone(), form)
        });
    let pools = outcome.pools.iter().map(|pool| {
        let admitted = pool.admitted.as_ref().map(Result::is_ok);
        json!({ "name": pool.name, "policy": pool.scheduler, "admitted": admitted })
    });
    to_json(&json!({
        "evidence": Evidence::Simulated,
        "seed": guests.machine.seed,
        "virtual_time": outcome.virtual_time,
        "events": outcome.events,
        "partitions": partitions.collect::<Value>(),
        "cpus": outcome.cpus,
        "pools": pools.collect::<Vec<_>>(),
    }))
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
