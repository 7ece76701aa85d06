//! Owns: random calls, and the required result of each that the table of handles does not allow.
//! Must never know: how a call is made; the kernel.
//!
//! Drawn calls are mostly nearly right: numbers, places and addresses that exist, next to some that
//! do not. A call that waits does so for microseconds, rarely for ever: the program that runs the
//! stress test ends a thread that does not come back.

use crate::chance::Chance;
use taktos_abi::call::{CALLS, LONGEST_BYTES, Number, handle, kind, right};
use taktos_abi::{Error, Status, Timeout};
use taktos_kernel::Priority;
use taktos_time::{Duration, Instant};

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// Its number.
    pub number: usize,
    /// The handle.
    pub handle: usize,
    /// Two words.
    pub words: [usize; 2],
    /// The time-out.
    pub timeout: Timeout,
}

/// The calls that send a range of memory or receive there.
const OF_BYTES: [Number; 7] = [
    Number::SendBytes,
    Number::ReceiveBytes,
    Number::QueueSend,
    Number::QueueReceive,
    Number::SendLong,
    Number::ReceiveLong,
    Number::FetchBytes,
];

impl Attempt {
    /// The number, if the call's words are a range of bytes.
    fn of_bytes(&self) -> Option<Number> {
        OF_BYTES.into_iter().find(|number| self.is_of(*number))
    }

    /// Whether it is the call of that number.
    fn is_of(&self, number: Number) -> bool {
        self.number == number as usize
    }

    /// Whether its words are a range of bytes.
    #[must_use]
    pub fn is_of_bytes(&self) -> bool {
        self.of_bytes().is_some()
    }

    /// Whether a message of a queue could come where the thread has something else: in its
    /// partition's memory, but for the last quarter.
    #[must_use]
    pub fn spoils(&self, known: &Known) -> bool {
        let last = known.memory + known.size - known.size / 4;
        self.is_of(Number::QueueReceive) && (known.memory..last).contains(&self.words[0])
    }
}

/// Knowledge of a stress test's thread about its partition.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Rights of each handle of the table.
    pub allows: &'static [u32],
    /// Where the partition's memory begins.
    pub memory: usize,
    /// How many bytes it has.
    pub size: usize,
    /// How many bytes a message of its queues has.
    pub letter: usize,
    /// And to what it is aligned.
    pub word: usize,
    /// The most urgent priority that its threads may have.
    pub most_urgent: usize,
}

/// Calls at random.
pub struct Storm {
    chance: Chance,
    known: Known,
}

impl Storm {
    /// Those of a seed.
    #[must_use]
    pub const fn new(seed: u64, known: Known) -> Self {
        Self {
            chance: Chance::new(seed),
            known,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.chance.below(bound as u64) as usize
    }

    /// The next call.
    pub fn draw(&mut self) -> Attempt {
        let number = match self.chance.one_in(16) {
            true => self.word(),
            false => self.below(CALLS.len()),
        };
        Attempt {
            number,
            handle: self.handle(),
            words: [self.word(), self.second_word()],
            timeout: self.timeout(),
        }
    }

    fn handle(&mut self) -> usize {
        let places = self.known.allows.len();
        match self.below(16) {
            0 => self.word(),
            1 => self.below(places + 4) | self.below(8) << handle::GENERATION,
            2 => usize::MAX - self.below(4),
            _ => self.below(places + 1),
        }
    }

    fn word(&mut self) -> usize {
        match self.below(8) {
            0 => self.chance.next() as usize,
            1 => usize::MAX - self.below(64),
            2 => 1 << self.below(usize::BITS as usize),
            3..6 => self.known.memory.wrapping_sub(80) + self.below(self.known.size + 160),
            _ => self.below(40),
        }
    }

    fn second_word(&mut self) -> usize {
        match self.below(5) {
            0 => self.word(),
            1 => self.known.letter,
            _ => self.below(LONGEST_BYTES + 8),
        }
    }

    fn timeout(&mut self) -> Timeout {
        match self.below(64) {
            0 => Timeout::FOREVER,
            1 => Timeout::until(Instant::from_nanos(self.chance.next() >> 30)),
            2..12 => Timeout::after(Duration::from_micros(self.chance.below(50))),
            _ => Timeout::NONE,
        }
    }
}

/// Whether the answer to `attempt` may be `status`, as far as the table alone decides.
#[must_use]
pub fn is_right(known: &Known, attempt: &Attempt, status: Status) -> bool {
    is_allowed(known, attempt)
        || match status.result() {
            Err(Error::Parameter) => true,
            // A generation of the past is reported before other errors, and before the error that
            // there is no such thread.
            Err(Error::Deleted) => {
                attempt.handle >> handle::GENERATION != 0
                    || attempt.is_of(Number::ThreadSetPriority)
                    || second(attempt.number).is_some()
                        && attempt.words[1] >> handle::GENERATION != 0
            }
            _ => false,
        }
}

/// Whether nothing that the thread knows speaks against the call.
fn is_allowed(known: &Known, attempt: &Attempt) -> bool {
    let Some(call) = CALLS.get(attempt.number) else {
        return false;
    };
    if !is_memory_right(known, attempt) || !is_priority_right(known, attempt) {
        return false;
    }
    if let Some(needs) = second(attempt.number)
        && !allows(known, attempt.words[1], needs)
    {
        return false;
    }
    call.kind == kind::NONE || allows(known, attempt.handle, call.kind | call.right)
}

/// Whether the table allows as much with the handle `word`.
fn allows(known: &Known, word: usize, needs: u32) -> bool {
    let allows = known.allows.get(word & handle::PLACE);
    let says_generation = word >> handle::GENERATION != 0;
    allows.is_some_and(|allows| {
        needs & !allows == 0 && (allows & kind::MEMBER != 0 || !says_generation)
    })
}

/// Returns the rights that the second word of a call needs, if it is a handle, too.
const fn second(number: usize) -> Option<u32> {
    const PASS: usize = Number::PoolPass as usize;
    const WAIT: usize = Number::ConditionWait as usize;
    match number {
        PASS => Some(kind::MEMBER | right::SEND),
        WAIT => Some(kind::MUTEX | right::TAKE),
        _ => None,
    }
}

/// Whether what the call names of the memory, if it does, is what it may.
fn is_memory_right(known: &Known, attempt: &Attempt) -> bool {
    let [address, length] = attempt.words;
    let is_own = is_own(known, attempt.words);
    let is_short = length <= LONGEST_BYTES;
    match attempt.of_bytes() {
        None => true,
        Some(Number::QueueSend | Number::QueueReceive) => {
            length == known.letter && address.is_multiple_of(known.word) && is_own
        }
        Some(Number::SendLong) => is_own,
        Some(Number::FetchBytes) => length == 0 || is_own && is_short,
        Some(_) => is_own && is_short,
    }
}

/// Whether a thread may have the priority that the call gives it, if it does.
fn is_priority_right(known: &Known, attempt: &Attempt) -> bool {
    let levels = known.most_urgent..Priority::COUNT;
    !attempt.is_of(Number::ThreadSetPriority) || levels.contains(&attempt.words[0])
}

fn is_own(known: &Known, [address, length]: [usize; 2]) -> bool {
    let end = address.checked_add(length);
    address >= known.memory && end.is_some_and(|end| end <= known.memory + known.size)
}
