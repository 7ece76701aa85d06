//! Owns: the READY nodes in one heap, for threads each of which may stand on any set of processors: whoever can run by
//! shifting others runs, the more urgent first, and first come first served among equals.
//!
//! The SCHEDULED nodes are always those that a greedy choice from scratch would take (see [`super::matching`]): the most
//! urgent READY node that can run beside all before it, then the next, and so on, by keys that no two share. So the reference's
//! limits (spec 01, 3.5) are none of ours: turns decide among equals, one that is displaced keeps its turn, a pinned thread is
//! one that may stand on a single processor, and only processors and nodes of the own instance are ever looked at.
//!
//! Bounds, with n READY nodes and m processors: an arrival looks at each processor once, and inserting whoever waits then takes
//! log₂(n + 1) comparisons; a departure takes at most m²/2 steps to find who can shift, and one step for each READY node that
//! cannot profit and is more urgent than the one that does, at most 2n. Where every node may stand everywhere: m, and one.

use super::{
    Policy,
    matching::{self, Reach, Route, Seats},
    members::{Member, Nodes, first_where},
};
use crate::{
    Cpu, CpuSet, Heap,
    smp::{
        NodeRecord,
        ids::NONE,
        instance::Places,
        order::{Level, Order},
        steps::step,
    },
};

/// The queue of the policy, and the way for the node that it chose last.
#[derive(Clone, Debug)]
pub(crate) struct StrongAffinity {
    ready: Option<Member>,
    /// Who can profit by the processor that [`Policy::highest`] was asked for last, once that was found.
    reach: Option<Reach>,
    /// Whom the way is for.
    newcomer: u16,
    /// For each processor on the way but the newcomer's own: from where its next holder comes.
    sources: [u8; Cpu::COUNT],
    /// The processor for the newcomer.
    target: u8,
}

/// The holders of an instance's processors, as the searches see them.
struct Holders<'a> {
    nodes: &'a [NodeRecord],
    places: &'a Places,
}

impl Holders<'_> {
    /// The node on `cpu`, unless it is an idle thread's.
    #[inline(always)]
    fn on(&self, cpu: Cpu) -> Option<&NodeRecord> {
        step();
        let node = self.nodes.get(self.places.holder(cpu) as usize)?;
        (node.key.level != Level::NONE).then_some(node)
    }
}

impl Seats for Holders<'_> {
    type Key = (u64, u64);

    #[inline(always)]
    fn allowed(&self, cpu: Cpu) -> CpuSet {
        self.on(cpu).map_or(CpuSet::EMPTY, |node| node.mask)
    }

    #[inline(always)]
    fn key(&self, cpu: Cpu) -> Option<(u64, u64)> {
        self.on(cpu).map(|node| (node.key.level.0, node.key.turn))
    }
}

impl StrongAffinity {
    pub const EMPTY: Self = Self {
        ready: None,
        reach: None,
        newcomer: NONE,
        sources: [0; Cpu::COUNT],
        target: 0,
    };

    /// Whether no node is here.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_none()
    }

    /// Who can profit by `freed`.
    fn reach(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu) -> &Reach {
        let seats = Holders { nodes, places };
        self.reach
            .get_or_insert_with(|| matching::departure(&seats, places.owned, freed))
    }

    /// Keeps the way of `newcomer`, for [`Policy::shift`].
    fn keep(&mut self, newcomer: u16, route: &Route) {
        self.newcomer = newcomer;
        self.target = route.first().index() as u8;
        for (from, to) in route.shifts() {
            self.sources[to.index()] = from.index() as u8;
        }
    }
}

impl Policy for StrongAffinity {
    fn accepts(mask: CpuSet, owned: CpuSet, _: CpuSet) -> bool {
        !mask.and(owned).is_empty()
    }

    fn bind(&mut self, _: &mut [NodeRecord], _: u16, _: CpuSet) {}

    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, _: Order) {
        if let Some(member) = Member::new(id) {
            self.ready = Nodes(nodes).insert(self.ready, member);
        }
    }

    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.insert(nodes, id, Order::Prepend);
    }

    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        if let Some(member) = Member::new(id) {
            self.ready = Nodes(nodes).remove(self.ready, member);
        }
    }

    fn highest(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu) -> Option<u16> {
        self.newcomer = NONE;
        self.reach = None;
        let root = self.ready?;
        let reach = self.reach(nodes, places, freed).cpus();
        let profits = |node: &NodeRecord| !node.mask.and(reach).is_empty();
        let best = first_where(nodes, root, profits)?.id();
        self.choose(nodes, places, freed, best);
        Some(best)
    }

    fn profits(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu, id: u16) -> bool {
        let mask = nodes[id as usize].mask;
        let reach = self.reach(nodes, places, freed).cpus();
        !mask.and(reach).is_empty()
    }

    fn choose(&mut self, nodes: &[NodeRecord], places: &Places, freed: Cpu, id: u16) {
        let mask = nodes[id as usize].mask;
        if let Some(route) = self.reach(nodes, places, freed).route(mask) {
            self.keep(id, &route);
        }
    }

    fn lowest(&mut self, nodes: &[NodeRecord], places: &Places, newcomer: u16) -> Option<u16> {
        self.newcomer = NONE;
        let NodeRecord { mask, key, .. } = nodes[newcomer as usize];
        let key = (key.level.0, key.turn);
        let route = matching::arrival(&Holders { nodes, places }, places.owned, mask, key)?;
        self.keep(newcomer, &route);
        Some(places.holder(route.last()))
    }

    fn shift(
        &self,
        _: &[NodeRecord],
        _: &Places,
        newcomer: u16,
        freed: Cpu,
        _: Option<Cpu>,
    ) -> Option<Cpu> {
        // An idle thread that gets a processor which nobody wants was not chosen here.
        let chosen = newcomer == self.newcomer;
        let source = Cpu::masked(self.sources[freed.index()]);
        (chosen && freed.index() != self.target as usize).then_some(source)
    }
}
