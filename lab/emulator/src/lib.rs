//! Runs an image in the emulator, with the clock as its plugin, and returns the console, the exit
//! status, and the exact counts.
//!
//! Owns: the emulator's command lines, the clock's compilation, the record file's reading and the
//! arithmetic of samples. Must never know: an experiment; it prints nothing.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use taktos_emulator::several::Setting;
//! use taktos_emulator::{Board, Emulator, Options};
//!
//! let emulator = Emulator::find(Board::MPS2_AN386)?;
//! let image = std::path::Path::new("target/thumbv7em-none-eabi/release/bench");
//! let record = emulator.record(image, &Setting::ONE, &Options::default(), &mut |_line| {})?;
//! let cycles = record.statistics("yield", |sample| sample.count.cycles);
//! # Ok(())
//! # }
//! ```

mod board;
mod clock;
mod console;
mod el2;
mod end;
mod error;
mod machine;
mod names;
mod observed;
mod options;
mod plan;
pub mod process;
mod program;
mod record;
mod run;
mod sample;
mod scratch;
pub mod several;
mod standing;
mod stream;
pub mod tree;
mod watch;

pub use board::{Board, Processor};
pub use console::Ended;
pub use el2::El2;
pub use end::{Ending, Until};
pub use error::Error;
pub use machine::Machine;
pub use observed::{Observed, Subject};
pub use options::Options;
pub use plan::{Place, Standing};
pub use program::{Emulator, remark};
pub use record::{Count, Exceptions, Hold, Passing, Record, Switch, Total};
pub use sample::{Sample, Span, Statistics, intervals};
pub use standing::{Left, Turn, Wake};
pub use taktos_cycles::{Cpu, Edge, Lines, Mark, PhaseRules, Rule, Source, Table};
pub use watch::Watch;
