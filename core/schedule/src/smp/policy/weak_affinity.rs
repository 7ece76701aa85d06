//! Owns: arbitrary affinity in the reference's weak form, offered for comparison with [`super::strong_affinity`] alone.
//!
//! One queue a level, as under [`super::priority`], and a set of permitted processors a thread. What it lacks (spec 01, 3.4):
//! - Nobody is shifted to make room: a thread takes the processor of a less urgent one that stands where it may stand itself,
//!   or waits, even where moving a third one would do.
//! - After a thread became ready or changed its priority, the *single* most urgent READY thread is tried again, for as long as
//!   that one finds somebody to displace. If it fits nowhere, those behind it are not tried. After a yield or a block nobody is.
//! - One that is displaced goes to the front of its level whoever came before it there, so equals whose processors differ are
//!   not always served in the order in which they came.
//!
//! Among equals, and of several idle processors, it goes by turns, where the reference goes by who got a processor last
//! (decision 0018).
//!
//! Three defects of the reference are not offered: a scan that is limited by another instance's priorities, helping nodes that
//! take processors without a look at who stands there, and a look at the owner's processor where an idle thread stands in.
//!
//! Bounds, with n READY nodes and m processors: inserting and removing take a fixed number of steps, an arrival looks at the m
//! holders from the least urgent one on, a departure at the READY nodes from the most urgent one on, at most n.

use super::{Policy, priority::Levels};
use crate::{
    Cpu, CpuSet,
    smp::{NodeRecord, ids::NONE, instance::Places, order::Order, steps::step},
};

/// The queues of the policy.
#[derive(Clone, Debug)]
pub(crate) struct WeakAffinity {
    levels: Levels,
}

impl WeakAffinity {
    pub const EMPTY: Self = Self {
        levels: Levels::EMPTY,
    };

    /// The least urgent holder that stands where `newcomer` may stand.
    fn victim(nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        let mask = nodes[newcomer as usize].mask;
        let mut at = places.scheduled.last;
        while at != NONE {
            step();
            let holder = &nodes[at as usize];
            if mask.contains(holder.processor()) {
                return Some(at);
            }
            at = holder.previous;
        }
        None
    }
}

impl Policy for WeakAffinity {
    fn accepts(mask: CpuSet, owned: CpuSet, _: CpuSet) -> bool {
        !mask.and(owned).is_empty()
    }

    fn bind(&mut self, _: &mut [NodeRecord], _: u16, _: CpuSet) {}

    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, order: Order) {
        self.levels.insert(nodes, id, order);
    }

    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.levels.restore(nodes, id);
    }

    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.levels.remove(nodes, id);
    }

    fn highest(&mut self, nodes: &[NodeRecord], _: &Places, freed: Cpu) -> Option<u16> {
        self.levels
            .first_where(nodes, |id| nodes[id as usize].mask.contains(freed))
    }

    fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        Self::victim(nodes, places, newcomer)
    }

    // Exactly: the newcomer gets the processor that is free, for it was chosen by that one.
    fn shift(&self, _: &[NodeRecord], _: &Places, _: u16, _: Cpu, _: Option<Cpu>) -> Option<Cpu> {
        None
    }

    fn entered(&mut self, _: &[NodeRecord], _: u16) {}

    fn left(&mut self, _: &[NodeRecord], _: u16) {}

    fn again(&mut self, nodes: &[NodeRecord], places: &Places) -> Option<(u16, u16)> {
        let top = self.levels.top()?;
        let victim = Self::victim(nodes, places, top)?;
        let beats = nodes[top as usize].key.before(nodes[victim as usize].key);
        beats.then_some((top, victim))
    }
}
