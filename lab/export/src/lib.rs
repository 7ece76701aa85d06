//! Output of the laboratory: tables, data files, plots, reports, traces.
//!
//! Owns: every output format, and the rule that a result directory is whole or absent. Must never
//! know: the source of a figure, the experiment that requested it, or what a board is. It receives
//! figures that carry their [`Evidence`], and writes them. Equal input gives the same bytes:
//! nothing here reads a clock, the environment or the width of a terminal.

pub mod perfetto;
pub mod plot;
pub mod report;
pub mod table;

mod directory;
mod drawn;
mod evidence;
mod index;
mod jobs;
mod json;
mod nested;
mod recording;
mod timeline;

pub use directory::{ResultDirectory, WriteError, replace_file};
pub use drawn::Drawn;
pub use evidence::{Basis, Evidence};
pub use index::renew_index;
pub use jobs::{Job, jobs};
pub use json::{in_order, joined, sorted, to_json};
pub use nested::{Guest, with_guests};
pub use recording::{Recording, RecordingError, TimeUnit};
pub use timeline::{Span, Timeline};
