//! The standard output, and the line that says where the rest is. A reader that has seen enough
//! (`taktos bench | head`) is no error.

use std::io::{ErrorKind, Write};

use clap::ValueEnum;
use serde::Serialize;
use taktos_export::table::Table;
use taktos_export::to_json;

/// Form of the standard output.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tables for people
    Table,
    /// JSON for programs
    Json,
    /// The tables as CSV
    Csv,
}

/// Prints the text.
///
/// # Errors
/// When the standard output cannot be written, but for a reader that left.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a table and its data in this form.
///
/// # Errors
/// As [`print`].
pub fn show(format: Format, table: &Table, data: &impl Serialize) -> std::io::Result<()> {
    print(&match format {
        Format::Table => table.to_text(),
        Format::Csv => table.to_csv(),
        Format::Json => to_json(data),
    })
}

/// Returns where a result's report and trace are, in one line.
pub fn places(result: &str) -> String {
    format!("report: {result}/report.html     trace: {result}/trace.pftrace (ui.perfetto.dev)")
}
