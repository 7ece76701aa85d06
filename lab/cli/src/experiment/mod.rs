//! Experiment files: a question, a program, a board, and the figures that
//! answer it.

mod file;
mod load;
mod several;

#[cfg(test)]
mod fuzz;

pub use file::{
    Curve, Experiment, Figure, Goals, Parts, PublishedCurve, PublishedParts, Schedule, Spread, Unit,
};
pub use load::{Asked, asked, line_of, load};
pub use several::{Hypervisor, Latency, Mechanisms, Several, Smp};
