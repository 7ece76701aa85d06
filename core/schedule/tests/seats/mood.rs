//! Owns: which operations a stress run draws, and what came of it.

use super::storms::Dice;

/// Which operations a stress run draws, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    /// One in this number of operations that span instances is done.
    pub calm: usize,
    /// How many threads there are at most.
    pub threads: usize,
    /// Processors leave and come about a hundred times as frequently as usual, five of eight
    /// alarms are late instead of one of four, and threads are deleted: alarms come for budgets of
    /// threads and of processors that have left.
    pub restless: bool,
    /// Locks that are free, or with waiters that make a difference to no thread, are obtained as
    /// often as threads block, most of them with ceilings, which change.
    pub sections: bool,
    /// Locks with owners that inherit are obtained as often, be they free or not.
    pub inherits: bool,
    /// Half of the servers throttle.
    pub throttles: bool,
    /// Threads are bound and pinned where deadlines count as frequently as elsewhere, whatever
    /// `calm` is.
    pub binds: bool,
}

impl Mood {
    pub const fn new(calm: usize, threads: usize) -> Self {
        Self {
            calm,
            threads,
            restless: false,
            sections: false,
            inherits: false,
            throttles: false,
            binds: false,
        }
    }

    /// In every other run, by its seed, servers throttle.
    pub const fn of(self, seed: u64) -> Self {
        Self {
            throttles: seed.is_multiple_of(2),
            ..self
        }
    }

    /// Whether the alarms that are due are served before an operation.
    pub fn is_punctual(self, dice: &mut Dice) -> bool {
        match self.restless {
            true => dice.draw(8) < 3,
            false => dice.draw(4) != 0,
        }
    }
}

/// The outcome of a stress run.
#[derive(Clone, Copy, Default, Debug)]
pub struct Count {
    /// How often a budget was used up.
    pub postponed: usize,
    /// How many threads were throttled, summed up over all operations.
    pub throttled: usize,
    /// How many runs ended since a thread went to another one of two idle processors.
    pub parted: usize,
    /// How many runs ended since a thread runs on another processor of the same instance, by a
    /// loan.
    pub lent: usize,
    /// How many runs ended since an overdue budget was checked by one of the systems alone, where
    /// seats were lent.
    pub overdue: usize,
    /// How many processors were used by threads that were lent them, summed up over all operations.
    pub guests: usize,
    pub acts: usize,
    /// How often a free lock was requested, and a ceiling raised its owner by that, and how often
    /// it did so after an operation.
    pub alone: usize,
    pub raised: usize,
    pub owned: usize,
    /// How often a thread began to wait for a lock, and the priority of one
    /// that waited changed.
    pub waited: usize,
    pub changed: usize,
    /// How often a processor came to an instance, and left one.
    pub came: usize,
    pub left: usize,
    /// How often that was where owners with seats were watched, or seats lent.
    pub came_to_watched: usize,
    pub left_watched: usize,
    /// How often something was done where owners with seats were watched, and how often one might
    /// have lost its seat by it.
    pub seated: usize,
    pub displaced: usize,
    /// How many threads were pinned to a processor of another instance than their own by seats,
    /// summed up over all operations.
    pub abroad: usize,
    /// How often a thread began to spin for a lock with an owner that has a seat.
    pub spun: usize,
    /// After how many operations seats decided about a thread that had a server and was bound to a
    /// processor.
    pub bound: usize,
}
