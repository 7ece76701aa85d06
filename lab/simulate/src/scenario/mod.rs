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
mod names;
mod parse;
mod picture;
mod run;
mod script;
mod status;
mod system;
mod target;
mod units;

pub use command::{Command, InstanceName, LockKind, LockName, Patience, ThreadName, When};
pub use fault::Fault;
pub use names::Names;
pub use parse::parse;
pub use picture::Picture;
pub use run::{Failed, Options, Report, ScenarioError, run};
pub use script::{
    Action, Case, Expectation, Expected, InstanceSetup, Occupant, OnCpu, Script, Setup, Step,
    WaitEnd,
};
pub use status::Status;
pub use system::SystemWorld;
pub use target::{Refusal, Target, World};
pub use units::{POLICIES, Set, Span, policy_name};

/// Reads the script `text` of the file `name`, and runs it against the scheduling library.
///
/// # Errors
/// The first line that cannot be read or does not hold, or that the options leave nothing.
pub fn run_file(text: &str, name: &str, options: &Options) -> Result<Report, ScenarioError> {
    run(&SystemWorld, &parse(text, name)?, options)
}
