//! Owns: what an instance is made of. Must never know: what it decides.

use super::{Error, Level, Priority};
use crate::CpuSet;

/// How an instance chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PolicyKind {
    /// One sorted list; any number of priorities. Inserting takes as many steps as there are ready
    /// threads.
    Simple,
    /// 256 levels, each first in first out, in a fixed number of steps.
    Priority,
    /// Earliest absolute deadline first; threads without a deadline run below by fixed priority.
    /// Logarithmic. A thread is bound to no processor or to one.
    Edf,
    /// [`PolicyKind::Priority`] with any set of permitted processors a thread, in the reference's
    /// weak form: no thread is shifted to make space. For comparison.
    PriorityAffinity,
    /// Fixed priorities with any set of permitted processors a thread; others are shifted to make
    /// room.
    StrongAffinity,
    /// [`PolicyKind::Edf`] with a constant-bandwidth server a thread.
    Cbs,
}

impl PolicyKind {
    /// The least urgent priority that a thread can be given: 255 where there are levels, otherwise
    /// [`Priority::MAX`].
    pub const fn least_urgent(self) -> Priority {
        match self {
            Self::Priority | Self::PriorityAffinity => Priority(255),
            Self::Simple | Self::Edf | Self::StrongAffinity | Self::Cbs => Priority::MAX,
        }
    }

    /// Whether deadlines decide.
    pub const fn knows_deadlines(self) -> bool {
        matches!(self, Self::Edf | Self::Cbs)
    }

    /// The level of a user's priority.
    pub(crate) const fn level(self, priority: Priority) -> Level {
        let number = priority.0 as u64;
        match self.knows_deadlines() {
            true => Level(Level::BACKGROUND | number),
            false => Level(number),
        }
    }

    /// Refuses a set of processors that threads of this policy cannot be bound to: of an instance
    /// that has the processors `owned`, of those that are `online`.
    pub fn check(self, mask: CpuSet, owned: CpuSet, online: CpuSet) -> Result<(), Error> {
        let accepts = match self {
            Self::Simple | Self::Priority => mask.covers(online),
            Self::Edf | Self::Cbs => mask.covers(online) || mask.count() == 1 && owned.covers(mask),
            Self::PriorityAffinity | Self::StrongAffinity => !mask.and(owned).is_empty(),
        };
        match accepts {
            true => Ok(()),
            false => Err(Error::InvalidNumber),
        }
    }

    /// Whether a thread can be pinned where more than one processor is configured.
    pub const fn can_pin(self) -> bool {
        matches!(self, Self::Edf | Self::Cbs | Self::StrongAffinity)
    }
}

/// A scheduler instance to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstanceConfig {
    /// Its name, by which it can be found. No two have the same.
    pub name: [u8; 4],
    /// How it chooses.
    pub policy: PolicyKind,
    /// The processors that it is given. None is allowed: it can be given some later.
    pub cpus: CpuSet,
}
