//! Runs scripts.
//!
//! Owns: the order of steps, and what is compared with what.
//! Must never know: which target it runs.

use std::fmt;

use taktos_schedule::smp::PolicyKind;

use super::command::Command;
use super::expected;
use super::fault::Fault;
use super::picture::Picture;
use super::script::{Action, Case, Script, Step};
use super::target::{Refusal, Target, World};
use super::units::policy_name;

/// Which cases are run, and for which policies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Only the case of this name.
    pub case: Option<String>,
    /// Only these policies; every policy that a case names when there is none.
    pub policies: Vec<PolicyKind>,
}

/// What was run, all of which held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Cases.
    pub cases: usize,
    /// Runs: a case is run once for each of its policies.
    pub runs: usize,
    /// Commands carried out or, as they had to be, refused.
    pub commands: usize,
    /// Expectations that held.
    pub expectations: usize,
}

impl std::ops::AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.cases += other.cases;
        self.runs += other.runs;
        self.commands += other.commands;
        self.expectations += other.expectations;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cases, {} runs, {} commands, {} expectations: all held",
            self.cases, self.runs, self.commands, self.expectations
        )
    }
}

/// A line of a script that did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What the line says.
    pub text: String,
    /// The case.
    pub case: String,
    /// The policy of the run; none when each instance names its own.
    pub policy: Option<&'static str>,
    /// In which round of `repeat`, counted from 1; 0 outside.
    pub round: u32,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// All processors, threads and locks at that moment.
    pub picture: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: `{}` does not hold",
            self.file, self.line, self.text
        )?;
        write!(f, " in case {}", self.case)?;
        if let Some(policy) = self.policy {
            write!(f, " under {policy}")?;
        }
        if self.round > 0 {
            write!(f, ", round {}", self.round)?;
        }
        write!(f, "\n expected: {}", self.expected)?;
        write!(f, "\n found:    {}", self.found)?;
        write!(f, "\n{}", self.picture)
    }
}

impl std::error::Error for Failed {}

/// Why a script did not end well.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScenarioError {
    /// It cannot be read.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A line did not hold.
    #[error(transparent)]
    Failed(Box<Failed>),
    /// The options leave nothing to run.
    #[error("{file}: nothing of it is run with {what}")]
    Nothing {
        /// The file.
        file: String,
        /// The options that leave nothing.
        what: String,
        /// What there is.
        known: String,
    },
}

impl ScenarioError {
    /// What to do about it, when that is known.
    pub fn mend(&self) -> Option<String> {
        match self {
            Self::Fault(fault) => Some(fault.mend.clone()),
            Self::Nothing { known, .. } => Some(format!("the file has {known}")),
            Self::Failed(_) => None,
        }
    }
}

/// Runs a script that has been read.
///
/// # Errors
/// The first line that does not hold, or that nothing is left to run.
pub fn run(
    world: &impl World,
    script: &Script,
    options: &Options,
) -> Result<Report, ScenarioError> {
    let mut report = Report::default();
    for case in &script.cases {
        if options.case.as_ref().is_none_or(|name| *name == case.name) {
            report += run_case(world, &script.file, case, options)?;
        }
    }
    if report.runs == 0 {
        return Err(nothing(script, options));
    }
    Ok(report)
}

/// That the options leave nothing.
fn nothing(script: &Script, options: &Options) -> ScenarioError {
    let mut what: Vec<String> = Vec::new();
    what.extend(options.case.as_ref().map(|name| format!("case {name}")));
    let policies = options.policies.iter().map(|kind| policy_name(*kind));
    what.extend(policies.map(|name| format!("policy {name}")));
    let shown = |case: &Case| {
        let policies = case.policies.iter().map(|kind| policy_name(*kind));
        format!(
            "case {} ({})",
            case.name,
            policies.collect::<Vec<_>>().join(" ")
        )
    };
    ScenarioError::Nothing {
        file: script.file.clone(),
        what: what.join(", "),
        known: script
            .cases
            .iter()
            .map(shown)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Runs a case for each of its policies.
fn run_case(
    world: &impl World,
    file: &str,
    case: &Case,
    options: &Options,
) -> Result<Report, ScenarioError> {
    let wanted = |kind: &PolicyKind| options.policies.is_empty() || options.policies.contains(kind);
    let policies: Vec<PolicyKind> = case.policies.iter().copied().filter(wanted).collect();
    let mut report = Report::default();
    if case.policies.is_empty() {
        // Each instance names its own.
        report += run_once(world, file, case, None)?;
    }
    for policy in policies {
        report += run_once(world, file, case, Some(policy))?;
    }
    report.cases = usize::from(report.runs > 0);
    Ok(report)
}

/// Runs a case once.
fn run_once(
    world: &impl World,
    file: &str,
    case: &Case,
    policy: Option<PolicyKind>,
) -> Result<Report, ScenarioError> {
    let default = policy.unwrap_or(PolicyKind::Simple);
    let ran = world.with(&case.setup, &case.names, default, |target| {
        let mut run = Run {
            file,
            case,
            policy,
            target,
            round: 0,
            report: Report {
                runs: 1,
                ..Report::default()
            },
        };
        run.steps(&case.steps)?;
        Ok(run.report)
    });
    ran.unwrap_or_else(|status| {
        Err(ScenarioError::Failed(Box::new(Failed {
            file: file.to_owned(),
            line: case.line,
            text: format!("case {}", case.name),
            case: case.name.clone(),
            policy: policy.map(policy_name),
            round: 0,
            expected: "the set-up is accepted".to_owned(),
            found: format!("refused: {status}"),
            picture: String::new(),
        })))
    })
}

/// A case while it runs.
struct Run<'a> {
    file: &'a str,
    case: &'a Case,
    policy: Option<PolicyKind>,
    target: &'a mut dyn Target,
    round: u32,
    report: Report,
}

impl Run<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), ScenarioError> {
        for step in steps {
            let taken = step.under.is_empty()
                || self
                    .policy
                    .is_some_and(|policy| step.under.contains(&policy));
            if !taken {
                continue;
            }
            match &step.action {
                Action::Do(command) => self.command(step, command)?,
                Action::Refused(status, command) => {
                    let before = self.picture();
                    let answer = self.target.perform(command);
                    let found = match answer {
                        Err(Refusal::Status(found)) if found == *status => None,
                        answer => Some(answered(&answer)),
                    };
                    if let Some(found) = found {
                        return Err(self.failed(step, format!("refused: {status}"), found));
                    }
                    if self.picture() != before {
                        let expected = "a refused command changes nothing".to_owned();
                        let drawn = before.drawn(&self.case.names);
                        let found = format!("it was before {drawn}");
                        return Err(self.failed(step, expected, found));
                    }
                    self.laws(step)?;
                    self.report.commands += 1;
                }
                Action::Expect(expected) => {
                    let names = &self.case.names;
                    if let Err(found) = expected::check(self.target, names, expected) {
                        return Err(self.failed(step, found.expected, found.found));
                    }
                    self.report.expectations += 1;
                }
                Action::Repeat(times, steps) => {
                    for round in 1..=*times {
                        self.round = round;
                        self.steps(steps)?;
                    }
                    self.round = 0;
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, step: &Step, command: &Command) -> Result<(), ScenarioError> {
        let answer = self.target.perform(command);
        if answer.is_err() {
            return Err(self.failed(step, "done".to_owned(), answered(&answer)));
        }
        self.report.commands += 1;
        self.laws(step)
    }

    /// That the target's own laws hold.
    fn laws(&self, step: &Step) -> Result<(), ScenarioError> {
        let laws = self.target.check(&self.case.names);
        laws.map_err(|law| self.failed(step, "every law of the target holds".to_owned(), law))
    }

    fn picture(&self) -> Picture {
        Picture::of(self.target, self.case.setup.online, &self.case.names)
    }

    fn failed(&self, step: &Step, expected: String, found: String) -> ScenarioError {
        ScenarioError::Failed(Box::new(Failed {
            file: self.file.to_owned(),
            line: step.line,
            text: step.text.clone(),
            case: self.case.name.clone(),
            policy: self.policy.map(policy_name),
            round: self.round,
            expected,
            found,
            picture: self.picture().drawn(&self.case.names).to_string(),
        }))
    }
}

/// What the target answered.
fn answered(answer: &Result<(), Refusal>) -> String {
    match answer {
        Ok(()) => "done".to_owned(),
        Err(Refusal::Status(status)) => format!("refused: {status}"),
        Err(Refusal::Impossible(why) | Refusal::Broken(why)) => why.clone(),
    }
}
