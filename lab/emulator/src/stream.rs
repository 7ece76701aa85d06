//! The record file, which the clock writes, read as a stream: one event after the other, none
//! kept.

use std::io::Read;
use std::sync::Arc;

use taktos_cycles::Mark;

use crate::several::MOST_PROCESSORS;
use crate::standing::{Turn, Wake};
use crate::{Count, Ending, Error, Exceptions, Hold, Passing, Total};

/// One event, in the order in which the emulator executed: times of one processor never go back,
/// those of different processors may by up to a quantum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A processor passed a mark.
    Mark(Passing),
    /// A processor was given to a thread.
    Switch(Switched),
    /// A thread that had run became ready.
    Wake(Wake),
    /// A processor gave the image's lock back. The longest hold of each place where it is taken is
    /// reported, and some shorter ones.
    Hold(Hold),
    /// An event in a guest of the image that the machine runs first, by its place among the watched
    /// guests. The processor of a switch is a virtual one, without counts; that of a wake-up is the
    /// machine's.
    OfGuest(usize, Box<Self>),
}

impl Event {
    /// It, or as one of a guest's.
    fn of(self, guest: u64) -> Self {
        match usize::try_from(guest)
            .ok()
            .and_then(|guest| guest.checked_sub(1))
        {
            Some(guest) => Self::OfGuest(guest, Box::new(self)),
            None => self,
        }
    }
}

/// A switch as the clock saw it: the thread's name is a place in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// The processor.
    pub processor: usize,
    /// The address of the thread's control block; 0: none.
    pub thread: u64,
    /// When, in nanoseconds of the common clock.
    pub at: u64,
    /// Count of the processor before the store that announced the switch.
    pub total: Count,
    /// Where the thread's name is; 0: the image does not say.
    pub text: u64,
    /// How many bytes the name has.
    pub length: u64,
    /// States of the threads.
    pub turn: Turn,
}

/// Contents of the record's end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Total of each processor, by its number.
    pub processors: Vec<Total>,
    /// Exceptions of all of them, where the clock follows them: on boards of 32 bits.
    pub exceptions: Exceptions,
    /// Whether cycles were counted in addition to instructions.
    pub modelled: bool,
    /// Cause of the run's end.
    pub ended: Ending,
}

const MARK: u64 = 1;
const SWITCH: u64 = 2;
const TROUBLE: u64 = 3;
const END: u64 = 4;
const WAKE: u64 = 5;
const HOLD: u64 = 6;

const UNKNOWN_INSTRUCTION: u64 = 1;

/// Reads a whole file and reports each event. A trouble that the clock met is an error, and so is a
/// file that was cut short, or is longer than it says.
pub(crate) fn read(
    file: impl Read,
    places: &[Vec<Arc<Mark>>],
    phases: usize,
    event: &mut dyn FnMut(Event),
) -> Result<Summary, Error> {
    let mut stream = Stream::begin(file, phases)?;
    loop {
        let head = stream.word()?;
        let (processor, argument) = ((head >> 8 & 0xff) as usize, head >> 16);
        match head & 0xff {
            MARK => {
                let place = (argument as u16 as usize).checked_sub(1);
                let marks = place.and_then(|place| places.get(place));
                let marks = marks.ok_or(Error::Damaged("a mark of no place"))?;
                let total = stream.total(processor, true)?;
                for mark in marks {
                    event(Event::Mark(Passing {
                        processor,
                        mark: Arc::clone(mark),
                        asleep: (argument >> 16) as u8,
                        total: total.clone(),
                    }));
                }
            }
            SWITCH => {
                let total = stream.total(processor, false)?;
                let guest = argument & 0xff;
                let switched = Switched {
                    processor: match guest {
                        0 => processor,
                        _ => (argument >> 8) as usize,
                    },
                    at: total.at,
                    total: match guest {
                        0 => total.count,
                        _ => Count::default(),
                    },
                    thread: stream.word()?,
                    text: stream.word()?,
                    length: stream.word()?,
                    turn: Turn::of(
                        (stream.word()?, stream.word()?),
                        (stream.word()?, stream.word()?),
                    ),
                };
                event(Event::Switch(switched).of(guest));
            }
            WAKE => {
                let at = stream.time(processor)?;
                let wake = Wake {
                    processor,
                    thread: stream.word()?,
                    at,
                    waited: stream.word()?,
                    by_handler: argument >> 8 != 0,
                };
                event(Event::Wake(wake).of(argument & 0xff));
            }
            HOLD => event(Event::Hold(stream.hold(processor)?)),
            TROUBLE => {
                let (from, to) = (stream.word()?, stream.word()?);
                return Err(trouble(argument, from, to));
            }
            END => return stream.end(Ending::numbered(argument)?),
            _ => return Err(Error::Damaged("a record of no kind")),
        }
    }
}

fn trouble(kind: u64, from: u64, to: u64) -> Error {
    if kind == UNKNOWN_INSTRUCTION {
        Error::UnknownInstruction { address: to }
    } else {
        Error::UnexplainedTransfer { from, to }
    }
}

/// The file's words, and the last totals of each processor, below which no later ones are.
struct Stream<R> {
    file: R,
    last: Vec<Total>,
}

impl<R: Read> Stream<R> {
    fn begin(mut file: R, phases: usize) -> Result<Self, Error> {
        let mut form = [0; 8];
        file.read_exact(&mut form)
            .map_err(|_| Error::Damaged("no header"))?;
        if &form != b"TAKREC09" {
            return Err(Error::Damaged("no header"));
        }
        let mut stream = Self {
            file,
            last: Vec::new(),
        };
        let processors = stream.word()?;
        if processors == 0 || processors > MOST_PROCESSORS as u64 {
            return Err(Error::Damaged("too many processors, or none"));
        }
        if stream.word()? != phases as u64 {
            return Err(Error::Damaged("other phases than the table's"));
        }
        let empty = Total {
            phases: vec![Count::default(); phases],
            ..Total::default()
        };
        stream.last = vec![empty; processors as usize];
        Ok(stream)
    }

    fn word(&mut self) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        self.file
            .read_exact(&mut bytes)
            .map_err(|_| Error::Damaged("cut short"))?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn count(&mut self, least: Count) -> Result<Count, Error> {
        let count = Count {
            instructions: self.word()?,
            cycles: self.word()?,
        };
        let forwards = count.instructions >= least.instructions && count.cycles >= least.cycles;
        forwards
            .then_some(count)
            .ok_or(Error::Damaged("totals that shrink"))
    }

    /// A processor's time alone.
    fn time(&mut self, processor: usize) -> Result<u64, Error> {
        let at = self.word()? / PICOSECONDS;
        let last = self.last.get_mut(processor);
        let last = last.ok_or(Error::Damaged("a processor of no number"))?;
        if at < last.at {
            return Err(Error::Damaged("a time that goes back"));
        }
        last.at = at;
        Ok(at)
    }

    /// A processor's time and totals.
    fn total(&mut self, processor: usize, with_phases: bool) -> Result<Total, Error> {
        let last = self.last.get_mut(processor).map(std::mem::take);
        let mut total = last.ok_or(Error::Damaged("a processor of no number"))?;
        let at = self.word()? / PICOSECONDS;
        if at < total.at {
            return Err(Error::Damaged("a time that goes back"));
        }
        total.at = at;
        total.count = self.count(total.count)?;
        for phase in total.phases.iter_mut().filter(|_| with_phases) {
            *phase = self.count(*phase)?;
        }
        self.last[processor] = total.clone();
        Ok(total)
    }

    /// Returns how long a processor held the lock.
    fn hold(&mut self, processor: usize) -> Result<Hold, Error> {
        if processor >= self.last.len() {
            return Err(Error::Damaged("a processor of no number"));
        }
        Ok(Hold {
            processor,
            place: self.word()?,
            instructions: self.word()?,
        })
    }

    fn end(mut self, ended: Ending) -> Result<Summary, Error> {
        let mut summary = Summary {
            ended,
            ..Summary::default()
        };
        for processor in 0..self.last.len() {
            let total = self.total(processor, true)?;
            summary.modelled = !total.phases.is_empty();
            summary.processors.push(total);
            let all = &mut summary.exceptions;
            for one in [&mut all.entries, &mut all.returns, &mut all.chains] {
                *one = one.saturating_add(self.word()?);
            }
        }
        match self.file.read(&mut [0]) {
            Ok(0) => Ok(summary),
            _ => Err(Error::Damaged("words behind its end")),
        }
    }
}

/// Of a nanosecond: the file counts them.
const PICOSECONDS: u64 = 1000;

#[cfg(test)]
mod fuzz;
