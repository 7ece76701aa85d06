//! `taktos run` and `taktos reproduce`: experiments, and the papers.

use std::path::{Path, PathBuf};

use anyhow::Result;
use taktos_experiments::experiment::{Asked, Scale, Several, asked};
use taktos_experiments::form::Form;
use taktos_experiments::result;
use taktos_experiments::session::{self, Prepared, Session};
use taktos_export::{ResultDirectory, renew_index};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::several::Machine;
use taktos_runner::workspace::Workspace;

use super::smp::Extent;
use super::{compare, ethercat, hypervisor, latency, mechanisms, smp};
use crate::arguments::{Format, LatencyOptions, Part, RunOptions, SizeOptions};

/// Runs what a file asks for.
pub(super) fn from_file(
    workspace: &Workspace,
    file: &Path,
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    let name = file
        .file_stem()
        .map_or("experiment".into(), |stem| stem.to_string_lossy());
    match asked(file, size.scale())? {
        Asked::Experiment => {
            size.only(&[])?;
            one(workspace, file, &name, options, Form::General).map(drop)
        }
        Asked::TaskSet => compare::run(workspace, file, options, size),
        Asked::Several(several, scale) => {
            on_several(workspace, (file, scale), &several, options, size)
        }
    }
}

/// Runs an experiment on several processors.
fn on_several(
    workspace: &Workspace,
    (file, scale): (&Path, Option<Scale>),
    several: &Several,
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    match several {
        Several::Smp(experiment) => {
            size.only(&["for", "full", "fresh"])?;
            let extent = Extent {
                everything: true,
                horizon: size.horizon,
                fresh: size.fresh,
                scale,
            };
            smp::run(workspace, experiment, file, options, extent)
        }
        Several::Mechanisms(experiment) => {
            size.only(&["loops"])?;
            mechanisms::run(workspace, experiment, file, options, size.loops)
        }
        Several::Latency(experiment) => {
            size.only(&["loops"])?;
            let options = LatencyOptions::of(options, size.loops);
            latency::from_file(workspace, experiment, file, &options)
        }
        Several::Hypervisor(experiment) => {
            size.only(&["loops", "only", "full", "fresh"])?;
            hypervisor::run(workspace, experiment, (file, scale), options, size)
        }
        Several::Ethercat(experiment) => {
            size.only(&["loops", "only", "full", "fresh"])?;
            ethercat::run(workspace, experiment, (file, scale), options, size)
        }
    }
}

/// Runs one experiment, writes its result and shows it.
pub(super) fn one(
    workspace: &Workspace,
    file: &Path,
    name: &str,
    options: &RunOptions,
    form: Form,
) -> Result<Session> {
    let prepared = session::prepare(file, options.board.as_deref())?;
    run_prepared(workspace, prepared, name, options, form)
}

/// Runs one that was read, writes its result and shows it.
pub(super) fn run_prepared(
    workspace: &Workspace,
    prepared: Prepared,
    name: &str,
    options: &RunOptions,
    form: Form,
) -> Result<Session> {
    let directory = begin(workspace, name, options)?;
    let progress = Progress::default();
    let machine = Machine::find(prepared.1)?;
    let built = session::build(workspace, prepared, &progress)?;
    let session = session::measure(workspace, built, &machine, &progress)?;
    finish(workspace, &session, directory, options.format, form)?;
    Ok(session)
}

/// A paper: its experiment and the shape of its data.
struct Paper {
    name: &'static str,
    form: Form,
}

const SWITCH: Paper = Paper {
    name: "switch",
    form: Form::Switch,
};
const IPC: Paper = Paper {
    name: "ipc",
    form: Form::Ipc,
};

/// Repeats one paper, or all.
pub(super) fn papers(
    workspace: &Workspace,
    part: Part,
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    let shipped = |name: &str, options: &RunOptions, size: &SizeOptions| {
        from_file(
            workspace,
            &workspace.path(&format!("experiments/{name}.toml")),
            options,
            size,
        )
    };
    match part {
        Part::Switch | Part::Ipc => size.only(&[])?,
        Part::Smp | Part::Mechanisms | Part::Hypervisor | Part::Ethercat | Part::All => {}
    }
    match part {
        Part::Switch => paper(workspace, &SWITCH, options),
        Part::Ipc => paper(workspace, &IPC, options),
        Part::Smp => shipped("spacecraft", options, size),
        Part::Mechanisms => shipped("mechanisms", options, size),
        Part::Hypervisor => shipped("hypervisor", options, size),
        Part::Ethercat => shipped("ethercat", options, size),
        Part::All => {
            size.only(&["full", "fresh"])?;
            both(workspace, options)?;
            shipped("spacecraft", &inside(options, "spacecraft"), size)?;
            let whole = SizeOptions::default();
            shipped("mechanisms", &inside(options, "mechanisms"), &whole)?;
            eprintln!(
                "  these fetch Linux: taktos reproduce hypervisor, taktos reproduce ethercat"
            );
            Ok(())
        }
    }
}

/// The main job: the papers on one processor, then the spacecraft on one and on four.
pub(super) fn main_job(workspace: &Workspace, options: &RunOptions) -> Result<()> {
    both(workspace, options)?;
    let file = workspace.path("experiments/spacecraft.toml");
    let Asked::Several(several, _) = asked(&file, Scale::Full)? else {
        return Err(other_kind(&file));
    };
    let Several::Smp(experiment) = *several else {
        return Err(other_kind(&file));
    };
    let extent = Extent {
        everything: false,
        horizon: None,
        // Who repeats the papers wants to see them run.
        fresh: true,
        scale: None,
    };
    smp::run(
        workspace,
        &experiment,
        &file,
        &inside(options, "spacecraft"),
        extent,
    )?;
    summary(workspace, options)
}

/// What the main job has shown, and where to go on.
fn summary(workspace: &Workspace, options: &RunOptions) -> Result<()> {
    let all = options.out.clone();
    let all = all.unwrap_or_else(|| workspace.results());
    renew_index(&all)?;
    eprintln!(
        "Three papers are repeated. All results, with pictures: {}/index.html\n \
         next: ./taktos vm run experiments/two-guests.toml   this kernel beside Linux\n       \
         ./taktos bench                                every operation, beside other kernels\n       \
         ./taktos new blinky                           a program of your own",
        workspace.opened(&all)
    );
    Ok(())
}

fn other_kind(file: &Path) -> anyhow::Error {
    Failure::error(
        format!("{} is not of the kind `smp`", file.display()),
        "take the file that ships",
    )
}

/// The options of one of several experiments: its result lies inside.
fn inside(options: &RunOptions, name: &str) -> RunOptions {
    RunOptions {
        out: options.out.as_ref().map(|out| out.join(name)),
        ..options.clone()
    }
}

fn file_of(workspace: &Workspace, paper: &Paper) -> PathBuf {
    workspace.path(&format!("experiments/{}.toml", paper.name))
}

fn paper(workspace: &Workspace, paper: &Paper, options: &RunOptions) -> Result<()> {
    one(
        workspace,
        &file_of(workspace, paper),
        paper.name,
        options,
        paper.form,
    )
    .map(drop)
}

fn both(workspace: &Workspace, options: &RunOptions) -> Result<()> {
    if options.format == Format::Json {
        return Err(Failure::error(
            "several papers are no one JSON document",
            "name one: taktos reproduce ipc --format json, taktos reproduce smp --format json",
        ));
    }
    let mut prepared = Vec::new();
    for paper in [SWITCH, IPC] {
        let experiment = session::prepare(&file_of(workspace, &paper), options.board.as_deref())?;
        let own = inside(options, paper.name);
        prepared.push((begin(workspace, paper.name, &own)?, paper, experiment));
    }
    let find = || {
        let boards = prepared.iter().map(|(.., (_, board))| *board);
        boards.map(Machine::find).collect::<Result<Vec<_>>>()
    };
    let machines = Progress::step(1, 3).during("emulator, clock ...", find)?;
    let mut built = Vec::new();
    for ((directory, paper, experiment), machine) in prepared.into_iter().zip(machines) {
        let image = session::build(workspace, experiment, &Progress::step(2, 3))?;
        built.push((directory, paper, image, machine));
    }
    let mut measured = Vec::new();
    for (directory, paper, image, machine) in built {
        let session = session::measure(workspace, image, &machine, &Progress::step(3, 3))?;
        measured.push((directory, paper, session));
    }
    for (directory, paper, session) in measured {
        finish(workspace, &session, directory, options.format, paper.form)?;
    }
    Ok(())
}

/// Begins the result directory: one that cannot be written is known before
/// anything is built.
pub(super) fn begin(
    workspace: &Workspace,
    name: &str,
    options: &RunOptions,
) -> Result<ResultDirectory> {
    begin_at(workspace, name, options.out.as_deref())
}

/// The same at that place, or at its own.
pub(super) fn begin_at(
    workspace: &Workspace,
    name: &str,
    place: Option<&Path>,
) -> Result<ResultDirectory> {
    let place = place.map(Path::to_owned);
    let place = place.unwrap_or_else(|| workspace.results().join(name));
    ResultDirectory::begin(&place)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out DIR"))
}

/// Writes the result, shows the answer, and says where the rest is.
pub(super) fn finish(
    workspace: &Workspace,
    session: &Session,
    directory: ResultDirectory,
    format: Format,
    form: Form,
) -> Result<()> {
    let json = form.json(workspace, session)?;
    result::outcome(session, json).finish(workspace, directory, format)
}
