//! Owns: the rows of the locks and of the threads that wait.
//! Must never know: the effect of a row on a priority.

use super::lend::LoanRecord;
use super::omip::{Heads, Stand};
use super::queue::{EndsRecord, LineRecord, PlaceRecord, Queues};
use super::{Outcome, Protocol};
use crate::smp::order::{Level, Order, Turns};
use crate::smp::{Error, Instance, Lock, Priority, Thread};

/// A row of the table of locks.
#[derive(Clone, Debug)]
pub struct LockRecord {
    pub(super) protocol: Option<Protocol>,
    pub(super) owner: Option<Thread>,
    /// How often the owner has obtained it.
    pub(super) nesting: u32,
    /// How many wait for it.
    pub(super) waiters: u16,
    /// To what the owner was raised when it obtained the lock; [`Level::NONE`] without ceiling.
    pub(super) raised: Level,
    /// The creator's home: the one instance of an immediate ceiling.
    pub(super) home: Instance,
    /// The instance in which the owner was at home when it was granted: under OMIP the owner is the
    /// first in its queue. It counts as a request of that queue while a thread waits.
    pub(super) slot: Option<Instance>,
    /// Whether the owner's own priority includes [`LockRecord::raised`], and the lock does not
    /// count: the world raised the owner. Under MrsP no thread has waited for a lock of the owner's
    /// since.
    pub(super) light: bool,
    /// Whether the owner, which inherits, has had a seat at home whenever it was ready since a
    /// thread waits for the lock, all of them at home elsewhere: so no thread helps it, and the
    /// lock does not count.
    pub(super) seated: bool,
    /// The next row that holds no lock.
    pub(super) next_free: Option<Lock>,
}

impl LockRecord {
    /// A row without a lock.
    pub const EMPTY: Self = Self {
        protocol: None,
        owner: None,
        nesting: 0,
        waiters: 0,
        raised: Level::NONE,
        home: Instance(0),
        slot: None,
        light: false,
        seated: false,
        next_free: None,
    };
}

impl Default for LockRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The data that a lock keeps for an instance, in addition to its waiters.
#[derive(Clone, Debug)]
pub struct SideRecord {
    pub(super) ceiling: Priority,
    /// Whether the owner's node of this instance helps because of this lock.
    pub(super) helps: bool,
    /// See [`System::note_beginning`](crate::smp::System::note_beginning); of a seated lock.
    pub(super) since: u64,
    pub(super) heads: Heads,
}

impl SideRecord {
    /// The record of a lock without a ceiling that was set.
    pub const EMPTY: Self = Self {
        ceiling: Priority::MOST_URGENT,
        helps: false,
        since: 0,
        heads: Heads::EMPTY,
    };
}

impl Default for SideRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The data that locks keep about a thread.
#[derive(Clone, Debug)]
// A power of two: rows are found without a multiplication.
#[repr(align(64))]
pub struct WaitRecord {
    /// The lock it waits for.
    pub(super) lock: Option<Lock>,
    /// To what it was raised while it spins for it; [`Level::NONE`] when it is blocked.
    pub(super) raised: Level,
    /// How the last wait ended; none while it lasts.
    pub(super) outcome: Option<Outcome>,
    /// How many locks it owns.
    pub(super) owned: u16,
    /// How many of them count, see [`Table::counts`].
    pub(super) counting: u16,
    /// How many of them are [seated](LockRecord::seated).
    pub(super) seated: u16,
    pub(super) stand: Stand,
    /// While the seats of its home decide.
    pub(super) loan: LoanRecord,
    /// Whether the thread is in [`Table::listed`], and the next thread there.
    pub(super) is_listed: bool,
    pub(super) next_listed: Option<Thread>,
}

impl WaitRecord {
    /// A thread that never waited.
    pub const EMPTY: Self = Self {
        lock: None,
        raised: Level::NONE,
        outcome: None,
        owned: 0,
        counting: 0,
        seated: 0,
        stand: Stand::NOWHERE,
        loan: LoanRecord::NONE,
        is_listed: false,
        next_listed: None,
    };
}

impl Default for WaitRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The tables for l locks, t threads (idle ones included) and i instances. All are empty
/// where there are no locks.
#[derive(Debug, Default)]
pub struct LockMemory<'a> {
    /// l.
    pub locks: &'a mut [LockRecord],
    /// l.
    pub ends: &'a mut [EndsRecord],
    /// l·i.
    pub lines: &'a mut [LineRecord],
    /// l·i.
    pub sides: &'a mut [SideRecord],
    /// t·i.
    pub places: &'a mut [PlaceRecord],
    /// t.
    pub waits: &'a mut [WaitRecord],
}

/// All locks of a system.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    pub(super) locks: &'a mut [LockRecord],
    pub(super) sides: &'a mut [SideRecord],
    pub(super) waits: &'a mut [WaitRecord],
    pub(super) queues: Queues<'a>,
    pub(super) instances: usize,
    free: Option<Lock>,
    turns: Turns,
    /// The first of the threads that are [involved](Table::is_involved), or have a loan; the
    /// others follow. One that is neither any more leaves when the list is walked.
    pub(super) listed: Option<Thread>,
    /// See [`System::seats_owners_anew`](crate::smp::System::seats_owners_anew).
    pub(super) seats_owners_anew: u64,
}

impl<'a> Table<'a> {
    /// No locks yet. `contributions` is the length of the pool that they share.
    ///
    /// # Errors
    /// [`Error::TooMany`]: a table is shorter than [`LockMemory`] says, or the pool than
    /// l·i + t. So nothing can run out later.
    pub fn new(
        memory: LockMemory<'a>,
        instances: usize,
        threads: usize,
        contributions: usize,
    ) -> Result<Self, Error> {
        let LockMemory {
            locks,
            ends,
            lines,
            sides,
            places,
            waits,
        } = memory;
        let both = locks.len() * instances;
        let long_enough = locks.is_empty()
            || ends.len() >= locks.len()
                && lines.len() >= both
                && sides.len() >= both
                && places.len() >= threads * instances
                && waits.len() >= threads
                && contributions >= both + threads;
        if !long_enough || locks.len() >= u16::MAX as usize {
            return Err(Error::TooMany);
        }
        sides.fill(SideRecord::EMPTY);
        waits.fill(WaitRecord::EMPTY);
        let mut free = None;
        for (at, lock) in locks.iter_mut().enumerate().rev() {
            *lock = LockRecord {
                next_free: free,
                ..LockRecord::EMPTY
            };
            free = Lock::new(at);
        }
        Ok(Self {
            locks,
            sides,
            waits,
            queues: Queues::new(ends, lines, places, instances, threads),
            instances,
            free,
            turns: Turns::NEW,
            listed: None,
            seats_owners_anew: 0,
        })
    }

    /// Whether there can be locks at all: otherwise the other tables are empty too.
    pub(super) fn has_room(&self) -> bool {
        !self.locks.is_empty()
    }

    /// A row for a lock; none when all are used.
    pub(super) fn take(&mut self, protocol: Protocol, home: Instance) -> Option<Lock> {
        let lock = self.free?;
        self.free = self.lock(lock).next_free;
        *self.lock_mut(lock) = LockRecord {
            protocol: Some(protocol),
            home,
            ..LockRecord::EMPTY
        };
        let from = lock.index() * self.instances;
        self.sides[from..from + self.instances].fill(SideRecord::EMPTY);
        Some(lock)
    }

    /// Gives the row of a lock back.
    pub(super) fn put_back(&mut self, lock: Lock) {
        *self.lock_mut(lock) = LockRecord {
            next_free: self.free,
            ..LockRecord::EMPTY
        };
        self.free = Some(lock);
    }

    /// The protocol of `lock`.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: there is no such lock.
    pub(super) fn protocol(&self, lock: Lock) -> Result<Protocol, Error> {
        self.locks
            .get(lock.index())
            .and_then(|lock| lock.protocol)
            .ok_or(Error::InvalidId)
    }

    /// Whether the owner of `lock` has its waiters' priorities.
    pub(super) fn inherits(&self, lock: Lock) -> bool {
        use Protocol::{Inheritance, MrsP, Omip};
        matches!(self.lock(lock).protocol, Some(Inheritance | Omip | MrsP))
    }

    /// Whether `lock` has ceilings.
    pub(super) fn has_ceiling(&self, lock: Lock) -> bool {
        use Protocol::{Ceiling, MrsP};
        matches!(self.lock(lock).protocol, Some(Ceiling | MrsP))
    }

    /// Whether the next owner of `lock` is found as OMIP says.
    pub(super) fn is_omip(&self, lock: Lock) -> bool {
        self.lock(lock).protocol == Some(Protocol::Omip)
    }

    /// Whether owner and waiters of `lock` stick to their processors, and so spin.
    pub(super) fn sticks(&self, lock: Lock) -> bool {
        self.lock(lock).protocol == Some(Protocol::MrsP)
    }

    /// The owner of `lock`.
    pub(super) fn owner(&self, lock: Lock) -> Option<Thread> {
        self.lock(lock).owner
    }

    /// The lock that `thread` waits for, blocked or spinning.
    pub fn waits_for(&self, thread: Thread) -> Option<Lock> {
        self.waits.get(thread.index())?.lock
    }

    /// Whether `thread` owns a lock.
    pub fn owns_any(&self, thread: Thread) -> bool {
        self.waits
            .get(thread.index())
            .is_some_and(|wait| wait.owned > 0)
    }

    /// Whether `thread` spins.
    pub fn spins(&self, thread: Thread) -> bool {
        let wait = self.waits.get(thread.index());
        wait.is_some_and(|wait| wait.raised != Level::NONE)
    }

    /// The wait of `thread` is over.
    pub(super) fn end_wait(&mut self, thread: Thread, outcome: Outcome) {
        if let Some(lock) = self.wait(thread).lock {
            self.change_waiters(lock, |waiters| waiters - 1);
            if self.lock(lock).waiters == 0 {
                self.count_slot(lock, |used| used - 1);
            }
        }
        let wait = self.wait_mut(thread);
        wait.lock = None;
        wait.raised = Level::NONE;
        wait.outcome = Some(outcome);
    }

    /// How the last wait of `thread` ended.
    pub(super) fn outcome(&self, thread: Thread) -> Option<Outcome> {
        self.waits.get(thread.index())?.outcome
    }

    /// Returns whether `lock` affects which thread runs where: it raises its owner by more than the
    /// world does, or a waiter lends the owner a priority.
    pub(crate) fn counts(&self, lock: Lock) -> bool {
        let record = self.lock(lock);
        self.has_ceiling(lock) && !record.light
            || self.inherits(lock) && record.waiters > 0 && !record.seated
    }

    /// Returns whether the threads that wait for `lock`, which has an owner, affect nothing except
    /// which thread is granted it.
    pub(super) fn is_apart(&self, lock: Lock) -> bool {
        match self.lock(lock).protocol {
            Some(Protocol::None) => true,
            Some(Protocol::Ceiling) => self.lock(lock).light,
            _ => self.lock(lock).seated,
        }
    }

    /// Whether `thread` waits for a lock that is not [apart](Table::is_apart), or owns one that
    /// [counts](Table::counts).
    #[inline]
    pub(crate) fn is_involved(&self, thread: Thread) -> bool {
        let spans = |lock| !self.is_apart(lock);
        self.waits
            .get(thread.index())
            .is_some_and(|wait| wait.counting > 0 || wait.lock.is_some_and(spans))
    }

    /// `thread` begins to wait for `lock`.
    pub(super) fn begin_wait(&mut self, lock: Lock, thread: Thread, raised: Level) {
        let wait = self.wait_mut(thread);
        wait.lock = Some(lock);
        wait.raised = raised;
        wait.outcome = None;
        self.change_waiters(lock, |waiters| waiters + 1);
    }

    fn change_waiters(&mut self, lock: Lock, change: impl FnOnce(u16) -> u16) {
        let before = self.counts(lock);
        let record = self.lock_mut(lock);
        record.waiters = change(record.waiters);
        let (owner, now) = (record.owner, self.counts(lock));
        if let Some(owner) = owner {
            let counting = &mut self.wait_mut(owner).counting;
            *counting = *counting + u16::from(now) - u16::from(before);
        }
    }

    /// Gives `lock` to `owner`, which has it once, or to no thread.
    pub(super) fn set_owner(&mut self, lock: Lock, owner: Option<Thread>, raised: Level) {
        let counts = u16::from(self.counts(lock));
        if let Some(old) = self.lock(lock).owner {
            let wait = self.wait_mut(old);
            wait.owned -= 1;
            wait.counting -= counts;
        }
        if let Some(new) = owner {
            let wait = self.wait_mut(new);
            wait.owned += 1;
            wait.counting += counts;
        }
        let record = self.lock_mut(lock);
        record.owner = owner;
        record.nesting = owner.is_some().into();
        record.raised = raised;
    }

    pub(super) fn lock(&self, lock: Lock) -> &LockRecord {
        &self.locks[lock.index()]
    }

    pub(super) fn lock_mut(&mut self, lock: Lock) -> &mut LockRecord {
        &mut self.locks[lock.index()]
    }

    pub(super) fn side(&self, lock: Lock, instance: Instance) -> &SideRecord {
        &self.sides[lock.index() * self.instances + instance.index()]
    }

    pub(super) fn side_mut(&mut self, lock: Lock, instance: Instance) -> &mut SideRecord {
        &mut self.sides[lock.index() * self.instances + instance.index()]
    }

    pub(super) fn wait(&self, thread: Thread) -> &WaitRecord {
        &self.waits[thread.index()]
    }

    pub(super) fn wait_mut(&mut self, thread: Thread) -> &mut WaitRecord {
        &mut self.waits[thread.index()]
    }

    pub(super) fn waits_mut(&mut self) -> &mut [WaitRecord] {
        self.waits
    }

    pub(super) fn draw(&mut self, order: Order) -> u64 {
        self.turns.draw(order)
    }

    /// All locks that exist.
    pub(super) fn all(&self) -> impl Iterator<Item = Lock> + '_ {
        let exists = |(at, lock): (usize, &LockRecord)| lock.protocol.and(Lock::new(at));
        self.locks.iter().enumerate().filter_map(exists)
    }

    /// All instances.
    pub(super) fn instances(&self) -> impl Iterator<Item = Instance> + use<> {
        (0..self.instances).filter_map(Instance::new)
    }
}
