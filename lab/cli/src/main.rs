//! `taktos`: the laboratory's one tool.
//!
//! Owns the command line, experiment files, what is printed, and the order of
//! things in a run. How images are run and counted is the emulator crate's
//! business; how figures are written is the export crate's.

mod analysis;
mod arguments;
mod baseline;
mod board;
mod command;
mod compare;
mod console;
mod emulator;
mod experiment;
mod failure;
mod figure;
mod form;
mod hypervisor;
mod image;
mod kind;
mod latency;
mod measure;
mod mechanisms;
mod number;
mod outcome;
mod progress;
mod published;
mod response;
mod result;
mod samples;
mod screen;
mod session;
mod several;
mod several_bench;
mod simulation;
mod smp;
mod vm;
mod watched;
mod workspace;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    match Arguments::read().and_then(|line| command::run(line.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{}", failure::shown(&error));
            ExitCode::from(failure::status(&error))
        }
    }
}
