//! Everything that one run showed, on one processor or several.

use std::sync::Arc;

use taktos_cycles::Mark;

use crate::Ending;
use crate::standing::{Turn, Wake};

/// Instructions and modelled cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Count {
    /// Executed instructions: exact.
    pub instructions: u64,
    /// Modelled cycles.
    pub cycles: u64,
}

impl Count {
    /// Returns the difference from an earlier count.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            instructions: self.instructions - earlier.instructions,
            cycles: self.cycles - earlier.cycles,
        }
    }
}

/// Count of a processor up to a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Total {
    /// The moment, in nanoseconds of the common clock. Where a cycle is no whole number of them,
    /// cut to one.
    pub at: u64,
    /// All of it. Without a model the cycles are 0.
    pub count: Count,
    /// The share of each phase, by its number; empty without a model.
    pub phases: Vec<Count>,
}

/// A processor passed a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passing {
    /// The processor.
    pub processor: usize,
    /// The mark.
    pub mark: Arc<Mark>,
    /// Which processors were halted then: a bit each.
    pub asleep: u8,
    /// When, and what the processor had executed before the marked instruction.
    pub total: Total,
}

/// A processor was given to a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// The processor.
    pub processor: usize,
    /// The address of the thread's control block; 0: none.
    pub thread: u64,
    /// The thread's name; its address where the image does not name it.
    pub name: String,
    /// When, in nanoseconds of the common clock.
    pub at: u64,
    /// Count of the processor before the store that announced the switch.
    pub total: Count,
    /// States of the threads.
    pub turn: Turn,
}

/// A processor had the image's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The processor.
    pub processor: usize,
    /// The address of the instruction that took the lock.
    pub place: u64,
    /// Instructions that the processor executed from that one to the one that gave the lock back.
    pub instructions: u64,
}

/// Exceptions that were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// Entered from a thread or from a less urgent handler.
    pub entries: u64,
    /// Returned from.
    pub returns: u64,
    /// Entered directly from another handler's end.
    pub chains: u64,
}

/// Everything that one run showed. Passings and switches are in the order in which the emulator
/// executed them: what comes later may be caused by what came before. Times of different processors
/// in it may go back by up to a quantum.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Output of the image, with its line ends.
    pub console: String,
    /// Exit status of an image that ended itself.
    pub exit_status: i32,
    /// Every passing of a mark.
    pub marks: Vec<Passing>,
    /// Every switch of threads.
    pub switches: Vec<Switch>,
    /// Every time that a thread which had run became ready.
    pub wakes: Vec<Wake>,
    /// The longest hold of the image's lock of each place where it is taken, if holds were
    /// requested ([`Watch::holds`](crate::Watch::holds)).
    pub holds: Vec<Hold>,
    /// Cause of the run's end.
    pub ended: Ending,
    /// The virtual time that the run was given, in nanoseconds, where that ended it.
    pub given: Option<u64>,
    /// Total of each processor, by its number.
    pub processors: Vec<Total>,
    /// The names of the phases, by number; none without a model.
    pub phase_names: Vec<&'static str>,
    /// Exceptions of the whole run, where the clock follows them: on boards of 32 bits.
    pub exceptions: Exceptions,
    /// Whether cycles were counted in addition to instructions.
    pub modelled: bool,
    /// How far one processor could run ahead of another, in nanoseconds.
    pub quantum: u32,
}

impl Record {
    /// Returns the sum of all processors' counts.
    #[must_use]
    pub fn total(&self) -> Count {
        let counts = self.processors.iter().map(|total| total.count);
        counts.fold(Count::default(), |sum, count| Count {
            instructions: sum.instructions.saturating_add(count.instructions),
            cycles: sum.cycles.saturating_add(count.cycles),
        })
    }

    /// The last moment of any processor, in nanoseconds of the common clock; the end of the time
    /// that the run was given.
    #[must_use]
    pub fn end(&self) -> u64 {
        let ends = self.processors.iter().map(|total| total.at);
        ends.chain(self.given).max().unwrap_or_default()
    }
}
