//! Runs scripts.
//!
//! Owns: the order of steps, and the comparisons with expectations.
//! Must never know: which target it runs.

use std::fmt;

use taktos_schedule::smp::PolicyKind;

use super::command::Command;
use super::expected;
use super::fault::Fault;
use super::orders::Orders;
use super::script::{Action, Case, Script, Step};
use super::status::Status;
use super::storm::{Plan, Storm};
use super::target::World;
use super::trial::{Answer, Trial};
use super::units::policy_name;

/// Which cases are run, and for which policies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Only the case of this name.
    pub case: Option<String>,
    /// Only these policies; every policy that a case names when there is none.
    pub policies: Vec<PolicyKind>,
}

/// Counts of a run, all of which held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Cases.
    pub cases: usize,
    /// Runs: a case is run once for each of its policies.
    pub runs: usize,
    /// Orders: a run is one for each order of the steps that happen together.
    pub orders: usize,
    /// Commands carried out or, as they had to be, refused.
    pub commands: usize,
    /// Expectations that held.
    pub expectations: usize,
}

impl std::ops::AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.cases += other.cases;
        self.runs += other.runs;
        self.orders += other.orders;
        self.commands += other.commands;
        self.expectations += other.expectations;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cases, {} runs, {} orders, {} commands, {} expectations: all held",
            self.cases, self.runs, self.orders, self.commands, self.expectations
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
    /// Text of the line.
    pub text: String,
    /// The case.
    pub case: String,
    /// The policy of the run; none when each instance names its own.
    pub policy: Option<&'static str>,
    /// In which round of `repeat`, counted from 1; 0 outside.
    pub round: u32,
    /// The lines that happened together, in the order of this run; empty without such.
    pub order: String,
    /// Expected result.
    pub expected: String,
    /// Result that was found.
    pub found: String,
    /// All processors, threads and locks at that moment.
    pub picture: String,
    /// The commands of a stress test, up to the one that failed; empty outside of stress tests.
    pub trail: Vec<Command>,
    /// A script of the fewest lines that fails too; only for stress tests.
    pub script: Option<String>,
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
        if !self.order.is_empty() {
            write!(f, "\n in order: {}", self.order)?;
        }
        write!(f, "\n expected: {}", self.expected)?;
        write!(f, "\n found:    {}", self.found)?;
        write!(f, "\n{}", self.picture)?;
        match &self.script {
            Some(script) => write!(f, "\nthe shortest script that fails:\n\n{script}"),
            None => Ok(()),
        }
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
        /// Parts that the file has.
        known: String,
    },
}

impl ScenarioError {
    /// Returns a hint for a fix, if one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Fault(fault) => Some(fault.hint.clone()),
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

/// Runs a case once for each order in which its steps can be taken.
fn run_once(
    world: &impl World,
    file: &str,
    case: &Case,
    policy: Option<PolicyKind>,
) -> Result<Report, ScenarioError> {
    let default = policy.unwrap_or(PolicyKind::Simple);
    let mut orders = Orders::default();
    let mut report = Report::default();
    loop {
        let ran = world.with(&case.setup, &case.names, default, |target| {
            let mut run = Run {
                file,
                case,
                policy,
                trial: Trial::new(target, &case.setup, &case.names, default),
                orders: &mut orders,
                round: 0,
                report: Report::default(),
            };
            run.steps(&case.steps)?;
            Ok(run.report)
        });
        report += ran.unwrap_or_else(|status| Err(refused_setup(file, case, policy, status)))?;
        report.orders += 1;
        if !orders.next() {
            break;
        }
    }
    report.runs = 1;
    Ok(report)
}

fn refused_setup(
    file: &str,
    case: &Case,
    policy: Option<PolicyKind>,
    status: Status,
) -> ScenarioError {
    ScenarioError::Failed(Box::new(Failed {
        file: file.to_owned(),
        line: case.line,
        text: format!("case {}", case.name),
        case: case.name.clone(),
        policy: policy.map(policy_name),
        round: 0,
        order: String::new(),
        expected: "the set-up is accepted".to_owned(),
        found: format!("refused: {status}"),
        picture: String::new(),
        trail: Vec::new(),
        script: None,
    }))
}

/// A case while it runs.
struct Run<'a, 'o> {
    file: &'a str,
    case: &'a Case,
    policy: Option<PolicyKind>,
    trial: Trial<'a>,
    orders: &'o mut Orders,
    round: u32,
    report: Report,
}

impl Run<'_, '_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), ScenarioError> {
        for step in steps {
            let taken = step.under.is_empty()
                || self
                    .policy
                    .is_some_and(|policy| step.under.contains(&policy));
            if taken {
                self.step(step)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), ScenarioError> {
        match &step.action {
            Action::Do(command) => self.command(step, command, &Answer::Done),
            Action::Refused(status, command) => {
                self.command(step, command, &Answer::Refused(*status))
            }
            Action::Expect(expected) => {
                let target = self.trial.target();
                let held = expected::check(target, &self.case.names, expected);
                held.map_err(|found| self.failed(step, found.expected, found.found))?;
                self.report.expectations += 1;
                Ok(())
            }
            Action::Repeat(times, steps) => {
                let outer = self.round;
                for round in 1..=*times {
                    self.round = round;
                    self.steps(steps)?;
                }
                self.round = outer;
                Ok(())
            }
            Action::Together(lists) => self.together(lists),
            Action::Storm(plan) => self.storm(step, plan),
        }
    }

    fn command(
        &mut self,
        step: &Step,
        command: &Command,
        expected: &Answer,
    ) -> Result<(), ScenarioError> {
        let answer = self.trial.perform(command);
        let answer = answer.map_err(|broken| self.failed(step, broken.law, broken.found))?;
        if answer != *expected {
            return Err(self.failed(step, answered(expected), answered(&answer)));
        }
        self.report.commands += 1;
        Ok(())
    }

    /// Takes the lists' steps in the order of this run.
    fn together(&mut self, lists: &[Vec<Step>]) -> Result<(), ScenarioError> {
        let mut rest: Vec<&[Step]> = lists.iter().map(Vec::as_slice).collect();
        loop {
            rest.retain(|list| !list.is_empty());
            if rest.is_empty() {
                return Ok(());
            }
            let chosen = self.orders.choose(rest.len());
            let list = rest[chosen];
            rest[chosen] = &list[1..];
            self.orders.took(&list[0]);
            self.step(&list[0])?;
        }
    }

    /// Commands at random, whatever the answers.
    fn storm(&mut self, step: &Step, plan: &Plan) -> Result<(), ScenarioError> {
        let mut storm = Storm::new(plan, &self.case.setup, &self.case.names);
        let mut trail = Vec::new();
        for event in 1..=plan.events {
            trail.push(storm.next(self.trial.target()));
            if let Err(broken) = self.trial.perform(&trail[trail.len() - 1]) {
                let found = format!("event {event}: {}", broken.found);
                let mut failed = self.failure(step, broken.law, found);
                failed.trail = trail;
                return Err(ScenarioError::Failed(Box::new(failed)));
            }
        }
        self.report.commands += plan.events as usize;
        Ok(())
    }

    fn failed(&self, step: &Step, expected: String, found: String) -> ScenarioError {
        ScenarioError::Failed(Box::new(self.failure(step, expected, found)))
    }

    fn failure(&self, step: &Step, expected: String, found: String) -> Failed {
        Failed {
            file: self.file.to_owned(),
            line: step.line,
            text: step.text.clone(),
            case: self.case.name.clone(),
            policy: self.policy.map(policy_name),
            round: self.round,
            order: self.orders.shown(),
            expected,
            found,
            picture: self.trial.picture().drawn(&self.case.names).to_string(),
            trail: Vec::new(),
            script: None,
        }
    }
}

/// Returns the target's result as text.
fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Done => "done".to_owned(),
        Answer::Refused(status) => format!("refused: {status}"),
        Answer::Impossible(why) => why.clone(),
    }
}
