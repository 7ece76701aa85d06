//! `taktos`: the laboratory's one tool, as a library: the program `taktos`, and the checks of the project in `xtask`,
//! which measure by the same means.
//!
//! Owns the command line, experiment files, what is printed, and the order of
//! things in a run. How images are run and counted is the emulator crate's
//! business; how figures are written is the export crate's.

mod analysis;
pub mod arguments;
pub mod baseline;
mod board;
pub mod book;
pub mod command;
pub mod compare;
mod console;
pub mod emulator;
mod ethercat;
pub mod experiment;
pub mod failure;
pub mod figure;
mod form;
#[cfg(test)]
mod fuzz;
pub mod hardware;
mod hypervisor;
pub mod image;
mod kept;
mod kind;
mod latency;
mod loaded;
mod made_for;
pub mod measure;
mod mechanisms;
mod number;
mod outcome;
pub mod progress;
pub mod published;
mod response;
mod result;
mod samples;
pub mod screen;
pub mod session;
pub mod several;
pub mod several_bench;
mod simulation;
pub mod smp;
mod station;
pub mod vm;
mod watched;
pub mod workspace;
