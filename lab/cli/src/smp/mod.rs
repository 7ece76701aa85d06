//! The spacecraft's tasks on one processor and on several: the paper's
//! experiment, and the questions that it left open.
//!
//! Owns: which runs answer which question, and what is said of them. Must
//! never know: how images are run.

mod beside;
mod case;
mod figures;
mod form;
mod overhead;
mod paper;
mod plan;
mod rows;

pub use case::{Case, Layout, Periodic, periodic};
pub use figures::Figures;
pub use paper::Paper;
pub use plan::{Plan, Question};
pub use rows::Run;
