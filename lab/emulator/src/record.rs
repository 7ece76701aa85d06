//! Everything that one run on one processor showed.

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
    /// What was added since an earlier count.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            instructions: self.instructions - earlier.instructions,
            cycles: self.cycles - earlier.cycles,
        }
    }
}

/// A mark was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passing {
    /// The mark.
    pub mark: Mark,
    /// When, in nanoseconds of the emulator's virtual clock.
    pub at: u64,
    /// Totals before the marked instruction.
    pub total: Count,
    /// Totals of each phase, by its number.
    pub phases: Vec<Count>,
}

/// The processor was given to another thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// The address of the thread's control block; 0: none.
    pub thread: u64,
    /// The thread's name; its address where the image does not name it.
    pub name: String,
    /// When, in nanoseconds of the emulator's virtual clock.
    pub at: u64,
    /// Totals before the store that said so.
    pub total: Count,
    /// How the threads stood.
    pub turn: Turn,
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

/// Everything that one run showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What the image wrote, with its line ends.
    pub console: String,
    /// What the image said when it ended itself.
    pub exit_status: i32,
    /// Every passing of a mark, in order.
    pub marks: Vec<Passing>,
    /// Every switch of threads, in order.
    pub switches: Vec<Switch>,
    /// Every time that a thread which had run became ready, in order.
    pub wakes: Vec<Wake>,
    /// What ended the run.
    pub ended: Ending,
    /// When it ended, in nanoseconds of the emulator's virtual clock.
    pub end: u64,
    /// Totals of the whole run.
    pub total: Count,
    /// Totals of each phase, by its number.
    pub phases: Vec<Count>,
    /// The names of the phases, by number.
    pub phase_names: Vec<&'static str>,
    /// Exceptions of the whole run; on the boards `virt-*` they are not counted.
    pub exceptions: Exceptions,
    /// Whether cycles were counted beside instructions; otherwise they are all 0.
    pub modelled: bool,
}
