//! Owns: the READY nodes of an instance, and which of them may take which processor.
//! Must never know: threads, helping, idle threads, time.

pub(crate) mod cbs;
mod edf;
mod list;
pub(crate) mod matching;
mod members;
mod priority;
mod simple;
mod strong_affinity;
mod weak_affinity;

#[cfg(test)]
mod affinity_tests;

use super::{
    Error, NodeRecord, PolicyKind,
    instance::Places,
    order::{Order, Turns},
};
use crate::{Cpu, CpuSet};
pub(crate) use list::List;
pub(crate) use members::Member;

/// What a policy decides. Nodes are named by their thread's row; `nodes` are those of the instance.
///
/// The idle threads are in none of these queues: the instance keeps them.
pub(crate) trait Policy {
    /// Whether a thread may have the affinity `mask`, which is reduced to the processors `online`.
    fn accepts(mask: CpuSet, owned: CpuSet, online: CpuSet) -> bool;

    /// `nodes[id].mask`, just written, shall hold from now on. The node is in no queue.
    fn bind(&mut self, nodes: &mut [NodeRecord], id: u16, online: CpuSet);

    /// `id` becomes READY; its key has just been drawn, `order` says how.
    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, order: Order);

    /// `id`, displaced from its processor, becomes READY: it keeps its key, and is the first of its equals.
    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16);

    /// `id` is no longer READY.
    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16);

    /// The READY node that shall have the processor `freed`, which nobody holds.
    fn highest(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu) -> Option<u16>;

    /// Whether `id`, which is READY in a ring of the world's, may have the processor `freed`, for which [`Policy::highest`] was asked
    /// last.
    #[inline(always)]
    fn profits(&mut self, _nodes: &[NodeRecord], _places: &Places, _freed: Cpu, _id: u16) -> bool {
        true
    }

    /// `id`, which [profits](Policy::profits), shall have the processor `freed` instead of the one that was found.
    #[inline(always)]
    fn choose(&mut self, _nodes: &[NodeRecord], _places: &Places, _freed: Cpu, _id: u16) {}

    /// The SCHEDULED node that has to give way to `newcomer`, should that one's key be before its own.
    fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16>;

    /// `freed` has no holder, and `newcomer` was chosen to become SCHEDULED (by [`Policy::highest`] for this processor, or
    /// by [`Policy::lowest`] for that of the victim, with no change since). The processor whose holder shall move to `freed`
    /// first; the question is then asked again for the processor that is free instead. None: `newcomer` itself takes it.
    ///
    /// `live_on` is the processor of this instance, other than `freed`, that still has the newcomer's registers.
    fn shift(
        &self,
        nodes: &[NodeRecord],
        places: &Places,
        newcomer: u16,
        freed: Cpu,
        live_on: Option<Cpu>,
    ) -> Option<Cpu>;

    /// `id` has entered the set of SCHEDULED nodes, at its key; `turns` are the instance's.
    #[inline(always)]
    fn entered(&mut self, _: &mut [NodeRecord], _: &mut Places, _turns: &mut Turns, _id: u16) {}

    /// `id` has left the set of SCHEDULED nodes.
    #[inline(always)]
    fn left(&mut self, _: &mut [NodeRecord], _turns: &mut Turns, _id: u16) {}
}

/// The queues of any policy.
#[derive(Clone, Debug)]
pub(crate) enum Queues {
    Simple(simple::Simple),
    Priority(priority::Levels),
    Edf(edf::Edf),
    WeakAffinity(weak_affinity::WeakAffinity),
    StrongAffinity(strong_affinity::StrongAffinity),
}

/// Calls the policy that it is.
macro_rules! each {
    ($queues:expr, $policy:ident => $call:expr) => {
        match $queues {
            Queues::Simple($policy) => $call,
            Queues::Priority($policy) => $call,
            Queues::Edf($policy) => $call,
            Queues::WeakAffinity($policy) => $call,
            Queues::StrongAffinity($policy) => $call,
        }
    };
}

impl Queues {
    pub const EMPTY: Self = Self::Simple(simple::Simple::EMPTY);

    /// Those of `kind`, empty.
    pub const fn new(kind: PolicyKind) -> Self {
        match kind {
            PolicyKind::Simple => Self::Simple(simple::Simple::EMPTY),
            PolicyKind::Priority => Self::Priority(priority::Levels::EMPTY),
            PolicyKind::Edf | PolicyKind::Cbs => Self::Edf(edf::Edf::EMPTY),
            PolicyKind::PriorityAffinity => Self::WeakAffinity(weak_affinity::WeakAffinity::EMPTY),
            PolicyKind::StrongAffinity => {
                Self::StrongAffinity(strong_affinity::StrongAffinity::EMPTY)
            }
        }
    }

    /// Refuses a set of processors that this policy cannot keep to.
    pub fn check(&self, mask: CpuSet, owned: CpuSet, online: CpuSet) -> Result<(), Error> {
        fn ask<P: Policy>(_: &P, mask: CpuSet, owned: CpuSet, online: CpuSet) -> bool {
            P::accepts(mask, owned, online)
        }
        if each!(self, policy => ask(policy, mask, owned, online)) {
            Ok(())
        } else {
            Err(Error::InvalidNumber)
        }
    }

    pub fn bind(&mut self, nodes: &mut [NodeRecord], id: u16, online: CpuSet) {
        each!(self, policy => policy.bind(nodes, id, online));
    }

    #[inline]
    pub fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, order: Order) {
        each!(self, policy => policy.insert(nodes, id, order));
    }

    #[inline]
    pub fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        each!(self, policy => policy.restore(nodes, id));
    }

    #[inline]
    pub fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        each!(self, policy => policy.remove(nodes, id));
    }

    #[inline]
    pub fn highest(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu) -> Option<u16> {
        each!(self, policy => policy.highest(nodes, places, freed))
    }

    #[inline]
    pub fn profits(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu, id: u16) -> bool {
        each!(self, policy => policy.profits(nodes, places, freed, id))
    }

    #[inline]
    pub fn choose(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu, id: u16) {
        each!(self, policy => policy.choose(nodes, places, freed, id));
    }

    #[inline]
    pub fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        each!(self, policy => policy.lowest(nodes, places, newcomer))
    }

    #[inline]
    pub fn shift(
        &self,
        nodes: &[NodeRecord],
        places: &Places,
        newcomer: u16,
        freed: Cpu,
        live_on: Option<Cpu>,
    ) -> Option<Cpu> {
        each!(self, policy => policy.shift(nodes, places, newcomer, freed, live_on))
    }

    #[inline]
    pub fn entered(
        &mut self,
        nodes: &mut [NodeRecord],
        places: &mut Places,
        turns: &mut Turns,
        id: u16,
    ) {
        each!(self, policy => policy.entered(nodes, places, turns, id));
    }

    #[inline]
    pub fn left(&mut self, nodes: &mut [NodeRecord], turns: &mut Turns, id: u16) {
        each!(self, policy => policy.left(nodes, turns, id));
    }

    /// Whether no node is in them.
    pub fn are_empty(&self) -> bool {
        match self {
            Self::Simple(simple) => simple.is_empty(),
            Self::Priority(levels) => levels.is_empty(),
            Self::WeakAffinity(affine) => affine.is_empty(),
            Self::StrongAffinity(affine) => affine.is_empty(),
            Self::Edf(edf) => edf.is_empty(),
        }
    }

    /// Whether nodes are bound to single processors where others are bound to none, or were ever.
    pub const fn bind_some(&self) -> bool {
        match self {
            Self::Edf(edf) => edf.binds(),
            _ => false,
        }
    }

    /// The policy, if it tries READY nodes again after an arrival and after a change of priority:
    /// only one that does not find its best choice at once does.
    #[inline]
    pub fn tries_again(&mut self) -> Option<&mut weak_affinity::WeakAffinity> {
        match self {
            Self::WeakAffinity(affine) => Some(affine),
            _ => None,
        }
    }
}
