//! Mutual exclusion for threads (spec 01, section 5): five protocols over one kind of lock, see
//! [`Protocol`](taktos_schedule::smp::Protocol).
//!
//! Owns: the owner of a lock, the threads that wait for it, their effect on the owner's priority,
//! and the waits that would never end.
//! Must never know: the order of a policy's READY nodes, the end of a wait by the clock.

mod chain;
mod create;
mod give_up;
mod laws;
mod obtain;
mod omip;
mod progress;
mod queue;
mod surrender;

use crate::System;
use taktos_schedule::smp::{Error, Level, Lock, Outcome, Priority, Protocol, Thread};

/// A lock.
#[derive(Debug)]
pub(crate) struct LockRow {
    protocol: Protocol,
    owner: Option<usize>,
    /// How often the owner has obtained it.
    nesting: u32,
    /// To what the owner was raised when it obtained the lock; [`Level::NONE`] without ceiling.
    raised: Level,
    /// The creator's home: the one instance of an immediate ceiling.
    home: usize,
    /// One for each instance.
    sides: Vec<Side>,
    /// The instances that have waiters, in their turns.
    turns: Vec<usize>,
    /// Under OMIP: the instance in which the owner was at home when it was granted, and those with
    /// heads that wait for their turn.
    slot: Option<usize>,
    line: Vec<usize>,
}

/// The part of a lock that is an instance's.
#[derive(Clone, Debug)]
struct Side {
    ceiling: Priority,
    /// Whether the owner's node of this instance helps because of this lock.
    helps: bool,
    /// The threads that wait there, with their levels: by level, then by when that began.
    waiters: Vec<(Level, usize)>,
    /// Under OMIP: the requests that are served in the order in which they came, and those after
    /// them, by priority.
    heads: Vec<usize>,
    rest: Vec<(Level, usize)>,
}

impl Side {
    const NEW: Self = Self {
        ceiling: Priority::MOST_URGENT,
        helps: false,
        waiters: Vec::new(),
        heads: Vec::new(),
        rest: Vec::new(),
    };
}

/// Puts the thread `id` after those in `all` that are as urgent as `level`.
fn insert(all: &mut Vec<(Level, usize)>, level: Level, id: usize) {
    let at = all.partition_point(|(other, _)| *other <= level);
    all.insert(at, (level, id));
}

impl LockRow {
    /// Creates a lock without an owner.
    fn new(protocol: Protocol, home: usize, instances: usize) -> Self {
        Self {
            protocol,
            owner: None,
            nesting: 0,
            raised: Level::NONE,
            home,
            sides: vec![Side::NEW; instances],
            turns: Vec::new(),
            slot: None,
            line: Vec::new(),
        }
    }

    /// Whether the owner has its waiters' priorities.
    const fn inherits(&self) -> bool {
        use Protocol::{Inheritance, MrsP, Omip};
        matches!(self.protocol, Inheritance | Omip | MrsP)
    }

    /// Whether it has ceilings.
    const fn has_ceiling(&self) -> bool {
        matches!(self.protocol, Protocol::Ceiling | Protocol::MrsP)
    }

    /// Whether owner and waiters stick to their processors, and so spin.
    const fn sticks(&self) -> bool {
        matches!(self.protocol, Protocol::MrsP)
    }

    /// Returns whether its waiters make a difference to no thread.
    const fn is_apart(&self) -> bool {
        matches!(self.protocol, Protocol::None)
    }

    /// The most urgent waiter in `instance`, and its level there.
    fn first(&self, instance: usize) -> Option<(Level, usize)> {
        self.sides[instance].waiters.first().copied()
    }

    /// Gives it to `owner`, which has it once, or to no thread.
    fn set_owner(&mut self, owner: Option<usize>, raised: Level) {
        self.owner = owner;
        self.nesting = owner.is_some().into();
        self.raised = raised;
    }
}

impl System {
    /// # Errors
    /// [`Error::InvalidId`]: there is no such lock.
    fn known_lock(&self, lock: Lock) -> Result<&LockRow, Error> {
        let row = self.locks.get(lock.index());
        row.and_then(Option::as_ref).ok_or(Error::InvalidId)
    }

    /// A lock that exists.
    fn lock(&self, lock: Lock) -> &LockRow {
        self.known_lock(lock).expect("the lock exists")
    }

    /// A lock that exists.
    fn lock_mut(&mut self, lock: Lock) -> &mut LockRow {
        let row = self.locks[lock.index()].as_mut();
        row.expect("the lock exists")
    }

    /// All locks that exist.
    fn all_locks(&self) -> impl Iterator<Item = (Lock, &LockRow)> {
        let locks = self.locks.iter().enumerate();
        locks.filter_map(|(at, row)| Some((Lock::new(at)?, row.as_ref()?)))
    }

    /// Returns whether a thread waits for `lock`.
    fn is_waited_for(&self, lock: Lock) -> bool {
        self.threads.iter().any(|thread| thread.lock == Some(lock))
    }

    /// `id` begins to wait for `lock`: spinning at `raised`, or blocked.
    fn begin_wait(&mut self, lock: Lock, id: usize, raised: Level) {
        let record = &mut self.threads[id];
        record.lock = Some(lock);
        record.raised = raised;
        record.outcome = None;
    }

    /// The wait of `id` is over.
    fn end_wait(&mut self, id: usize, outcome: Outcome) {
        let record = &mut self.threads[id];
        self.spinners -= usize::from(record.raised != Level::NONE);
        record.lock = None;
        record.raised = Level::NONE;
        record.outcome = Some(outcome);
    }

    /// Whether `thread` owns a lock.
    pub fn owns_any(&self, thread: Thread) -> bool {
        let owner = Some(thread.index());
        self.all_locks().any(|(_, lock)| lock.owner == owner)
    }

    /// Whether `thread` spins for a lock.
    pub fn spins(&self, thread: Thread) -> bool {
        let record = self.threads.get(thread.index());
        record.is_some_and(|record| record.raised != Level::NONE)
    }

    /// Returns whether `lock` makes a difference to where threads run: it raises its owner, or
    /// another thread lends the owner a priority. False for one that does not exist.
    pub fn counts(&self, lock: Lock) -> bool {
        let row = self.known_lock(lock);
        row.is_ok_and(|row| row.has_ceiling() || row.inherits() && self.is_waited_for(lock))
    }

    /// The owner of `lock`.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such lock.
    pub fn owner(&self, lock: Lock) -> Result<Option<Thread>, Error> {
        Ok(self.known_lock(lock)?.owner.map(crate::thread))
    }

    /// How the last wait of `thread` ended; none while it waits or if it never did.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such thread.
    pub fn outcome(&self, thread: Thread) -> Result<Option<Outcome>, Error> {
        Ok(self.threads[self.known(thread)?].outcome)
    }

    /// The lock that `thread` waits for, blocked or spinning.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such thread.
    pub fn waits_for(&self, thread: Thread) -> Result<Option<Lock>, Error> {
        Ok(self.threads[self.known(thread)?].lock)
    }
}
