//! The crate [`log`] on the board's console, with the feature `log` of this crate.
//!
//! Owns: how a record becomes a line: when, how urgent, in which thread, from where, what.
//! Must never know: who logs.

use crate::board::Board;
use crate::{AnyThread, Kernel, fault};
use ::log::{LevelFilter, Log, Metadata, Record, SetLoggerError};

/// The console, as the crate `log` sees it.
struct Console;

impl Log for Console {
    /// Each level that [`start`] lets through: the crate `log` asks for no other.
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

    /// What was logged is written.
    fn flush(&self) {}
}

/// Has records up to `level` written to the console from here on. In a thread.
///
/// A record is written where it is made, in a thread or in a handler at the kernel's level, without a lock: nobody waits for anybody,
/// and the line of one who is interrupted by another has the other's in it. In a handler the thread's name is that of the interrupted
/// one. Bounded by the console; a handler that must be short does not log.
///
/// Errors: when the program has a logger already.
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
