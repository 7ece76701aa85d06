//! Experiments: the questions of a file in `experiments/`, the samples that a run left, the
//! figures that answer the questions, and the outcome that is kept.
//!
//! Owns: experiment files, samples and their statistics, figures, baselines, published figures, and
//! the further needs of each kind of experiment. Must never know: the command line, or the building
//! and running of an image, which is the runner's task.

mod analysis;
pub mod baseline;
pub mod compare;
mod console;
pub mod ethercat;
pub mod experiment;
pub mod figure;
pub mod form;
#[cfg(test)]
mod fuzz;
pub mod guests;
pub mod hardware;
pub mod hypervisor;
pub mod latency;
pub mod measure;
pub mod mechanisms;
mod number;
pub mod outcome;
pub mod published;
pub mod recorder;
pub mod response;
pub mod result;
pub mod samples;
pub mod screen;
pub mod session;
pub mod several_bench;
pub mod smp;
pub mod study;
