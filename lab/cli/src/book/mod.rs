//! Tables of the book that repeat baselines: whoever saves a baseline has them written anew, and the checks of the
//! project hold them to it.

pub mod figures;
pub mod several;

/// What came of comparing, a row or a table each: why it differs, with its place, where it does.
pub type Compared = Vec<Result<(), String>>;
