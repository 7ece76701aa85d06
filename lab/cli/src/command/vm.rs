//! `taktos vm`: guests beside each other, under the hypervisor.

use std::path::Path;

use anyhow::Result;
use taktos_emulator::several::{Setting, Virt};
use taktos_vm::{Configuration, FileError, Loaded, Plan, Time};

use crate::arguments::{VmCheck, VmRun};
use crate::emulator;
use crate::failure::{CheckFailed, Failure};
use crate::kind::{self, Kind};
use crate::progress::Progress;
use crate::screen;
use crate::vm::{self, Ended, Ending, Limit};
use crate::workspace::Workspace;

/// What a person must know of a machine whose time is real.
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
    let hypervisor = vm::hypervisor(workspace, &progress)?.path;
    let plan = plan(workspace, &configuration, &progress)?;
    let loaded = written(workspace, &plan, options)?;
    let machine = &configuration.machine;
    let time = match options.counted {
        true if machine.cpus == 1 => Time::Counted,
        // On several processors the laboratory's clock counts.
        _ => Time::Real,
    };
    let mut arguments = plan.qemu_arguments(&loaded, &hypervisor, time);
    if options.counted && machine.cpus > 1 {
        let clock = progress.during("emulator, clock ...", || emulator::find(Virt::Aarch64))?;
        arguments.extend(clock.time(&Setting::new(machine.cpus, machine.quantum))?);
    }
    if options.print {
        screen::print(&format!("qemu-system-aarch64 {}\n", arguments.join(" ")))?;
        return Ok(());
    }
    eprintln!("  running; Ctrl-A x ends the machine, Ctrl-A ? helps");
    if !options.counted {
        eprintln!("{REAL_TIME}");
    }
    let names = configuration
        .partitions
        .iter()
        .map(|partition| partition.name.as_str());
    let mut ending = Ending::of(names);
    let limit = Limit {
        time: options
            .horizon
            .map(|time| std::time::Duration::from_nanos(time.as_nanos())),
    };
    let ended = vm::run(&arguments, limit, &mut ending)?;
    // Again, since the guests' own lines may have moved it off the screen.
    if !options.counted {
        eprintln!("{REAL_TIME}");
    }
    eprint!("{}", ending.shown());
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
    let plan = plan(workspace, &configuration, &Progress::default())?;
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

fn mended(error: &FileError) -> anyhow::Error {
    Failure::error(error.to_string(), &error.mend)
}

fn read(file: &Path, force: bool) -> Result<Configuration> {
    kind::expect(Kind::Machine, file)?;
    let mut configuration = Configuration::read(file).map_err(|error| mended(&error))?;
    configuration.force |= force;
    Ok(configuration)
}

/// Checks it, and says what is remarkable.
fn checked(configuration: &Configuration) -> Result<()> {
    for remark in configuration.check().map_err(|error| mended(&error))? {
        eprintln!("  remark: {remark}");
    }
    Ok(())
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
            taktos_simulate::file::suggest::mend(name, names),
        )
    })
}

fn plan(workspace: &Workspace, configuration: &Configuration, progress: &Progress) -> Result<Plan> {
    let sources = vm::sources(workspace, configuration, progress)?;
    Plan::new(configuration, &sources)
        .map_err(|error| Failure::error(error.to_string(), error.mend()))
}

fn written(workspace: &Workspace, plan: &Plan, options: &VmRun) -> Result<Loaded> {
    let name = options.configuration.file_stem();
    let name = name.map_or("machine".into(), |name| name.to_string_lossy());
    let own = || workspace.path("out").join("vm").join(&*name);
    let place = options.out.clone().unwrap_or_else(own);
    plan.write(&place)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out DIR"))
}
