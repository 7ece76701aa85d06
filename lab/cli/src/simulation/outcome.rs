//! Runs a request: the figures from all replications, and a recording of the
//! first one's first part.

use std::borrow::Cow;

use anyhow::Result;
use taktos_experiments::recorder::Recorder;
use taktos_export::Recording;
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_simulate::file::text;
use taktos_simulate::{
    Arrival, Outcome, Plan, Policy, Setup, SimError, Task, Workload, batch, run,
};
use taktos_time::Duration;

use super::request::{Request, jobs_within};
use crate::arguments::SimOptions;

/// About how many jobs the recorded part has, if no trace was requested.
const RECORDED_JOBS: u128 = 2_000;
/// The most events of a trace: viewers stay quick with it.
pub(super) const MOST_EVENTS: usize = 1_000_000;
const HINT: &str = "change the task set, or the options --scheduler, --cpus and --clusters";

/// Results of each set-up.
#[derive(Debug)]
pub struct Outcomes {
    /// The set-ups that ran.
    pub runs: Vec<Run>,
    /// Those that were refused, and why.
    pub refused: Vec<(String, SimError)>,
}

/// One set-up and what it gave.
#[derive(Debug)]
pub struct Run {
    /// The policy, or `clusters`.
    pub name: String,
    /// On what it ran.
    pub setup: Setup,
    /// The figures of all replications.
    pub outcome: Outcome,
    /// The first part of the first replication, or all of it.
    pub recording: Recording,
    /// Whether the recording is of the whole run.
    pub whole: bool,
    /// Tasks with a budget that no policy of this run enforces.
    pub without: Vec<String>,
    /// The hyperperiod, if it is within the recording.
    pub hyperperiod: Option<Duration>,
    /// How much of what can happen was seen, where that is not all of it.
    pub unseen: Option<String>,
}

impl Outcomes {
    /// Deadlines missed, of all runs.
    pub fn missed(&self) -> u64 {
        self.runs.iter().map(|run| run.outcome.missed()).sum()
    }
}

/// Runs every set-up of the request.
///
/// # Errors
/// If the one requested set-up is refused, or all are.
pub fn simulate(request: &Request, options: &SimOptions, progress: &Progress) -> Result<Outcomes> {
    let outcomes = attempt(request, options, progress);
    if let ([], [(name, error), ..]) = (outcomes.runs.as_slice(), outcomes.refused.as_slice()) {
        let cause = match request.one {
            true => format!("{}: {error}", request.name),
            false => format!("{}: no policy takes it; {name}: {error}", request.name),
        };
        return Err(Failure::error(cause, HINT));
    }
    Ok(outcomes)
}

/// Runs every set-up of the request that its policy takes, be it none.
pub fn attempt(request: &Request, options: &SimOptions, progress: &Progress) -> Outcomes {
    let mut outcomes = Outcomes {
        runs: Vec::new(),
        refused: Vec::new(),
    };
    for (name, setup) in &request.setups {
        let what = format!("simulating \"{}\" under {name} ...", request.name);
        match progress.during(&what, || one(request, name, setup, options)) {
            Ok(run) => outcomes.runs.push(run),
            Err(error) => outcomes.refused.push((name.clone(), error)),
        }
    }
    outcomes
}

fn one(
    request: &Request,
    name: &str,
    setup: &Setup,
    options: &SimOptions,
) -> Result<Run, SimError> {
    let (workload, without) = without_budgets(&request.set.workload, setup);
    let workload = &*workload;
    let plan = Plan::new(workload, setup)?;
    let outcome = batch::replicate(&plan, options.replications, usize::from(options.jobs))?;
    let part = match options.trace {
        Some(_) => setup.horizon,
        None => first_part(workload, setup.horizon),
    };
    let short = Setup {
        horizon: part,
        ..setup.clone()
    };
    let mut recorder = Recorder::new(workload, &short.clusters, MOST_EVENTS);
    run(&Plan::new(workload, &short)?, setup.seed, &mut recorder)?;
    let (recording, all) = recorder.finish(part);
    let end = Duration::from_nanos(recording.end);
    Ok(Run {
        name: name.to_owned(),
        whole: all && part == setup.horizon,
        hyperperiod: hyperperiod(workload).filter(|period| *period <= end),
        unseen: unseen(workload, setup.horizon),
        setup: setup.clone(),
        outcome,
        recording,
        without,
    })
}

/// Removes the budgets, which are for `cbs` alone, if no cluster has it. Returns also the names of
/// the tasks that have one.
fn without_budgets<'a>(workload: &'a Workload, setup: &Setup) -> (Cow<'a, Workload>, Vec<String>) {
    let mut budgets = workload
        .tasks
        .iter()
        .filter(|task| task.budget.is_some())
        .peekable();
    let enforced = setup
        .clusters
        .iter()
        .any(|cluster| cluster.policy == Policy::Cbs);
    if enforced || budgets.peek().is_none() {
        return (Cow::Borrowed(workload), Vec::new());
    }
    let names = budgets.map(|task| task.name.clone()).collect();
    let mut workload = workload.clone();
    for task in &mut workload.tasks {
        task.budget = None;
    }
    (Cow::Owned(workload), names)
}

/// As much of the time as some thousand jobs take.
pub(super) fn first_part(workload: &Workload, horizon: Duration) -> Duration {
    let jobs = jobs_within(workload, horizon).max(1);
    if jobs <= RECORDED_JOBS {
        return horizon;
    }
    let part = u128::from(horizon.as_nanos()) * RECORDED_JOBS / jobs;
    Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX).max(1))
}

/// The note for a run that ends before the releases repeat: after a hyperperiod where all tasks
/// begin at once, otherwise after the latest offset and two of them (Leung and Merrill 1980).
fn unseen(workload: &Workload, horizon: Duration) -> Option<String> {
    let whole = hyperperiod(workload)?;
    let offset = |task: &Task| match task.arrival {
        Arrival::Periodic { offset, .. } => offset,
        _ => Duration::ZERO,
    };
    let latest = workload.tasks.iter().map(offset).max()?;
    let all = match latest {
        Duration::ZERO => whole,
        latest => latest.saturating_add(whole).saturating_add(whole),
    };
    if horizon >= all {
        return None;
    }
    let repeats = match all.as_nanos() <= 1 << 60 {
        true => text::shown(all),
        false => "more than 36 years".to_owned(),
    };
    Some(format!(
        "{} were simulated; the releases repeat only after {repeats}, and what happens in between was not seen",
        text::shown(horizon)
    ))
}

/// The least common multiple of the periods; none where a task has no period. The longest time
/// where it does not fit.
pub fn hyperperiod(workload: &Workload) -> Option<Duration> {
    let mut all = 1_u64;
    for task in &workload.tasks {
        let Arrival::Periodic { period, .. } = task.arrival else {
            return None;
        };
        let period = period.as_nanos().max(1);
        all = all.saturating_mul(period / gcd(all, period));
    }
    Some(Duration::from_nanos(all))
}

fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hyperperiod_is_the_least_common_multiple() {
        let ms = Duration::from_millis;
        let task = |name: &str, period| Task::periodic(name, ms(1), ms(period));
        let mut workload = Workload {
            tasks: vec![task("a", 500), task("b", 400), task("c", 1000)],
            ..Workload::default()
        };
        assert_eq!(hyperperiod(&workload), Some(ms(2000)));
        workload.tasks[0].arrival = Arrival::Once {
            at: taktos_time::Instant::START,
        };
        assert_eq!(hyperperiod(&workload), None);
        let primes = [999_999_937, 999_999_929, 999_999_893, 999_999_883];
        workload.tasks = primes
            .map(|period| Task::periodic("p", ms(1), Duration::from_nanos(period)))
            .to_vec();
        assert_eq!(hyperperiod(&workload), Some(Duration::from_nanos(u64::MAX)));
        let said = unseen(&workload, ms(10_000)).expect("it is far from all");
        assert!(said.contains("more than 36 years"), "{said}");
    }

    #[test]
    fn what_lies_behind_the_end_is_told() {
        let ms = Duration::from_millis;
        let task = |name: &str, period| Task::periodic(name, ms(1), ms(period));
        let mut workload = Workload {
            tasks: vec![task("a", 7), task("b", 11)],
            ..Workload::default()
        };
        assert_eq!(unseen(&workload, ms(77)), None);
        let said = unseen(&workload, ms(20)).expect("77 ms are more");
        assert!(
            said.contains("20 ms were simulated") && said.contains("77 ms"),
            "{said}"
        );
        workload.tasks[0].arrival = Arrival::Periodic {
            period: ms(7),
            offset: ms(3),
            jitter: Duration::ZERO,
        };
        assert!(unseen(&workload, ms(156)).is_some_and(|said| said.contains("157 ms")));
        assert_eq!(unseen(&workload, ms(157)), None);
    }
}
