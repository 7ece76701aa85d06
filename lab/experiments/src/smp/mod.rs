//! The spacecraft's tasks on one processor and on several: the paper's
//! experiment, and the questions that it left open.
//!
//! Owns: the runs that answer each question, and their names in the table of samples. Must never
//! know: the way an image is run.

mod case;
mod figures;
mod plan;
mod samples;
mod study;

pub use case::{Case, Layout, Periodic, periodic};
pub use figures::{Figures, TaskFigures, Times};
pub use plan::{Plan, Question};
pub use samples::Run;
pub use study::{Spacecraft, recorded};

#[cfg(test)]
pub mod tests {
    //! Needs of other modules' tests: a case, and the program's output for it.

    pub use super::case::tests::case;
    pub use super::figures::tests::console;
}
