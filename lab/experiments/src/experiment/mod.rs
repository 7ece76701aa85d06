//! Experiment files: a question, a program, a board, and the figures that
//! answer it.

mod file;
mod load;
mod scale;
mod several;

#[cfg(test)]
mod fuzz;

pub use file::{
    Curve, Enough, Experiment, Figure, Goals, Parts, Pivot, PivotColumn, PublishedCurve,
    PublishedParts, Schedule, Shown, Spread,
};
pub use load::{Asked, asked, line_of, load};
pub use scale::Scale;
pub use several::{Ethercat, Hypervisor, Latency, Mechanisms, Posed, Several, Smp};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An experiment on several processors that ships.
    pub fn shipped(name: &str) -> Several {
        let file = format!(
            "{}/../../experiments/{name}.toml",
            env!("CARGO_MANIFEST_DIR")
        );
        match asked(std::path::Path::new(&file), Scale::Full).unwrap() {
            Asked::Several(several, _) => *several,
            other => panic!("{other:?}"),
        }
    }
}
