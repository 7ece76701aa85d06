//! `taktos bench --suite thread-metric`: the seven tests, by the interface that they call.
//!
//! Owns: which program calls which interface, and where its baseline is. Must never know: the
//! contents of the tests.

use anyhow::Result;
use taktos_experiments::baseline::Baseline;
use taktos_experiments::figure::operations;
use taktos_experiments::form::Form;
use taktos_experiments::outcome::begin;
use taktos_experiments::published::Peers;
use taktos_experiments::session::{self, Session};
use taktos_experiments::study::finish;
use taktos_runner::image;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Machine};
use taktos_runner::workspace::Workspace;

use super::{Compare, against, named};
use crate::arguments::{Interface, RunOptions};
use crate::command::install::{self, Form as Compiled, Program};

/// The experiment.
const EXPERIMENT: &str = "experiments/thread-metric.toml";
/// The program in C, and the folder of the headers that tell it the calls of an interface.
const SOURCE: &str = "user/c/thread-metric/tests.c";

/// The calls that the tests make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Those of this interface.
    pub interface: Interface,
    /// Compiled form of the library that a program in C calls.
    pub library: Compiled,
}

/// Measures, writes the result and shows it; saves the counts, or compares them.
pub(super) fn thread_metric(
    workspace: &Workspace,
    options: &RunOptions,
    calls: Calls,
    (baseline, save): Compare<'_>,
) -> Result<()> {
    let named = named(workspace, baseline)?;
    let name = format!("thread-metric{}", ending(calls));
    let directory = begin(workspace, &name, options.out.as_deref())?;
    let session = measure(workspace, options.board.as_deref(), calls)?;
    let now = counts(&session, calls);
    finish(
        workspace,
        &session,
        directory,
        options.format,
        Form::ThreadMetric,
    )?;
    let board = named_after(session.board, calls);
    against(workspace, (&board, &now), (named, save), || Ok(()))
}

/// Builds the tests by an interface, and runs them.
///
/// # Errors
/// When the board has no such program, it does not build, or it fails.
pub fn measure(workspace: &Workspace, board: Option<&str>, calls: Calls) -> Result<Session> {
    let (mut experiment, board) = session::prepare(&workspace.path(EXPERIMENT), board)?;
    let machine = Machine::find(board)?;
    let progress = Progress::default();
    let built = match header(calls.interface) {
        None => session::build(workspace, (experiment, board), &progress)?,
        Some(header) => {
            *experiment.program.get_mut() = format!("{SOURCE} with {header}");
            let image = in_c(workspace, board, (header, calls.library), &progress)?;
            session::built((experiment, board), image)
        }
    };
    session::measure(workspace, built, &machine, &progress)
}

/// The program in C with the calls of a header.
fn in_c(
    workspace: &Workspace,
    board: Board,
    (header, library): (&str, Compiled),
    progress: &Progress,
) -> Result<image::Image> {
    let kit = install::kit(board.name)?;
    let program = Program {
        source: workspace.path(SOURCE),
        arguments: vec!["-O2".into(), format!("-DINTERFACE=\"{header}\"")],
        name: format!("thread-metric-{header}"),
    };
    let building = format!("building {SOURCE} with {header} for {} ...", board.name);
    progress.during(&building, || {
        install::built(workspace, &kit, &program, library)
    })
}

/// The counts of a session.
pub fn counts(session: &Session, calls: Calls) -> Baseline {
    let name = named_after(session.board, calls);
    Baseline::of(&name, &operations(&session.samples, &Peers::default()))
}

/// Returns the name of the baseline of a board's counts by these calls.
pub fn named_after(board: Board, calls: Calls) -> String {
    format!("{}-thread-metric{}", board.name, ending(calls))
}

/// Returns the part of a name after that of the tests in Rust.
fn ending(calls: Calls) -> String {
    let interface = match calls.interface {
        Interface::Rust => "",
        Interface::Taktos => "-c",
        Interface::CmsisRtos2 => "-cmsis-rtos2",
    };
    format!("{interface}{}", calls.library.ending())
}

/// Returns the header that gives the program in C its calls.
const fn header(interface: Interface) -> Option<&'static str> {
    match interface {
        Interface::Rust => None,
        Interface::Taktos => Some("native.h"),
        Interface::CmsisRtos2 => Some("cmsis-rtos2.h"),
    }
}
