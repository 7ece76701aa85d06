//! The commands: what each does, in the order in which a person sees it.

mod batch;
pub mod bench;
pub mod compare;
mod count;
mod doctor;
mod experiment;
mod generate;
pub mod install;
mod latency;
pub mod needs;
pub mod new;
mod scenario;
mod segment;
mod sim;
mod storm;
mod trace;
mod vm;

use anyhow::Result;
use taktos_experiments::screen;
use taktos_runner::workspace::Workspace;

use crate::arguments::{Command, VmCommand};

/// Executes the command of the command line.
///
/// # Errors
/// If it cannot be executed, or a check fails.
pub fn run(command: Command) -> Result<()> {
    let workspace = Workspace::find()?;
    match command {
        Command::Run(options) => experiment::run(&workspace, *options),
        Command::Reproduce(options) => experiment::papers(&workspace, &options),
        Command::Latency(options) => latency::run(&workspace, &options),
        Command::Bench(options) => bench::run(&workspace, &options),
        Command::Sim(options) => sim::run(&workspace, &options),
        Command::Generate(options) => generate::run(&options),
        Command::Trace(options) => trace::run(&workspace, &options),
        Command::Count(options) => count::run(&workspace, *options),
        Command::Vm(VmCommand::Run(options)) => vm::run(&workspace, &options),
        Command::Vm(VmCommand::Check(options)) => vm::check(&workspace, &options),
        Command::New(options) => new::run(&workspace, &options),
        Command::Install(options) => install::run(&workspace, &options),
        Command::Segment(options) => segment::run(&options),
        Command::Doctor => doctor::run(&workspace),
        Command::Needs { words } => Ok(screen::print(&needs::shown(&words))?),
    }
}
