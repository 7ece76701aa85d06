//! The spacecraft's tasks on one processor and on several: the paper's
//! experiment, and the questions that it left open.
//!
//! Owns: which runs answer which question, and what they are called in the table of samples. Must
//! never know: how images are run.

mod case;
mod figures;
mod form;
mod plan;
mod samples;

pub use case::{Case, Layout, Periodic, periodic};
pub use figures::{Figures, TaskFigures, Times};
pub use plan::{Plan, Question};
pub use samples::Run;

#[cfg(test)]
pub mod tests {
    //! What tests of other modules need: a case, and what the program says of it.

    pub use super::case::tests::case;
    pub use super::figures::tests::console;
}
