//! Owns: the READY nodes in heaps: one for those that may run anywhere, one for those bound to each processor.
//! Logarithmic, and where nodes are bound, as many steps as there are processors at most.
//!
//! A node bound to p may be chosen only while no other node bound to p is SCHEDULED: the queues for which this holds and
//! that are not empty *compete*. As each bound node has one place, and all others fit anywhere, moving one of these out of
//! the way is always enough, and the greedy choice is the best one.

use super::{
    Policy,
    members::{Member, Nodes},
};
use crate::{
    Cpu, CpuSet, Heap,
    smp::{
        NodeRecord,
        ids::NONE,
        instance::Places,
        order::{Level, Order, Turns},
        steps::step,
    },
};

/// The queues under deadlines.
#[derive(Clone, Debug)]
pub(crate) struct Edf {
    /// The first of each heap: 0 for everywhere, p + 1 for those bound to processor p.
    roots: [Option<Member>; Cpu::COUNT + 1],
    /// The processors whose bound nodes are queued.
    queued: CpuSet,
    /// The processors to which a SCHEDULED node is bound. It holds that processor.
    taken: CpuSet,
    /// Whether a node is bound to a processor, or ever was.
    binds: bool,
}

impl Edf {
    /// No node.
    pub const EMPTY: Self = Self {
        roots: [None; Cpu::COUNT + 1],
        queued: CpuSet::EMPTY,
        taken: CpuSet::EMPTY,
        binds: false,
    };

    /// Whether no node is here.
    pub(super) fn is_empty(&self) -> bool {
        self.roots[0].is_none() && self.queued.is_empty()
    }

    /// Whether nodes are bound to processors, or were ever.
    pub(super) const fn binds(&self) -> bool {
        self.binds
    }

    /// The processor that a node is bound to.
    #[inline(always)]
    fn bound(node: &NodeRecord) -> Option<Cpu> {
        Cpu::new((node.bound as usize).wrapping_sub(1))
    }

    #[inline]
    fn enqueue(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let bound = nodes[id as usize].bound as usize;
        if let (Some(root), Some(member)) = (self.roots.get_mut(bound), Member::new(id)) {
            *root = Nodes(nodes).insert(*root, member);
        }
        if let Some(cpu) = Self::bound(&nodes[id as usize]) {
            self.queued = self.queued.with(cpu);
        }
    }
}

impl Policy for Edf {
    fn accepts(mask: CpuSet, owned: CpuSet, online: CpuSet) -> bool {
        mask.covers(online) || mask.count() == 1 && owned.covers(mask)
    }

    #[inline(never)]
    fn bind(&mut self, nodes: &mut [NodeRecord], id: u16, online: CpuSet) {
        let node = &mut nodes[id as usize];
        node.bound = match node.mask.lowest() {
            Some(cpu) if !node.mask.covers(online) => cpu.index() as u8 + 1,
            _ => 0,
        };
        self.binds |= node.bound > 0;
    }

    #[inline]
    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, _: Order) {
        self.enqueue(nodes, id);
    }

    // Its key is before that of all others in its heap: the one step of an insertion at the root.
    #[inline]
    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.enqueue(nodes, id);
    }

    #[inline]
    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let bound = nodes[id as usize].bound as usize;
        let (Some(root), Some(member)) = (self.roots.get_mut(bound), Member::new(id)) else {
            return;
        };
        *root = Nodes(nodes).remove(*root, member);
        let emptied = root.is_none();
        if let Some(cpu) = Self::bound(&nodes[id as usize])
            && emptied
        {
            self.queued = self.queued.without(cpu);
        }
    }

    #[inline]
    fn highest(&mut self, nodes: &[NodeRecord], _: &Places, _: Cpu) -> Option<u16> {
        let mut best = self.roots[0].map(Member::id);
        for cpu in self.queued.minus(self.taken) {
            step();
            let Some(challenger) = self.roots[cpu.index() + 1].map(Member::id) else {
                continue;
            };
            let key = nodes[challenger as usize].key;
            if best.is_none_or(|best| key.before(nodes[best as usize].key)) {
                best = Some(challenger);
            }
        }
        best
    }

    #[inline]
    fn profits(&mut self, nodes: &[NodeRecord], _: &Places, _: Cpu, id: u16) -> bool {
        Self::bound(&nodes[id as usize]).is_none_or(|cpu| !self.taken.contains(cpu))
    }

    #[inline]
    fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        let candidate = match Self::bound(&nodes[newcomer as usize]) {
            Some(cpu) if self.taken.contains(cpu) => places.holder(cpu),
            _ => places.scheduled.last,
        };
        (candidate != NONE).then_some(candidate)
    }

    #[inline]
    fn shift(
        &self,
        nodes: &[NodeRecord],
        _: &Places,
        newcomer: u16,
        freed: Cpu,
        live_on: Option<Cpu>,
    ) -> Option<Cpu> {
        match Self::bound(&nodes[newcomer as usize]) {
            Some(cpu) => Some(cpu).filter(|&cpu| cpu != freed),
            // Lazily: a newcomer that has not left its processor yet stays there, unless who holds that one must. Where nodes are
            // bound, an idle thread goes where it is said: others may have moved away from its processor.
            None if self.binds && nodes[newcomer as usize].key.level == Level::NONE => None,
            None => live_on.filter(|&cpu| !self.taken.contains(cpu)),
        }
    }

    #[inline]
    fn entered(&mut self, nodes: &mut [NodeRecord], _: &mut Places, _: &mut Turns, id: u16) {
        if let Some(cpu) = Self::bound(&nodes[id as usize]) {
            self.taken = self.taken.with(cpu);
        }
    }

    #[inline]
    fn left(&mut self, nodes: &mut [NodeRecord], _: &mut Turns, id: u16) {
        if let Some(cpu) = Self::bound(&nodes[id as usize]) {
            self.taken = self.taken.without(cpu);
        }
    }
}
