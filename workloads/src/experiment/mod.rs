//! Common parts of the workloads on several processors.
//!
//! Owns: the interface to a board, how workloads get their words, how samples are stored and
//! printed.
//! Must never know: any one experiment.
//!
//! # Lines
//! All output of a workload is printed when it is over, in lines `@KIND key=value key=value ...`,
//! in whole numbers and, if the key ends in `_ns`, nanoseconds. The first is `@run`, with the
//! requested values; the last is `@end at_ns=`: without it the output was cut off. A workload that
//! cannot do what its [words](command) ask for prints `refused: WORD: why` and ends with the status
//! [`REFUSED`].

pub mod command;
pub mod samples;
pub mod scheme;
mod work;

pub use command::Refused;
pub use scheme::Scheme;
pub use work::instructions;

use crate::command_line::CommandLine;
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Cpu, Duration, Error, Kernel, Priority, System};

/// The status with which a workload ends that refuses a word.
pub const REFUSED: i32 = 2;
/// The most processors that the workloads lay out.
pub const PROCESSORS: usize = 4;

/// Interface of a system to the workloads.
pub trait ExperimentBoard: CommandLine {
    /// Keeps the processor busy for `span` of its own time: with as many instructions as
    /// nanoseconds. Says how many instructions that really were.
    fn work(span: Duration) -> u64 {
        instructions(span.as_nanos())
    }

    /// Moves `thread`, which was created and not started, to the instance that has `processor`,
    /// with this priority. Errors: `Parameter` where no instance has it; as
    /// [`AnyThread::move_to`].
    fn place(
        thread: &'static AnyThread<Self>,
        processor: usize,
        priority: Priority,
    ) -> Result<(), Error> {
        let cpu = Cpu::new(processor).ok_or(Error::Parameter)?;
        let instance = Kernel::<Self>::instance_with(cpu)?;
        if thread.instance()? == instance {
            thread.set_priority(priority)
        } else {
            thread.move_to(instance, priority)
        }
    }
}

/// Prints that a word is refused, and ends the program.
pub fn refuse<S: System>(refused: Refused<'_>) -> ! {
    let Refused { word, why } = refused;
    print::<S>(format_args!("refused: {word}: {why}\n"));
    S::exit(REFUSED)
}

/// Prints the last line, and ends the program.
pub fn end<S: System>() -> ! {
    let at = Kernel::<S>::now().as_nanos();
    print::<S>(format_args!("@end at_ns={at}\n"));
    S::exit(0)
}

/// Returns the value of a call that must not fail: the workload has ruled out its errors.
#[track_caller]
pub fn certain<T, E: core::fmt::Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("a call of the workload failed: {error:?}"),
    }
}

/// The priority `level`, 0 to 31.
pub fn priority(level: u8) -> Priority {
    Priority::new(level).unwrap_or(Priority::LEAST_URGENT)
}
