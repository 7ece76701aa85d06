//! The standard output, and the line that says where the rest is. A reader that has seen enough (`taktos bench | head`)
//! is no error.

use std::io::{ErrorKind, Write};

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

/// Where a result's report and trace are, in one line.
pub fn places(result: &str) -> String {
    format!("report: {result}/report.html     trace: {result}/trace.pftrace (ui.perfetto.dev)")
}
