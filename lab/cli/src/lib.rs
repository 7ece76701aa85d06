//! `taktos`: the laboratory's one tool, as a library: the program `taktos`, and the checks of the
//! project in `xtask`, which measure by the same means.
//!
//! Owns the command line, what is printed, and the order of things in a run. How images are built
//! and run is the runner's business, what experiments ask and how they are answered that of the
//! crate of experiments; how figures are written is the export crate's.

pub mod arguments;
pub mod book;
pub mod command;
mod frames;
mod made_for;
mod simulation;
mod watched;
