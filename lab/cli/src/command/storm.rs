//! `taktos sim --storm`: random schedules from a seed, the scheduler's laws
//! checked after each command; what fails is shrunk to a script.

use anyhow::Result;
use serde::Serialize;
use taktos_experiments::screen;
use taktos_export::table::Table;
use taktos_runner::failure::CheckFailed;
use taktos_runner::progress::Progress;
use taktos_schedule::smp::PolicyKind;
use taktos_simulate::Policy;
use taktos_simulate::explore::{Failure as Broken, StormOptions, StormReport, storm};
use taktos_simulate::scenario::POLICIES;

use crate::arguments::{SchedulerChoice, SimOptions};

/// The processors of a storm that names none.
const CPUS: usize = 32;
/// So many threads for each processor.
const THREADS_A_CPU: usize = 3;

/// One storm, and what came of it.
struct Done {
    name: String,
    seed: u64,
    result: Result<StormReport, Box<Broken>>,
}

#[derive(Serialize)]
struct DoneForm<'a> {
    policies: &'a str,
    seed: u64,
    held: bool,
    events: u32,
    refused: u32,
    impossible: u32,
    failed: Option<FailedForm<'a>>,
}

#[derive(Serialize)]
struct FailedForm<'a> {
    event: usize,
    expected: String,
    found: String,
    script: &'a str,
}

/// Runs a storm under each policy, or one over the named clusters; each so
/// often as there are replications, with the seeds that follow.
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
    let forms: Vec<_> = all.iter().map(form).collect();
    screen::show(options.format, &table(&forms), &forms)?;
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

/// What each storm is called, and its clusters: of those on the command line
/// the policies and the numbers of processors, which are counted from 0 on.
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

fn form(done: &Done) -> DoneForm<'_> {
    let report = done.result.as_ref().copied().unwrap_or_default();
    let failed = done.result.as_ref().err().map(|broken| FailedForm {
        event: broken.event,
        expected: broken.broken.law.clone(),
        found: broken.broken.found.clone(),
        script: &broken.script,
    });
    DoneForm {
        policies: &done.name,
        seed: done.seed,
        held: failed.is_none(),
        events: report.events,
        refused: report.refused,
        impossible: report.impossible,
        failed,
    }
}

fn table(all: &[DoneForm<'_>]) -> Table {
    let count = |held: bool, count: u32| held.then_some(u64::from(count));
    Table::over("Storms", all)
        .label("policies", |done| done.policies)
        .label("seed", |done| done.seed)
        .label("commands", |done| count(done.held, done.events))
        .label("refused", |done| count(done.held, done.refused))
        .label("impossible", |done| count(done.held, done.impossible))
        .label("every law held", |done| match &done.failed {
            None => "yes".into(),
            Some(failed) => format!("no: command {}", failed.event),
        })
        .note("A command that is refused changes nothing; it is impossible where nobody was there to ask.")
        .done()
}
