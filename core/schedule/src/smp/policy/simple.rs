//! Owns: the READY nodes as one sorted list. Inserting takes at most as many steps as there are; the rest is fixed.

use super::{List, Policy};
use crate::{
    Cpu, CpuSet,
    smp::{NodeRecord, ids::NONE, instance::Places, order::Order},
};

/// The queue of the simple policy.
#[derive(Clone, Debug)]
pub(crate) struct Simple {
    ready: List,
}

impl Simple {
    pub const EMPTY: Self = Self { ready: List::EMPTY };

    /// Whether no node is here.
    pub(super) const fn is_empty(&self) -> bool {
        self.ready.first == NONE
    }
}

impl Policy for Simple {
    fn accepts(mask: CpuSet, _: CpuSet, online: CpuSet) -> bool {
        mask.covers(online)
    }

    fn bind(&mut self, _: &mut [NodeRecord], _: u16, _: CpuSet) {}

    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, _: Order) {
        self.ready.insert_sorted(nodes, id);
    }

    // Whoever is displaced was the last of the SCHEDULED, all of whom are before all that are READY.
    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.ready.push_front(nodes, id);
    }

    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.ready.remove(nodes, id);
    }

    #[inline(always)]
    fn highest(&mut self, _: &[NodeRecord], _: &Places, _: Cpu) -> Option<u16> {
        (self.ready.first != NONE).then_some(self.ready.first)
    }

    #[inline(always)]
    fn lowest(&mut self, _: &[NodeRecord], places: &Places, _: u16) -> Option<u16> {
        let last = places.scheduled.last;
        (last != NONE).then_some(last)
    }

    // Lazily: a newcomer that has not left its processor yet stays there.
    #[inline(always)]
    fn shift(
        &self,
        _: &[NodeRecord],
        _: &Places,
        _: u16,
        _: Cpu,
        live_on: Option<Cpu>,
    ) -> Option<Cpu> {
        live_on
    }
}
