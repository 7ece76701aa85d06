//! The crate [`log`] on the board's console, with the feature `log` of this crate.
//!
//! Owns: the form of a record's line: time, level, thread, source and text.
//! Must never know: the code that logs.

use crate::board::Board;
use crate::{AnyThread, Kernel, fault};
use ::log::{LevelFilter, Log, Metadata, Record, SetLoggerError};

/// The console, as the crate `log` sees it.
struct Console;

impl Log for Console {
    /// Returns true for each level that [`start`] lets through: the crate `log` queries no other.
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let micros = Kernel::<Board>::now().as_nanos() / 1_000;
        fault::print::<Board>(format_args!(
            "{:>5}.{:06} {:<5} {} {}: {}\n",
            micros / 1_000_000,
            micros % 1_000_000,
            record.level(),
            AnyThread::<Board>::current().name(),
            record.target(),
            record.args()
        ));
    }

    /// Does nothing: each record was written when it was logged.
    fn flush(&self) {}
}

/// Writes the records up to `level` to the console from now on. In a thread.
///
/// A record is written where it is made, in a thread or in a handler at the kernel's level, without
/// a lock: no caller waits for another one. The line of a caller that is interrupted has the line
/// of the handler in it. In a handler the thread's name is that of the interrupted one. Bounded by
/// the console; a handler that must be short does not log.
///
/// Errors: if the program has a logger already.
///
/// ```
/// use taktos::System;
/// use taktos::board::{self, Board};
///
/// let outcome = board::run(|| {
///     taktos::log::start(log::LevelFilter::Info).expect("there is no other logger");
///     log::info!("{} degrees", 21);
///     log::debug!("not this one");
///     Board::exit(0);
/// });
/// assert!(outcome.console.starts_with("    0.000000 INFO  main "));
/// assert!(outcome.console.ends_with(": 21 degrees\n"));
/// ```
pub fn start(level: LevelFilter) -> Result<(), SetLoggerError> {
    ::log::set_logger(&Console)?;
    ::log::set_max_level(level);
    Ok(())
}
