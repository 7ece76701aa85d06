//! The tool end to end: its commands as a person calls them, and what they write.
//!
//! One program, so that tests of all commands share the processors to their end.

mod any_image;
mod bad_input;
mod common;
mod hardware;
mod new;
mod papers;
mod pictures;
mod script;
mod several;
mod simulation;
mod traces;
mod vm;
