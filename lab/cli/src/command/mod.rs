//! The commands: what each does, in the order in which a person sees it.

mod batch;
pub mod bench;
pub mod compare;
mod count;
mod doctor;
mod ethercat;
mod experiment;
mod generate;
mod guests;
mod hypervisor;
pub mod install;
mod latency;
mod mechanisms;
pub mod needs;
pub mod new;
pub mod partitions;
mod scenario;
mod segment;
pub mod several;
mod sim;
mod smp;
mod storm;
mod trace;
mod vm;

use std::time::Duration;

use anyhow::Result;
use taktos_experiments::screen;
use taktos_runner::failure::Failure;
use taktos_runner::image;
use taktos_runner::workspace::Workspace;

use trace::Asked;

use crate::arguments::{Command, Format, Interface, LoadedOptions, Suite, VmCommand};
use crate::command::bench::thread_metric::Calls;
use crate::command::install::Form;

/// Does what the command line asks.
///
/// # Errors
/// When it cannot be done, or a check says no.
pub fn run(command: Command) -> Result<()> {
    let workspace = Workspace::find()?;
    match command {
        Command::Run {
            experiment: Some(file),
            loaded: LoadedOptions { loaded },
            options,
            machine,
            size,
        } if image::is_elf(&file) => {
            size.only(&["for"])?;
            let given = |time: taktos_time::Duration| Duration::from_nanos(time.as_nanos());
            let time = size.horizon.map_or(trace::TIME, given);
            let asked = Asked {
                subject: &file.to_string_lossy(),
                argument: String::new(),
                loaded,
                time,
                live: options.format == Format::Table,
            };
            let place = (&options, &machine);
            trace::run(&workspace, asked, None, place, (None, None))
        }
        Command::Run {
            experiment,
            options,
            machine,
            loaded,
            size,
        } => {
            loaded.none()?;
            machine.none()?;
            if let Some(file) = experiment {
                return experiment::from_file(&workspace, &file, &options, &size);
            }
            size.only(&[])?;
            experiment::main_job(&workspace, &options)
        }
        Command::Reproduce {
            part,
            options,
            size,
        } => experiment::papers(&workspace, part, &options, &size),
        Command::Latency(options) => latency::run(&workspace, &options),
        Command::Bench {
            suite,
            interface: Some(_),
            ..
        } if suite != Suite::ThreadMetric => Err(Failure::error(
            "only the suite thread-metric is measured by one interface or another",
            "say --suite thread-metric, or leave out --interface",
        )),
        Command::Bench {
            interface: Some(Interface::Rust),
            lto: true,
            ..
        } => Err(Failure::error(
            "the tests in Rust are compiled with the kernel in any case",
            "leave out --lto, or take another --interface",
        )),
        Command::Bench {
            suite,
            options,
            counter,
            ..
        } if counter.any() => bench::hardware(&workspace, suite, &options, &counter),
        Command::Bench {
            suite: Suite::Kernel,
            options,
            baseline,
            save_baseline,
            ..
        } => bench::run(&workspace, &options, baseline.as_deref(), save_baseline),
        Command::Bench {
            suite: suite @ (Suite::User | Suite::Budgets),
            options,
            baseline,
            save_baseline,
            ..
        } => {
            let measured = match suite {
                Suite::Budgets => bench::BUDGETS,
                _ => bench::USER,
            };
            let baseline = baseline.as_deref();
            bench::count(&workspace, &options, measured, baseline, save_baseline)
        }
        Command::Bench {
            suite: Suite::ThreadMetric,
            options,
            interface,
            lto,
            baseline,
            save_baseline,
            ..
        } => {
            let calls = Calls {
                interface: interface.unwrap_or_default(),
                library: Form::of(lto),
            };
            let baseline = (baseline.as_deref(), save_baseline);
            bench::thread_metric(&workspace, &options, calls, baseline)
        }
        Command::Bench {
            suite: Suite::Simulation,
            options,
            baseline,
            save_baseline,
            ..
        } => bench::simulation(&workspace, &options, baseline.is_some() || save_baseline),
        Command::Sim(options) => sim::run(&workspace, &options),
        Command::Generate(options) => generate::run(&options),
        Command::Trace {
            subject,
            options,
            machine,
            loaded: LoadedOptions { loaded },
            argument,
            time,
            watch,
            from,
            length,
        } => trace::run(
            &workspace,
            Asked {
                subject: &subject,
                argument,
                loaded,
                time,
                live: false,
            },
            watch.as_deref(),
            (&options, &machine),
            (from, length),
        ),
        Command::Count {
            subject,
            loaded: LoadedOptions { loaded },
            from,
            to,
            budget,
            time,
            options,
            machine,
        } => {
            let watched = count::asked(from.as_deref().zip(to.as_deref()), budget.as_deref())?;
            let place = (&options, &machine);
            count::run(&workspace, &subject, &watched, (time, loaded), place)
        }
        Command::Vm(VmCommand::Run(options)) => vm::run(&workspace, &options),
        Command::Vm(VmCommand::Check(options)) => vm::check(&workspace, &options),
        Command::New(options) => new::run(&workspace, &options),
        Command::Install(options) => install::run(&workspace, &options),
        Command::Segment(options) => segment::run(&options),
        Command::Doctor => doctor::run(&workspace),
        Command::Needs { words } => Ok(screen::print(&needs::shown(&words))?),
    }
}
