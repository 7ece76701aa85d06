//! `taktos sim --storm`: random schedules from a seed, the scheduler's invariants checked after
//! each command; what fails is shrunk to a script.

use anyhow::Result;
use serde_json::{Value, json};
use taktos_experiments::screen;
use taktos_export::table::Table;
use taktos_runner::failure::CheckFailed;
use taktos_runner::progress::Progress;
use taktos_schedule::smp::PolicyKind;
use taktos_simulate::Policy;
use taktos_simulate::explore::{Failure as Broken, StormOptions, StormReport, storm};
use taktos_simulate::scenario::POLICIES;

use crate::arguments::{SchedulerChoice, SimOptions};

/// The processors of a stress test that names none.
const CPUS: usize = 32;
/// Number of threads for each processor.
const THREADS_A_CPU: usize = 3;

/// One stress test, and its result.
struct Done {
    name: String,
    seed: u64,
    result: Result<StormReport, Box<Broken>>,
}

/// Runs a stress test under each policy, or one over the named clusters. Each runs once for each
/// replication, with the seeds that follow.
pub(super) fn run(options: &SimOptions) -> Result<()> {
    let mut all = Vec::new();
    let first = options.seed.unwrap_or(0);
    for (name, clusters) in layouts(options) {
        for number in 0..options.replications {
            let seed = first.wrapping_add(number);
            let what = format!("a storm of seed {seed} under {name} ...");
            let storm = || storm(&storm_options(options, &clusters, seed));
            let result = Progress::default().during(&what, storm);
            if let Err(broken) = &result {
                eprintln!("{broken}\n");
            }
            all.push(Done {
                name: name.clone(),
                seed,
                result,
            });
        }
    }
    let forms: Vec<Value> = all.iter().map(form).collect();
    screen::show(options.format, &table(&all), &forms)?;
    let broken = all.iter().filter(|done| done.result.is_err()).count();
    match broken {
        0 => Ok(()),
        broken => {
            let words = format!("{broken} of {} storms broke a law", all.len());
            Err(CheckFailed(words).into())
        }
    }
}

type Clusters = Vec<(PolicyKind, usize)>;

/// Returns the name of each stress test, and its clusters. They have the policies and numbers of
/// processors from the command line; processors are counted from 0 on.
fn layouts(options: &SimOptions) -> Vec<(String, Clusters)> {
    let mut policies = match options.scheduler {
        Some(SchedulerChoice::One(policy)) => vec![policy],
        _ => Policy::ALL.to_vec(),
    };
    let cpus = options.cpus.map_or(CPUS, usize::from);
    let wanted: Vec<(Option<Policy>, usize)> = match &options.clusters {
        None => vec![(None, cpus)],
        Some(clusters) => {
            let clusters = clusters.0.iter();
            clusters.map(|one| (one.policy, one.cpus.count())).collect()
        }
    };
    // Where every cluster has its own policy, the turns do not differ.
    if wanted.iter().all(|(policy, _)| policy.is_some()) {
        policies.truncate(1);
    }
    let under = |policy: Policy| {
        let each = wanted
            .iter()
            .map(|(own, cpus)| (own.unwrap_or(policy), *cpus));
        let names: Vec<&str> = each.clone().map(|(policy, _)| policy.name()).collect();
        let clusters = each.map(|(policy, cpus)| (kind(policy), cpus)).collect();
        (names.join(", "), clusters)
    };
    policies.into_iter().map(under).collect()
}

/// The library's name of a policy.
fn kind(policy: Policy) -> PolicyKind {
    let found = POLICIES.iter().find(|(name, _)| *name == policy.name());
    found.map_or(PolicyKind::Simple, |(_, kind)| *kind)
}

fn storm_options(options: &SimOptions, clusters: &Clusters, seed: u64) -> StormOptions {
    let cpus: usize = clusters.iter().map(|(_, cpus)| cpus).sum();
    StormOptions {
        events: options.events,
        threads: cpus * THREADS_A_CPU,
        clusters: clusters.clone(),
        ..StormOptions::large(PolicyKind::Simple, seed)
    }
}

fn form(done: &Done) -> Value {
    let report = done.result.as_ref().copied().unwrap_or_default();
    let failed = done.result.as_ref().err().map(|broken| {
        json!({
            "event": broken.event,
            "expected": broken.broken.law,
            "found": broken.broken.found,
            "script": broken.script,
        })
    });
    json!({
        "policies": done.name,
        "seed": done.seed,
        "held": failed.is_none(),
        "events": report.events,
        "refused": report.refused,
        "impossible": report.impossible,
        "failed": failed,
    })
}

fn table(all: &[Done]) -> Table {
    let count = |done: &Done, of: fn(&StormReport) -> u32| {
        let report = done.result.as_ref().ok();
        report.map(|report| u64::from(of(report)))
    };
    Table::over("Storms", all)
        .label("policies", |done| done.name.as_str())
        .label("seed", |done| done.seed)
        .label("commands", |done| count(done, |report| report.events))
        .label("refused", |done| count(done, |report| report.refused))
        .label("impossible", |done| count(done, |report| report.impossible))
        .label("every law held", |done| match &done.result {
            Ok(_) => "yes".into(),
            Err(broken) => format!("no: command {}", broken.event),
        })
        .note("A command that is refused changes nothing; it is impossible where nobody was there to ask.")
        .done()
}
