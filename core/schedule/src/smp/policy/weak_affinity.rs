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
//! The order among equals is the reference's, too: nobody displaces an equal, unless it goes in front of its equals by an
//! order of its own; who gets a processor goes behind its equals that have one, and the last of these gives way first. Idle
//! threads are equals: of the idle processors that are permitted the one that became idle last is taken. So a turn is drawn
//! when a node gets a processor, and when it loses it, where other policies let it keep the one that it came with.
//!
//! Three defects of the reference are not offered: a scan that is limited by another instance's priorities, helping nodes that
//! take processors without a look at who stands there, and a look at the owner's processor where an idle thread stands in.
//!
//! Bounds, with n READY nodes and m processors: inserting and removing take a fixed number of steps, an arrival looks at the m
//! holders from the least urgent one on, a departure at the READY nodes from the most urgent one on, at most n.

use super::{Policy, priority::Levels};
use crate::{
    Cpu, CpuSet,
    smp::{
        NodeRecord,
        ids::NONE,
        instance::Places,
        order::{Order, Turns},
        steps::step,
    },
};

/// The queues of the policy.
#[derive(Clone, Debug)]
pub(crate) struct WeakAffinity {
    levels: Levels,
    /// The node of the last [`Policy::lowest`], not READY since: it comes in with the turn drawn for it.
    arrives: u16,
    /// The node that left the SCHEDULED ones last, with none entered since: its turn is drawn already.
    leaves: u16,
}

impl WeakAffinity {
    pub const EMPTY: Self = Self {
        levels: Levels::EMPTY,
        arrives: NONE,
        leaves: NONE,
    };

    /// Whether no node is here.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The first of the READY nodes, of whom `kept` is the first in the rings of the world's, and the SCHEDULED node that it
    /// displaces: the last one on a processor of its own, if that is less urgent.
    pub(crate) fn again(
        &mut self,
        nodes: &[NodeRecord],
        places: &Places,
        kept: Option<u16>,
    ) -> Option<(u16, u16)> {
        self.arrives = NONE;
        let key = |id: u16| nodes[id as usize].key;
        let top = match (self.levels.top(), kept) {
            (Some(top), Some(kept)) if key(kept).before(key(top)) => kept,
            (top, kept) => top.or(kept)?,
        };
        let victim = Self::victim(nodes, places, top)?;
        (key(top).level < key(victim).level).then_some((top, victim))
    }

    /// The last holder that stands where `newcomer` may stand.
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
        self.arrives = NONE;
        self.levels
            .first_where(nodes, |id| nodes[id as usize].mask.contains(freed))
    }

    fn profits(&mut self, nodes: &[NodeRecord], _: &Places, freed: Cpu, id: u16) -> bool {
        nodes[id as usize].mask.contains(freed)
    }

    // A newcomer that goes behind its equals has the greatest turn of all, and one that goes in front of them the least: so
    // keys tell what levels and the order tell in the reference.
    fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        self.arrives = newcomer;
        self.leaves = NONE;
        Self::victim(nodes, places, newcomer)
    }

    // Exactly: the newcomer gets the processor that is free, for it was chosen by that one.
    fn shift(&self, _: &[NodeRecord], _: &Places, _: u16, _: Cpu, _: Option<Cpu>) -> Option<Cpu> {
        None
    }

    fn entered(
        &mut self,
        nodes: &mut [NodeRecord],
        places: &mut Places,
        turns: &mut Turns,
        id: u16,
    ) {
        if id != self.arrives && id != self.leaves {
            places.scheduled.remove(nodes, id);
            nodes[id as usize].key.turn = turns.draw(Order::Append);
            places.scheduled.insert_sorted(nodes, id);
        }
        (self.arrives, self.leaves) = (NONE, NONE);
    }

    fn left(&mut self, nodes: &mut [NodeRecord], turns: &mut Turns, id: u16) {
        nodes[id as usize].key.turn = turns.draw(Order::Prepend);
        self.leaves = id;
    }
}
