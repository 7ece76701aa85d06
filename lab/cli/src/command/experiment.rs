//! `taktos run` and `taktos reproduce`: experiments, and the papers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use taktos_experiments::experiment::{Asked, Scale, Several, asked};
use taktos_experiments::form::Form;
use taktos_experiments::outcome::begin;
use taktos_experiments::session;
use taktos_experiments::study::{Request, Shown, finish, run_one};
use taktos_export::renew_index;
use taktos_runner::failure::Failure;
use taktos_runner::image::is_elf;
use taktos_runner::progress::Progress;
use taktos_runner::several::Machine;
use taktos_runner::workspace::Workspace;

use super::{compare, trace};
use crate::arguments::{FileOptions, Format, PaperOptions, Part, RunOptions, SizeOptions};

/// Runs the image, the experiment or the task set of a file, or the main job.
pub(super) fn run(workspace: &Workspace, given: FileOptions) -> Result<()> {
    let (options, size) = (&given.options, &given.size);
    if let Some(image) = given.experiment.as_deref().filter(|file| is_elf(file)) {
        size.only(&["for"])?;
        let given_time = |time: taktos_time::Duration| Duration::from_nanos(time.as_nanos());
        let asked = trace::Asked {
            subject: &image.to_string_lossy(),
            argument: String::new(),
            loaded: given.loaded.loaded,
            time: size.horizon.map_or(trace::TIME, given_time),
            live: options.format == Format::Table,
        };
        return trace::of(
            workspace,
            asked,
            None,
            (options, &given.machine),
            (None, None),
        );
    }
    given.loaded.none()?;
    given.machine.none()?;
    match &given.experiment {
        Some(file) => from_file(workspace, file, options, size),
        None => {
            size.only(&[])?;
            main_job(workspace, options)
        }
    }
}

/// Runs the experiment or task set of a file.
fn from_file(
    workspace: &Workspace,
    file: &Path,
    options: &RunOptions,
    size: &SizeOptions,
) -> Result<()> {
    let stem = file.file_stem();
    let name = stem.map_or("experiment".into(), |stem| stem.to_string_lossy());
    match asked(file, size.scale())? {
        Asked::Experiment => {
            size.only(&[])?;
            one(workspace, (file, &name), options, Form::General)
        }
        Asked::TaskSet => compare::run(workspace, file, options, size),
        Asked::Several(several, scale) => {
            size.only(meant(&several))?;
            several.run(&Request {
                scale,
                horizon: size.horizon,
                loops: size.loops,
                only: size.cases.as_deref(),
                fresh: size.fresh,
                ..request(workspace, file, options)
            })
        }
    }
}

/// Returns the options of size that have a meaning for an experiment.
const fn meant(several: &Several) -> &'static [&'static str] {
    match several {
        Several::Smp(_) => &["for", "full", "fresh"],
        Several::Mechanisms(_) | Several::Latency(_) => &["loops"],
        Several::Hypervisor(_) | Several::Ethercat(_) => &["loops", "only", "full", "fresh"],
    }
}

/// Returns the request for all that a file says.
fn request<'a>(workspace: &'a Workspace, file: &'a Path, options: &'a RunOptions) -> Request<'a> {
    Request {
        board: options.board.as_deref(),
        out: options.out.as_deref(),
        ..Request::of(workspace, file, Shown::Figures(options.format))
    }
}

/// Runs one experiment, writes its result and shows it.
fn one(
    workspace: &Workspace,
    (file, name): (&Path, &str),
    options: &RunOptions,
    form: Form,
) -> Result<()> {
    let prepared = session::prepare(file, options.board.as_deref())?;
    let directory = begin(workspace, name, options.out.as_deref())?;
    run_one(workspace, prepared, directory, options.format, form).map(drop)
}

/// A paper: the name of its experiment, and the shape of its data.
type Paper = (&'static str, Form);

const SWITCH: Paper = ("switch", Form::Switch);
const IPC: Paper = ("ipc", Form::Ipc);

/// Repeats one paper, or all.
pub(super) fn papers(workspace: &Workspace, given: &PaperOptions) -> Result<()> {
    let PaperOptions {
        part,
        options,
        size,
    } = given;
    let shipped = |name: &str, options: &RunOptions, size: &SizeOptions| {
        from_file(workspace, &file_of(workspace, name), options, size)
    };
    if let Part::Switch | Part::Ipc = part {
        size.only(&[])?;
    }
    match part {
        Part::Switch => paper(workspace, SWITCH, options),
        Part::Ipc => paper(workspace, IPC, options),
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
fn main_job(workspace: &Workspace, options: &RunOptions) -> Result<()> {
    both(workspace, options)?;
    let file = file_of(workspace, "spacecraft");
    let Asked::Several(several, _) = asked(&file, Scale::Full)? else {
        return Err(Failure::error(
            format!("{} is not of the kind `smp`", file.display()),
            "take the file that ships",
        ));
    };
    let own = inside(options, "spacecraft");
    several.run(&Request {
        // A user that repeats the papers expects to see them run.
        fresh: true,
        brief: true,
        ..request(workspace, &file, &own)
    })?;
    summary(workspace, options)
}

/// Shows the results of the main job, and the next commands.
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

/// Returns the options of one of several experiments: its result is inside of the common one.
fn inside(options: &RunOptions, name: &str) -> RunOptions {
    RunOptions {
        out: options.out.as_ref().map(|out| out.join(name)),
        ..options.clone()
    }
}

fn file_of(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.path(&format!("experiments/{name}.toml"))
}

fn paper(workspace: &Workspace, (name, form): Paper, options: &RunOptions) -> Result<()> {
    one(workspace, (&file_of(workspace, name), name), options, form)
}

fn both(workspace: &Workspace, options: &RunOptions) -> Result<()> {
    if options.format == Format::Json {
        return Err(Failure::error(
            "several papers are no one JSON document",
            "name one: taktos reproduce ipc --format json, taktos reproduce smp --format json",
        ));
    }
    let mut prepared = Vec::new();
    for (name, form) in [SWITCH, IPC] {
        let experiment = session::prepare(&file_of(workspace, name), options.board.as_deref())?;
        let own = inside(options, name);
        let directory = begin(workspace, name, own.out.as_deref())?;
        prepared.push((directory, form, experiment));
    }
    let find = || {
        let boards = prepared.iter().map(|(.., (_, board))| *board);
        boards.map(Machine::find).collect::<Result<Vec<_>>>()
    };
    let machines = Progress::step(1, 3).during("emulator, clock ...", find)?;
    let mut built = Vec::new();
    for ((directory, form, experiment), machine) in prepared.into_iter().zip(machines) {
        let image = session::build(workspace, experiment, &Progress::step(2, 3))?;
        built.push((directory, form, image, machine));
    }
    let mut measured = Vec::new();
    for (directory, form, image, machine) in built {
        let session = session::measure(workspace, image, &machine, &Progress::step(3, 3))?;
        measured.push((directory, form, session));
    }
    for (directory, form, session) in measured {
        finish(workspace, &session, directory, options.format, form)?;
    }
    Ok(())
}
