//! `taktos vm`: several guests under the hypervisor.

use std::path::Path;

use anyhow::Result;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Options};
use taktos_experiments::guests::Observation;
use taktos_experiments::screen;
use taktos_runner::emulator;
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::image::Image;
use taktos_runner::kind::{self, Kind};
use taktos_runner::progress::Progress;
use taktos_runner::vm::{self, Ended, Ending, Limit};
use taktos_runner::workspace::Workspace;
use taktos_vm::{Configuration, Loaded, Plan, Sources};

use super::trace;
use crate::arguments::{Format, VmCheck, VmRun};

/// Note for users of a machine that follows host time.
const REAL_TIME: &str = "  time is the clock on the wall: what else this computer does shows in the guests as late wake-ups\n  \
    (counted time: --virtual)";

/// Builds, plans and runs the machine of a configuration.
pub(super) fn run(workspace: &Workspace, options: &VmRun) -> Result<()> {
    let mut configuration = read(&options.configuration, options.force)?;
    if let Some(name) = &options.input {
        configuration.input = partition(&configuration, name, "--input")?;
    }
    checked(&configuration)?;
    let progress = Progress::default();
    let hypervisor = vm::hypervisor(workspace, &progress)?;
    let sources = vm::sources(workspace, &configuration, &progress)?;
    let plan = plan(&configuration, &sources)?;
    let loaded = written(workspace, &plan, options)?;
    let machine = (&configuration, &plan, &*sources);
    if let Some(place) = &options.trace {
        let place = place.as_deref();
        return traced(workspace, machine, (&hypervisor, &loaded), (options, place));
    }
    let horizon = options.horizon.map(|time| time.as_nanos());
    let horizon = horizon.map(std::time::Duration::from_nanos);
    let mut arguments = plan.qemu_arguments(&loaded, &hypervisor.path);
    if options.counted {
        let clock = progress.during("emulator, clock ...", || {
            emulator::find(Board::VIRT_AARCH64)
        })?;
        let machine = &configuration.machine;
        arguments.extend(match machine.cpus {
            1 => clock.counted(horizon),
            several => clock.time(&Setting::new(several, machine.quantum), horizon)?,
        });
    }
    if options.print {
        screen::print(&format!("qemu-system-aarch64 {}\n", arguments.join(" ")))?;
        return Ok(());
    }
    // Where time is counted, the clock ends the machine.
    let limit = Limit {
        time: horizon.filter(|_| !options.counted),
    };
    if !options.counted {
        eprintln!("{REAL_TIME}");
    }
    let (ended, ending) = attended(&configuration, &arguments, limit)?;
    // Again, since the guests' own lines may have moved it off the screen.
    if !options.counted {
        eprintln!("{REAL_TIME}");
    }
    eprint!("{}", ending.shown());
    judged(&ended, &ending)
}

/// Runs a machine before a person.
fn attended(
    configuration: &Configuration,
    arguments: &[String],
    limit: Limit,
) -> Result<(Ended, Ending)> {
    eprintln!("  running; Ctrl-A x ends the machine, Ctrl-A ? helps");
    let partitions = configuration.partitions.iter();
    let mut ending = Ending::of(partitions.map(|partition| partition.name.as_str()));
    let ended = vm::run(arguments, limit, &mut ending)?;
    Ok((ended, ending))
}

/// Runs a machine, records its schedule, and writes the recording.
fn traced(
    workspace: &Workspace,
    machine: (&Configuration, &Plan, &[Sources]),
    (hypervisor, loaded): (&Image, &Loaded),
    (options, place): (&VmRun, Option<&Path>),
) -> Result<()> {
    let (configuration, plan, _) = machine;
    let time = options.horizon.map(|time| time.as_nanos());
    let time = time.map_or(trace::TIME, std::time::Duration::from_nanos);
    let name = name(options);
    let directory = trace::begin(workspace, &name, place)?;
    let progress = Progress::default();
    let clock = progress.during("emulator, clock ...", || {
        emulator::find(Board::VIRT_AARCH64_EL2)
    })?;
    let setting = Setting::new(configuration.machine.cpus, configuration.machine.quantum);
    let told = Options {
        until: Some(trace::until(time)),
        ..Options::default()
    };
    let observation = Observation::of(&clock, machine, hypervisor, (&setting, told))?;
    let mut arguments = plan.qemu_arguments(loaded, &hypervisor.path);
    arguments.extend(observation.arguments());
    let (ended, ending) = attended(configuration, &arguments, Limit::default())?;
    eprint!("{}", ending.shown());
    let (recording, why) = observation.recording()?;
    let subject = trace::Subject::of_machine(&name, recording, (why, time));
    trace::write(&directory, &subject, None)?;
    let place = directory.finish()?;
    trace::show(&subject, Format::Table, &workspace.opened(&place))?;
    judged(&ended, &ending)
}

/// Whether it ended well.
fn judged(ended: &Ended, ending: &Ending) -> Result<()> {
    if let Ended::Machine(status) = ended
        && !status.success()
    {
        return Err(Failure::error(
            format!("the machine ended with {status}"),
            "what the emulator said is above",
        ));
    }
    match ending.failure() {
        Some(said) => Err(anyhow::Error::new(CheckFailed(said))),
        None => Ok(()),
    }
}

/// Shows what a configuration comes to.
pub(super) fn check(workspace: &Workspace, options: &VmCheck) -> Result<()> {
    let configuration = read(&options.configuration, options.force)?;
    let shown = options.device_tree.as_ref();
    let shown = shown.map(|name| partition(&configuration, name, "--device-tree"));
    let shown = shown.transpose()?;
    checked(&configuration)?;
    let sources = vm::sources(workspace, &configuration, &Progress::default())?;
    let plan = plan(&configuration, &sources)?;
    match shown {
        Some(number) => screen::print(&plan.trees[number].shown())?,
        None => screen::print(&format!(
            "{}\nthe machine's memory:\n{}\nthe guests' memory:\n{}",
            configuration.shown(),
            plan.map(),
            plan.guest_map()
        ))?,
    }
    Ok(())
}

fn read(file: &Path, force: bool) -> Result<Configuration> {
    kind::expect(Kind::Machine, file)?;
    let mut configuration = Configuration::read(file).map_err(Failure::from)?;
    configuration.force |= force;
    Ok(configuration)
}

/// Checks it, and says what is remarkable.
fn checked(configuration: &Configuration) -> Result<()> {
    remark(&configuration.check().map_err(Failure::from)?);
    Ok(())
}

fn remark(remarks: &[String]) {
    for remark in remarks {
        eprintln!("  remark: {remark}");
    }
}

fn partition(configuration: &Configuration, name: &str, option: &str) -> Result<usize> {
    let names = configuration
        .partitions
        .iter()
        .map(|partition| partition.name.as_str());
    let found = names.clone().position(|own| own == name);
    found.ok_or_else(|| {
        Failure::error(
            format!("{option} {name}: there is no such partition"),
            taktos_simulate::file::suggest::hint(name, names),
        )
    })
}

fn plan(configuration: &Configuration, sources: &[Sources]) -> Result<Plan> {
    let plan = Plan::new(configuration, sources)
        .map_err(|error| Failure::error(error.to_string(), error.hint()))?;
    remark(&plan.remarks);
    Ok(plan)
}

/// Returns the name of the machine: that of its configuration's file.
fn name(options: &VmRun) -> String {
    let name = options.configuration.file_stem();
    name.map_or("machine".into(), |name| name.to_string_lossy().into_owned())
}

fn written(workspace: &Workspace, plan: &Plan, options: &VmRun) -> Result<Loaded> {
    let own = || workspace.results().join("vm").join(name(options));
    let place = options.out.clone().unwrap_or_else(own);
    plan.write(&place)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out DIR"))
}
