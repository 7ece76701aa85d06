//! Owns: the operations of random runs, how they are chosen, how a world begins.

use super::random::Random;
use super::thread::Waits;
use std::fmt;

/// How long a call waits, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// Not at all.
    None,
    /// This time.
    After(u64),
    /// Until an instant that is this time ago.
    Past(u64),
    /// As long as it takes.
    Forever,
}

/// One operation; it is done by whatever thread runs then. Numbers name objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Let equals run.
    Yield,
    /// Do nothing for some time.
    Sleep(Wait),
    /// Be busy for this time.
    Spend(u64),
    /// Give a permit of a semaphore.
    Give(usize),
    /// Take one.
    Take(usize, Wait),
    /// Delete a semaphore.
    DeleteSemaphore(usize),
    /// Make it again, with this number of permits and this limit.
    RenewSemaphore(usize, u32, u32),
    /// Lock a mutex.
    Lock(usize, Wait),
    /// Unlock it.
    Unlock(usize),
    /// Delete it.
    DeleteMutex(usize),
    /// Make it again.
    RenewMutex(usize),
    /// Put a number into a queue.
    Put(usize, u32, Wait),
    /// Get one.
    Get(usize, Wait),
    /// Wait for the first of the objects of a set.
    Poll(usize, Wait),
    /// Delete a queue.
    DeleteQueue(usize),
    /// Make it again.
    RenewQueue(usize),
    /// Create a thread.
    Create(usize),
    /// Start a thread.
    Start(usize),
    /// Suspend a thread.
    Suspend(usize),
    /// Resume a thread.
    Resume(usize),
    /// Give a thread another priority.
    SetPriority(usize, u8),
    /// End a thread's wait.
    CancelWait(usize),
    /// Wait for a thread's end.
    Join(usize, Wait),
    /// Delete a thread.
    Delete(usize),
    /// End the calling thread.
    Exit,
    /// Send a message to a thread.
    Send(usize, usize, Wait),
    /// Receive one from a thread.
    ReceiveFrom(usize, Wait),
    /// Receive one from any thread.
    Receive(Wait),
    /// Call a thread.
    Call(usize, usize, Wait),
    /// Answer a thread's call.
    Reply(usize, usize),
    /// Answer a thread's call and receive the next message.
    ReplyAndReceive(usize, usize, Wait),
    /// Set the length of time slices; 0 switches them off.
    SetSlice(u64),
    /// So much later, in an interrupt, these.
    Interrupt(u64, Vec<Operation>),
    /// In an interrupt: wake a thread, because none could run any more. Never chosen, but added.
    Rescue,
}

/// The numbers of objects in every world: few, so that threads meet.
pub const SEMAPHORES: usize = 2;
/// How many mutexes: two with inheritance, one of them recursive, one with a ceiling, one plain.
pub const MUTEXES: usize = 4;
/// How many queues.
pub const QUEUES: usize = 1;
/// The sets of objects that threads wait for at once, in their order.
pub const SETS: [&[Waits]; 4] = [
    &[Waits::Semaphore(0), Waits::Semaphore(1)],
    &[Waits::ToGet(0), Waits::Semaphore(1)],
    &[Waits::Semaphore(1), Waits::ToGet(0), Waits::Semaphore(0)],
    &[Waits::ToGet(0)],
];
/// How many messages a queue holds.
pub const ROOM: usize = 2;
/// The ceiling of the mutex that has one.
pub const CEILING: u8 = 3;

/// A world: its threads' priorities, and what is done.
#[derive(Clone, Debug)]
pub struct World {
    /// One for each thread: the first is the main thread, the others are created by operations.
    pub priorities: Vec<u8>,
    /// Operations of the threads, in order.
    pub operations: Vec<Operation>,
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  threads of the priorities {:?}", self.priorities)?;
        for operation in &self.operations {
            writeln!(f, "  {operation:?}")?;
        }
        Ok(())
    }
}

/// How many operations a world has at most.
const LONGEST: usize = 4_000;
/// Priorities that are used: few, so that there are equals; the main thread has one of its own
/// choice too.
const LEVELS: usize = 6;

impl World {
    /// Returns a random world, of at most `most` operations.
    pub fn random(random: &mut Random, most: usize) -> Self {
        let threads = 2 + random.below(7);
        let priorities: Vec<u8> = (0..threads).map(|_| level(random)).collect();
        let length = most.min(1 + random.below(LONGEST));
        let operations = (0..length).map(|_| choose(random, threads)).collect();
        Self {
            priorities,
            operations,
        }
    }
}

fn level(random: &mut Random) -> u8 {
    random.below(LEVELS) as u8
}

fn wait(random: &mut Random) -> Wait {
    match random.below(8) {
        0 => Wait::None,
        1 => Wait::Past(1 + random.below(1_000) as u64),
        2..=4 => Wait::After(1 + random.below(5_000) as u64),
        _ => Wait::Forever,
    }
}

fn choose(random: &mut Random, threads: usize) -> Operation {
    use Operation as O;
    let thread = random.below(threads);
    match random.below(104) {
        0..=3 => O::Yield,
        4..=6 => O::Sleep(O::time(random)),
        7..=12 => O::Spend(1 + random.below(3_000) as u64),
        13..=18 => O::Give(random.below(SEMAPHORES)),
        19..=24 => O::Take(random.below(SEMAPHORES), wait(random)),
        25..=34 => O::Lock(random.below(MUTEXES), wait(random)),
        35..=43 => O::Unlock(random.below(MUTEXES)),
        44..=47 => O::Put(random.below(QUEUES), random.next() as u32, wait(random)),
        48..=51 => O::Get(random.below(QUEUES), wait(random)),
        52..=57 => O::Start(thread),
        58..=59 => O::Suspend(thread),
        60..=62 => O::Resume(thread),
        63..=65 => O::SetPriority(thread, level(random)),
        66..=67 => O::CancelWait(thread),
        68 => O::Join(thread, wait(random)),
        69 => O::Delete(thread),
        70 => O::Exit,
        71..=74 => O::Send(thread, random.below(1_000), wait(random)),
        75..=77 => O::ReceiveFrom(thread, wait(random)),
        78..=80 => O::Receive(wait(random)),
        81..=85 => O::Call(thread, random.below(1_000), wait(random)),
        86..=87 => O::Reply(thread, random.below(1_000)),
        88..=90 => O::ReplyAndReceive(thread, random.below(1_000), wait(random)),
        91..=97 => O::interrupt(random, threads),
        98 => rare(random, thread),
        100.. => O::Poll(random.below(SETS.len()), wait(random)),
        _ => O::SetSlice([0, 100, 700][random.below(3)]),
    }
}

fn rare(random: &mut Random, thread: usize) -> Operation {
    match random.below(16) {
        0 => Operation::DeleteSemaphore(random.below(SEMAPHORES)),
        1..=3 => Operation::RenewSemaphore(
            random.below(SEMAPHORES),
            random.below(3) as u32,
            random.below(4) as u32,
        ),
        4 => Operation::DeleteMutex(random.below(MUTEXES)),
        5..=8 => Operation::RenewMutex(random.below(MUTEXES)),
        9 => Operation::DeleteQueue(random.below(QUEUES)),
        10..=13 => Operation::RenewQueue(random.below(QUEUES)),
        _ => Operation::Create(thread),
    }
}

impl Operation {
    /// A time that a sleep can have.
    fn time(random: &mut Random) -> Wait {
        match random.below(8) {
            0 => Wait::None,
            1 => Wait::Past(1 + random.below(1_000) as u64),
            2 => Wait::Forever,
            _ => Wait::After(1 + random.below(5_000) as u64),
        }
    }

    fn interrupt(random: &mut Random, threads: usize) -> Self {
        let delay = if random.once_in(3) {
            0
        } else {
            random.below(4_000) as u64
        };
        let length = 1 + random.below(3);
        Self::Interrupt(
            delay,
            (0..length)
                .map(|_| Self::in_handler(random, threads))
                .collect(),
        )
    }

    fn in_handler(random: &mut Random, threads: usize) -> Self {
        let thread = random.below(threads);
        match random.below(15) {
            0..=2 => Self::Give(random.below(SEMAPHORES)),
            3 => Self::Take(random.below(SEMAPHORES), Wait::None),
            4 => Self::Put(random.below(QUEUES), random.next() as u32, Wait::None),
            5 => Self::Get(random.below(QUEUES), Wait::None),
            6 => Self::Suspend(thread),
            7 => Self::Resume(thread),
            8 => Self::SetPriority(thread, level(random)),
            9 => Self::CancelWait(thread),
            10 => Self::Start(thread),
            11 => Self::Join(thread, Wait::Forever),
            12 => Self::Sleep(Wait::After(5)),
            13 => Self::Poll(random.below(SETS.len()), Wait::None),
            _ => Self::Yield,
        }
    }
}
