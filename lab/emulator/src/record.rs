//! What the clock hands over: the record of one run. Owns the record file's reading.

use taktos_cycles::{Mark, Table};

use crate::standing::{Turn, Wake};
use crate::{Ending, Error};

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

const MARK: u64 = 1;
const SWITCH: u64 = 2;
const TROUBLE: u64 = 3;
const END: u64 = 4;
const WAKE: u64 = 5;

const UNKNOWN_INSTRUCTION: u64 = 1;

/// A switch as the clock saw it: the thread's name is a place in memory.
#[derive(Debug)]
pub(crate) struct Switched {
    pub thread: u32,
    pub at: u64,
    pub total: Count,
    pub text: u32,
    pub length: u32,
    pub turn: Turn,
}

/// The record file's contents.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub marks: Vec<Passing>,
    pub switches: Vec<Switched>,
    pub wakes: Vec<Wake>,
    pub ended: Ending,
    pub end: u64,
    pub total: Count,
    pub phases: Vec<Count>,
    pub exceptions: Exceptions,
}

/// Reads the clock's file. A trouble that the clock met is an error, and so is a file
/// that was cut short.
pub(crate) fn read(bytes: &[u8], table: &Table) -> Result<Contents, Error> {
    let rest = bytes
        .strip_prefix(b"TAKREC05")
        .ok_or(Error::Damaged("no header"))?;
    let phases = table.phases().len();
    let mut words = Words::of(rest, phases);
    if words.next()? != phases as u64 {
        return Err(Error::Damaged("other phases than the table's"));
    }
    let mut contents = Contents::default();
    loop {
        let word = words.next()?;
        let argument = word >> 8;
        match word & 0xff {
            MARK => {
                let at = words.next()?;
                let (total, phases) = (words.total()?, words.phases()?);
                let place = (argument as usize).checked_sub(1);
                let marks = place.and_then(|p| table.marks().get(p));
                for mark in marks.ok_or(Error::Damaged("a mark of no place"))? {
                    let (mark, phases) = (mark.clone(), phases.clone());
                    contents.marks.push(Passing {
                        mark,
                        at,
                        total,
                        phases,
                    });
                }
            }
            SWITCH => {
                let at = words.next()?;
                let total = words.total()?;
                let name = words.next()?;
                let (text, length) = (name as u32, (name >> 32) as u32);
                let left = (words.next()?, words.next()?);
                let turn = Turn::of(left, (words.next()?, words.next()?));
                let thread = argument as u32;
                contents.switches.push(Switched {
                    thread,
                    at,
                    total,
                    text,
                    length,
                    turn,
                });
            }
            WAKE => contents.wakes.push(Wake {
                processor: 0,
                thread: u64::from(argument as u32),
                at: words.next()?,
                by_handler: words.next()? != 0,
                waited: words.next()?,
            }),
            TROUBLE => return Err(trouble(argument, words.next()?)),
            END => {
                contents.ended = Ending::numbered(argument)?;
                contents.end = words.next()?;
                contents.total = words.total()?;
                contents.phases = words.phases()?;
                contents.exceptions = Exceptions {
                    entries: words.next()?,
                    returns: words.next()?,
                    chains: words.next()?,
                };
                return Ok(contents);
            }
            _ => return Err(Error::Damaged("a record of no kind")),
        }
    }
}

fn trouble(kind: u64, addresses: u64) -> Error {
    let (from, to) = ((addresses >> 32) as u32, addresses as u32);
    if kind == UNKNOWN_INSTRUCTION {
        Error::UnknownInstruction { address: to.into() }
    } else {
        Error::UnexplainedTransfer { from, to }
    }
}

/// The file's words, and the last totals, below which no later ones are.
struct Words<'a> {
    rest: core::slice::ChunksExact<'a, u8>,
    total: Count,
    phases: Vec<Count>,
}

impl<'a> Words<'a> {
    fn of(bytes: &'a [u8], phases: usize) -> Self {
        Self {
            rest: bytes.chunks_exact(8),
            total: Count::default(),
            phases: vec![Count::default(); phases],
        }
    }
}

impl Words<'_> {
    fn next(&mut self) -> Result<u64, Error> {
        let bytes = self.rest.next().ok_or(Error::Damaged("cut short"))?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)))
    }

    fn count(&mut self, least: Count) -> Result<Count, Error> {
        let count = Count {
            instructions: self.next()?,
            cycles: self.next()?,
        };
        let forwards = count.instructions >= least.instructions && count.cycles >= least.cycles;
        forwards
            .then_some(count)
            .ok_or(Error::Damaged("totals that shrink"))
    }

    fn total(&mut self) -> Result<Count, Error> {
        self.total = self.count(self.total)?;
        Ok(self.total)
    }

    fn phases(&mut self) -> Result<Vec<Count>, Error> {
        let least = core::mem::take(&mut self.phases);
        self.phases = least
            .into_iter()
            .map(|least| self.count(least))
            .collect::<Result<_, _>>()?;
        Ok(self.phases.clone())
    }
}

#[cfg(test)]
mod fuzz;
