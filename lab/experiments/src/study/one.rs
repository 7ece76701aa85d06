//! Experiments of one run: a program with marks that are counted on one processor.

use anyhow::Result;
use taktos_export::ResultDirectory;
use taktos_runner::progress::Progress;
use taktos_runner::several::Machine;
use taktos_runner::workspace::Workspace;

use crate::form::Form;
use crate::result;
use crate::screen::Format;
use crate::session::{self, Prepared, Session};

/// Runs an experiment, writes its result and shows it.
///
/// # Errors
/// If it does not build or run, or a figure needs something that does not exist.
pub fn run_one(
    workspace: &Workspace,
    prepared: Prepared,
    directory: ResultDirectory,
    format: Format,
    form: Form,
) -> Result<Session> {
    let progress = Progress::default();
    let machine = Machine::find(prepared.1)?;
    let built = session::build(workspace, prepared, &progress)?;
    let session = session::measure(workspace, built, &machine, &progress)?;
    finish(workspace, &session, directory, format, form)?;
    Ok(session)
}

/// Writes the result of a session, shows the answer, and says where the rest is.
///
/// # Errors
/// If the result has not the figures of the form, or cannot be written.
pub fn finish(
    workspace: &Workspace,
    session: &Session,
    directory: ResultDirectory,
    format: Format,
    form: Form,
) -> Result<()> {
    let json = form.json(workspace, session)?;
    result::outcome(session, json).finish(workspace, directory, format)
}
