//! Owns: which steps run side by side, and what is kept of each.
//! Must never know: what a step does, and how it is reported.
//!
//! All counts are taken inside of emulated machines, so a neighbour changes nothing of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};
use taktos_cli::command::needs::Need;
use taktos_experiments::screen;
use taktos_runner::failure::{CheckFailed, Failure, shown};
use taktos_runner::progress;
use taktos_runner::workspace::Workspace;

use super::cargo;
use super::changed::{Changes, HOST_TESTS};
use super::report::{self, said};
use super::setting_up::SettingUp;
use super::{Line, Step, Tally, steps};

/// Result of a step.
pub(super) struct Ran {
    /// Its name.
    pub name: String,
    /// How long it ran.
    pub took: Duration,
    /// Findings of the step.
    pub tally: Tally,
}

/// Returns the needs of the chosen steps, each once; to list them nothing is needed.
///
/// # Errors
/// As [`run`], of a commit that git does not know.
pub fn needs(workspace: &Workspace, line: &Line) -> Result<BTreeSet<Need>> {
    if line.list {
        return Ok(BTreeSet::new());
    }
    let steps = chosen(workspace, line)?;
    Ok(steps.iter().flat_map(|step| step.needs).copied().collect())
}

/// Runs the chosen steps, and reports.
///
/// # Errors
/// When no step is chosen, git does not know the commit that is to choose them, or a check fails.
pub fn run(workspace: &Workspace, line: &Line) -> Result<()> {
    let steps = chosen(workspace, line)?;
    if steps.is_empty() && line.changed.is_some() {
        return Ok(screen::print(
            "nothing has changed that a step depends on\n",
        )?);
    }
    if steps.is_empty() {
        return Err(Failure::error(
            format!(
                "no step has `{}` in its name",
                line.words().unwrap_or_default()
            ),
            "./taktos test --list names them",
        ));
    }
    progress::be_silent();
    let begin = Instant::now();
    let arguments = Arguments {
        list: line.list,
        test_threads: line.test_threads.map(usize::from).or_else(side_by_side),
        ..Arguments::default()
    };
    let setting_up = SettingUp::told();
    let ran = all((workspace, setting_up), steps, &arguments);
    if line.list {
        return Ok(());
    }
    screen::print(&report::of(&ran, begin.elapsed(), line))?;
    match ran.iter().map(|step| step.tally.failed).sum() {
        0 => Ok(()),
        1 => Err(CheckFailed("1 check failed; it is named above".into()).into()),
        failed => Err(CheckFailed(format!("{failed} checks failed; each is named above")).into()),
    }
}

/// One step more than there are processors: of those that build, all but one wait for each other
/// now and then.
fn side_by_side() -> Option<usize> {
    let processors = std::thread::available_parallelism().ok()?;
    Some(processors.get() + 1)
}

/// The steps that the line chooses, in the list's order.
fn chosen(workspace: &Workspace, line: &Line) -> Result<Vec<Step>> {
    let mut steps = steps(line.length());
    steps.retain(|step| line.chooses(&step.name));
    let Some(commit) = &line.changed else {
        return Ok(steps);
    };
    let changes = Changes::since(workspace, commit)?;
    let tested = changes.tested();
    let has_tests = tested.as_ref().is_none_or(|packages| !packages.is_empty());
    let is_tests = |step: &Step| step.name.starts_with(HOST_TESTS);
    steps.retain(|step| changes.touch(&step.name) && (has_tests || !is_tests(step)));
    if let Some(tests) = steps.iter_mut().find(|step| is_tests(step)) {
        *tests = cargo::host_tests_of(tested);
    }
    Ok(steps)
}

/// Runs them as soon as what they need is there, or lists them; what came of each, in the order in
/// which they ended.
fn all(
    (workspace, setting_up): (&Workspace, SettingUp),
    steps: Vec<Step>,
    arguments: &Arguments,
) -> Vec<Ran> {
    let ran = Arc::new(Mutex::default());
    let setting_up = Arc::new(setting_up);
    let trials = steps.into_iter().map(|step| {
        let (ran, workspace) = (Arc::clone(&ran), workspace.clone());
        let setting_up = Arc::clone(&setting_up);
        Trial::test(step.name.clone(), move || {
            let is_ready = setting_up.wait_for(step.needs);
            keep(&ran, &workspace, &step, is_ready)
        })
    });
    // It reports each step as the step ends; its conclusion is in what was kept.
    let _conclusion = libtest_mimic::run(arguments, trials.collect());
    setting_up.end();
    let mut ran = ran.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *ran)
}

/// Runs a step for which all is there, and keeps what came of it.
fn keep(
    ran: &Mutex<Vec<Ran>>,
    workspace: &Workspace,
    step: &Step,
    is_ready: Result<()>,
) -> Result<(), Failed> {
    let begin = Instant::now();
    let work = || is_ready.and_then(|()| (step.work)(workspace));
    let work = std::panic::AssertUnwindSafe(work);
    let tally = match std::panic::catch_unwind(work) {
        Ok(Ok(tally)) => tally,
        Ok(Err(error)) => Tally::fail(shown(&error)),
        Err(_) => Tally::fail("it panicked, as told above\n"),
    };
    let failed = (tally.failed > 0).then(|| said(&tally));
    let mut ran = ran.lock().unwrap_or_else(PoisonError::into_inner);
    ran.push(Ran {
        name: step.name.clone(),
        took: begin.elapsed(),
        tally,
    });
    failed.map_or(Ok(()), |said| Err(said.into()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Barrier;

    use super::super::step;
    use super::*;

    fn ran(steps: Vec<Step>) -> Vec<Ran> {
        // Its output would be taken for that of the tests of this crate.
        let arguments = Arguments {
            test_threads: Some(2),
            logfile: Some("/dev/null".into()),
            ..Arguments::default()
        };
        let place = (&Workspace::at(Path::new(".")), SettingUp::nothing());
        all(place, steps, &arguments)
    }

    #[test]
    fn whatever_ends_a_step_is_kept() {
        let ran = ran(vec![
            step("passes", |_| Ok(Tally::pass())),
            step("refuses", |_| anyhow::bail!("it refuses")),
            step("panics", |_| panic!("on purpose")),
            step("fails", |_| Ok(Tally::fail("no"))),
        ]);
        let found = |name: &str| {
            let step = ran.iter().find(|step| step.name == name).unwrap();
            (
                step.tally.passed,
                step.tally.failed,
                step.tally.said.as_str(),
            )
        };
        assert_eq!(found("passes"), (1, 0, ""));
        assert_eq!(found("refuses"), (0, 1, "error: it refuses\n"));
        assert_eq!(found("panics").1, 1);
        assert_eq!(found("fails"), (0, 1, "no"));
    }

    #[test]
    fn steps_run_side_by_side() {
        let both = Arc::new(Barrier::new(2));
        let meets = |name: &str| {
            let both = Arc::clone(&both);
            step(name, move |_| {
                both.wait();
                Ok(Tally::pass())
            })
        };
        assert_eq!(ran(vec![meets("a"), meets("b")]).len(), 2);
    }
}
