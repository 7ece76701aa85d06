//! Guests in virtual time: partitions on the virtual processors of pools.

mod form;
mod recorder;
mod result;
mod tables;

use anyhow::Result;
use taktos_experiments::recorder::Recorder;
use taktos_export::Recording;
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_simulate::Workload;
use taktos_simulate::partition::{Machine, MachineOutcome, run};
use taktos_time::Duration;

use super::outcome::{MOST_EVENTS, first_part};
use super::request::Request;
use crate::arguments::SimOptions;
pub use form::json;
use recorder::{HostRecorder, merged};
pub use result::outcome;

/// Results of a machine with guests.
#[derive(Debug)]
pub struct Guests {
    /// On what it ran.
    pub machine: Machine,
    /// The figures.
    pub outcome: MachineOutcome,
    /// The first part of the run, or all of it.
    pub recording: Recording,
    /// Whether the recording is of the whole run.
    pub whole: bool,
}

impl Guests {
    /// Deadlines missed, of all guests.
    pub fn missed(&self) -> u64 {
        let guests = self.outcome.partitions.iter();
        guests.map(|partition| partition.guest.missed()).sum()
    }

    /// Returns the virtual processors that never run, a message each.
    fn waiting(&self) -> Vec<String> {
        let pools = self.outcome.pools.iter();
        let told = pools.flat_map(|pool| {
            pool.waiting.iter().map(move |(partition, vcpu)| {
                let (name, policy) = (&pool.name, pool.scheduler);
                format!(
                    "VCPU {vcpu} of {partition} never runs: under {policy} each has a processor of its own, and the pool \
                     {name} has no more"
                )
            })
        });
        told.collect()
    }

    /// Warns of virtual processors that never run, as `taktos vm check` refuses them.
    pub fn warn(&self, file: &str) {
        for words in self.waiting() {
            eprintln!("warning: {file}: {words}");
        }
    }
}

/// Runs the partitions of the request.
///
/// # Errors
/// When the machine is refused, or an option has no meaning for guests.
pub fn simulate(request: &Request, options: &SimOptions, progress: &Progress) -> Result<Guests> {
    check(request, options)?;
    let set = &request.set;
    let (_, setup) = &request.setups[0];
    let machine = Machine {
        guest: setup.costs.clone(),
        slice: setup.slice,
        host: set.host_costs.clone().unwrap_or_default(),
        timer_slop: set
            .timer_slop
            .unwrap_or(Machine::free(setup.horizon).timer_slop),
        seed: setup.seed,
        ..Machine::free(setup.horizon)
    };
    let part = match options.trace {
        Some(_) => machine.horizon,
        None => first_part(&set.workload, machine.horizon),
    };
    let what = format!("simulating the guests of \"{}\" ...", request.name);
    let done = progress.during(&what, || {
        let mut nobody = vec![(); set.workload.partitions.len()];
        let outcome = run(&set.workload, &machine, &mut nobody, &mut ())?;
        Ok((outcome, record(&set.workload, &machine, part)?))
    });
    let (outcome, (recording, all)) =
        done.map_err(|error: taktos_simulate::partition::PartitionError| {
            Failure::error(
                format!("{}: {error}", request.name),
                "change the pools and partitions of the file",
            )
        })?;
    Ok(Guests {
        whole: all && part == machine.horizon,
        machine,
        outcome,
        recording,
    })
}

fn check(request: &Request, options: &SimOptions) -> Result<()> {
    if !request.set.workload.tasks.is_empty() {
        return Err(Failure::error(
            format!("{} has tasks beside its partitions", request.name),
            "put them into a partition, or into a file of their own",
        ));
    }
    let given = [
        ("--scheduler", options.scheduler.is_some()),
        ("--cpus", options.cpus.is_some()),
        ("--clusters", options.clusters.is_some()),
        ("--replications", options.replications != 1),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::error(
            format!("{option} has no meaning for partitions"),
            "leave it out: the file's pools and partitions say who schedules where",
        )),
        None => Ok(()),
    }
}

/// The first part of the run, and whether there was room for all of it.
fn record(
    workload: &Workload,
    machine: &Machine,
    part: Duration,
) -> Result<(Recording, bool), taktos_simulate::partition::PartitionError> {
    let short = Machine {
        horizon: part,
        ..machine.clone()
    };
    let most = MOST_EVENTS / (workload.partitions.len() + 1);
    let new = |partition| Recorder::of_guest(partition, most);
    let mut guests: Vec<Recorder> = workload.partitions.iter().map(new).collect();
    let mut host = HostRecorder::new(workload, most);
    run(workload, &short, &mut guests, &mut host)?;
    let guests = guests.into_iter().map(|guest| guest.finish(part));
    Ok(merged(workload, host, guests.collect(), part))
}
