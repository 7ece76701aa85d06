//! Owns: what the model keeps of a thread.

use super::answer::Answer;
use super::operation::SETS;

/// Whether a thread exists and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    NonExistent,
    Dormant,
    Started,
}

/// Event or object that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    Sleep,
    Semaphore(usize),
    Mutex(usize),
    ToPut(usize),
    ToGet(usize),
    /// The first of a set.
    Poll(usize),
    Join(usize),
    Send(usize),
    Call(usize),
    Reply(usize),
    ReceiveFrom(usize),
    Receive,
}

impl Waits {
    /// Whether a thread that waits for this gets `what`, and as which number of its set.
    pub fn number_of(self, what: Self) -> Option<usize> {
        match self {
            Self::Poll(set) => SETS[set].iter().position(|other| *other == what),
            _ => (self == what).then_some(0),
        }
    }

    /// The thread that is to receive, to reply or has to.
    pub fn served_by(self) -> Option<usize> {
        match self {
            Self::Send(thread) | Self::Call(thread) | Self::Reply(thread) => Some(thread),
            _ => None,
        }
    }
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    pub life: Life,
    /// The priority it gets when it is created.
    pub first: u8,
    pub base: u8,
    pub effective: u8,
    /// Its place among its equals, ready or waiting: the smaller the further in front.
    pub order: i64,
    pub waits: Option<Waits>,
    pub deadline: Option<u64>,
    pub suspended: bool,
    /// The mutexes it owns, the one locked last at the end.
    pub owned: Vec<usize>,
    /// How long it still is busy.
    pub busy: u64,
    /// The rest of the time slice in which it was preempted.
    pub slice_left: Option<u64>,
    /// The message it sends or has for the queue.
    pub message: [usize; 2],
    /// Result of its present call, once that is known.
    pub answer: Option<Answer>,
    /// When it was created, counted in creations.
    pub created: u64,
}

impl Thread {
    /// A thread that does not exist.
    pub fn new(first: u8) -> Self {
        Self {
            life: Life::NonExistent,
            first,
            base: first,
            effective: first,
            order: 0,
            waits: None,
            deadline: None,
            suspended: false,
            owned: Vec::new(),
            busy: 0,
            slice_left: None,
            message: [0; 2],
            answer: None,
            created: 0,
        }
    }

    /// Whether it can run.
    pub fn is_ready(&self) -> bool {
        self.life == Life::Started && self.waits.is_none() && !self.suspended
    }
}
