//! Owns: what an instance keeps whatever its policy: who is SCHEDULED where, and which idle threads are at hand.
//! Must never know: how the READY nodes are kept.

use super::{
    PolicyKind,
    ids::NONE,
    order::Turns,
    policy::{List, Queues},
};
use crate::{Cpu, CpuSet};

/// The SCHEDULED nodes of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// In the order of their keys. Exactly as many as there are processors.
    pub scheduled: List,
    /// The node that holds each processor (by its thread), or NONE.
    pub holders: [u16; Cpu::COUNT],
    /// The processors of the instance.
    pub owned: CpuSet,
}

impl Places {
    /// The node that holds `cpu`.
    #[inline(always)]
    pub fn holder(&self, cpu: Cpu) -> u16 {
        self.holders[cpu.index()]
    }
}

/// A row of the table of instances.
#[derive(Clone, Debug)]
pub struct InstanceRecord {
    pub(crate) name: [u8; 4],
    pub(crate) kind: PolicyKind,
    /// Whether its [`Decider`](super::closed::Decider) decides: then its threads are BLOCKED here, and its processors are idle.
    pub(crate) closed: bool,
    /// How often it was opened: what a thread's row says is true while the row has the same number.
    pub(crate) openings: u32,
    /// How many threads that are at home here own a lock that counts, or wait for one, or have a server that throttles; and how many are
    /// pinned here from another instance, or to another one, or not yet; and how many have asked for help.
    pub(crate) involved: u32,
    /// How many [seated](super::LockRecord::seated) locks threads own that are at home here.
    pub(crate) seated: u32,
    pub(crate) turns: Turns,
    pub(crate) places: Places,
    /// The idle threads that are READY, in the order of their keys: a pool, bound to no processor.
    pub(crate) idle: List,
    /// The READY nodes of all other threads.
    pub(crate) queues: Queues,
}

impl InstanceRecord {
    /// An instance without processors.
    pub const EMPTY: Self = Self {
        name: [0; 4],
        kind: PolicyKind::Simple,
        closed: false,
        openings: 0,
        involved: 0,
        seated: 0,
        turns: Turns::NEW,
        places: Places {
            scheduled: List::EMPTY,
            holders: [NONE; Cpu::COUNT],
            owned: CpuSet::EMPTY,
        },
        idle: List::EMPTY,
        queues: Queues::EMPTY,
    };
}

impl Default for InstanceRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
