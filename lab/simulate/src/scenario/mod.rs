//! Scheduling tests as readable stories.
//!
//! Owns: the language of scenario scripts, and how they are run.
//! Must never know: how the target decides.
//!
//! [`parse`] reads a script, [`run`] runs it against a [`Target`]; [`run_file`] does both
//! with the scheduling library as the target. `docs/scenarios.md` describes the language.

mod command;
mod expected;
mod fault;
mod laws;
mod names;
mod orders;
mod parse;
mod picture;
mod run;
mod script;
mod shrink;
mod status;
mod storm;
mod system;
mod target;
mod trial;
mod units;

pub use command::{Command, InstanceName, LockKind, LockName, Patience, ThreadName, When};
pub use fault::Fault;
pub use laws::Laws;
pub use names::Names;
pub use parse::parse;
pub use picture::Picture;
pub use run::{Failed, Options, Report, ScenarioError, run};
pub use script::{
    Action, Case, Expectation, Expected, InstanceSetup, Occupant, OnCpu, Script, Setup, Step,
    WaitEnd,
};
pub use shrink::Culprit;
pub use status::Status;
pub use storm::{KINDS, Kind, Plan, Storm};
pub use system::SystemWorld;
pub use target::{Refusal, Target, World};
pub use trial::{Answer, Broken, Trial};
pub use units::{POLICIES, Set, Span, policy_name};

/// Reads the script `text` of the file `name`, and runs it against the scheduling library. If a
/// stress test in it fails, the failure has a script of the fewest lines that fail too.
///
/// # Errors
/// The first line that cannot be read or does not hold, or that the options leave nothing.
pub fn run_file(text: &str, name: &str, options: &Options) -> Result<Report, ScenarioError> {
    run_in(&SystemWorld, &parse(text, name)?, options)
}

/// Runs a script as [`run`] does. If a stress test in it fails, the failure has a script of the
/// fewest lines that fail too.
///
/// # Errors
/// Those of [`run`].
pub fn run_in(
    world: &impl World,
    script: &Script,
    options: &Options,
) -> Result<Report, ScenarioError> {
    run(world, script, options).map_err(|mut error| {
        if let ScenarioError::Failed(failed) = &mut error {
            shrink(world, script, failed);
        }
        error
    })
}

/// Gives a failed stress test its script.
fn shrink(world: &impl World, script: &Script, failed: &mut Failed) {
    let case = script.cases.iter().find(|case| case.name == failed.case);
    let Some(case) = case.filter(|_| !failed.trail.is_empty()) else {
        return;
    };
    let policy = failed.policy.and_then(units::policy);
    let culprit = Culprit {
        setup: case.setup.clone(),
        names: &case.names,
        policy: policy.unwrap_or(taktos_schedule::smp::PolicyKind::Simple),
        commands: std::mem::take(&mut failed.trail),
    };
    let shrunk = culprit.shrunk(world);
    failed.script = Some(shrunk.script(world, "found"));
    failed.trail = shrunk.commands;
}
