//! Plots as SVG: curves, histograms, tails and schedules.
//!
//! Owns: the form of a figure. A plot needs no script, no font and no network, so the same text
//! serves the report, a paper and a file of its own. Coordinates have one decimal: the same data
//! gives the same bytes on every machine.

mod canvas;
mod chart;
mod distribution;
mod gantt;
mod processors;
mod scale;

pub use chart::{Axis, Chart, Guide, Origin, Series, Shape};
pub use distribution::{Counts, Samples, counted_histogram, counted_tail, histogram, tail};
pub use gantt::gantt;
pub use processors::gantt_of_processors;
pub use scale::Scale;

/// Colours that stay apart for most kinds of colour vision, and in print.
const PALETTE: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#a6478c", "#c98a00", "#3a93cf", "#5c5c5c",
];

fn colour(index: usize) -> &'static str {
    PALETTE[index % PALETTE.len()]
}
