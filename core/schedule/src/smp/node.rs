//! Owns: what an instance knows of a thread. Must never know: how the queues of a policy are linked.

use super::{
    ids::NONE,
    order::{Key, Level},
    policy::Member,
};
use crate::{Branch, Cpu, CpuSet};

/// Where a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// In no queue.
    Blocked,
    /// In a queue of the policy's.
    Ready,
    /// Holds a processor.
    Scheduled,
}

/// A row of the table of nodes: one thread in one instance. Row `instance × threads + thread`.
#[derive(Clone, Debug)]
pub struct NodeRecord {
    /// Where it stands. The level is that of the last update, see [`NodeRecord::wanted`].
    pub(crate) key: Key,
    /// What contributes by itself: the real priority (home only).
    pub(crate) real: Level,
    /// What contributes by a job: its deadline (home only).
    pub(crate) deadline: Level,
    /// The processors that this node may hold.
    pub(crate) mask: CpuSet,
    pub(crate) state: State,
    /// While READY: whether it stands in a ring of the world's, see [`Effects::keeps`](super::Effects::keeps).
    pub(crate) kept: bool,
    /// Under deadlines: 0 for everywhere, p + 1 for processor p only.
    pub(crate) bound: u8,
    /// The processor it holds while it is SCHEDULED.
    pub(crate) cpu: u8,
    /// +1 while the owner is unblocked (first node only), +1 for each lock that makes it stick.
    pub(crate) sticky: u16,
    /// How many reasons this node has to help (0: it does not).
    pub(crate) helps: u16,
    /// The idle thread that stands in for the owner, or NONE.
    pub(crate) idle: u16,
    /// First of the contributions by locks.
    pub(crate) shares: u16,
    /// Links in the list of SCHEDULED nodes, and while READY in a list of the policy's.
    pub(crate) next: u16,
    pub(crate) previous: u16,
    /// Links in a heap.
    pub(crate) branch: Branch<Member>,
    /// The next helping instance of the thread, or [`NodeRecord::NO_HELPER`].
    pub(crate) next_helper: u8,
}

impl NodeRecord {
    pub(crate) const NO_HELPER: u8 = u8::MAX;

    /// A node that nobody uses.
    pub const EMPTY: Self = Self {
        key: Key::NONE,
        real: Level::NONE,
        deadline: Level::NONE,
        mask: CpuSet::ALL,
        state: State::Blocked,
        kept: false,
        bound: 0,
        cpu: 0,
        sticky: 0,
        helps: 0,
        idle: NONE,
        shares: NONE,
        next: NONE,
        previous: NONE,
        branch: Branch::LOOSE,
        next_helper: Self::NO_HELPER,
    };

    /// The processor it holds; for a node that is SCHEDULED.
    #[inline(always)]
    pub(crate) fn processor(&self) -> Cpu {
        Cpu::masked(self.cpu)
    }
}

impl Default for NodeRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
