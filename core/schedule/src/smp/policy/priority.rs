//! Owns: the READY nodes as one ring a level, and two levels of bits that say which rings are not empty.
//! Every operation takes a fixed number of steps.

use super::Policy;
use crate::{
    Cpu, CpuSet,
    smp::{NodeRecord, ids::NONE, instance::Places, order::Order, steps::step},
};

/// How many levels there are.
const LEVELS: usize = 256;
const WORD: usize = 64;

/// The queues of the deterministic priority policy.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Bit w is set while a ring of word w is not empty.
    words: u8,
    /// Bit l % 64 of word l / 64 is set while the ring of level l is not empty.
    occupied: [u64; LEVELS / WORD],
    /// The first of each ring.
    heads: [u16; LEVELS],
}

impl Levels {
    pub const EMPTY: Self = Self {
        words: 0,
        occupied: [0; LEVELS / WORD],
        heads: [NONE; LEVELS],
    };

    // A node that nothing contributes to has no level; it counts as the last one.
    #[inline(always)]
    fn level(nodes: &[NodeRecord], id: u16) -> usize {
        nodes[id as usize].key.level.0.min(LEVELS as u64 - 1) as usize
    }

    /// Puts `id` into its ring, behind all others; the level.
    #[inline]
    fn append(&mut self, nodes: &mut [NodeRecord], id: u16) -> usize {
        let level = Self::level(nodes, id);
        let head = self.heads[level];
        if head == NONE {
            nodes[id as usize].next = id;
            nodes[id as usize].previous = id;
            self.heads[level] = id;
            self.occupied[level / WORD] |= 1 << (level % WORD);
            self.words |= 1 << (level / WORD);
        } else {
            let last = nodes[head as usize].previous;
            nodes[id as usize].previous = last;
            nodes[id as usize].next = head;
            nodes[last as usize].next = id;
            nodes[head as usize].previous = id;
        }
        level
    }

    /// Whether no node is here.
    pub(super) fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The first of the most urgent ring.
    #[inline]
    pub(super) fn top(&self) -> Option<u16> {
        if self.words == 0 {
            return None;
        }
        let word = self.words.trailing_zeros() as usize % (LEVELS / WORD);
        let level = word * WORD + self.occupied[word].trailing_zeros() as usize % WORD;
        Some(self.heads[level])
    }

    /// The first node, from the most urgent ring on, that `will_do`. As many steps as there are nodes before it.
    pub(super) fn first_where(
        &self,
        nodes: &[NodeRecord],
        will_do: impl Fn(u16) -> bool,
    ) -> Option<u16> {
        for (word, &occupied) in self.occupied.iter().enumerate() {
            let mut rest = occupied;
            while rest != 0 {
                let head = self.heads[word * WORD + rest.trailing_zeros() as usize];
                rest &= rest - 1;
                let mut id = head;
                loop {
                    step();
                    if will_do(id) {
                        return Some(id);
                    }
                    id = nodes[id as usize].next;
                    if id == head {
                        break;
                    }
                }
            }
        }
        None
    }
}

impl Policy for Levels {
    fn accepts(mask: CpuSet, _: CpuSet, online: CpuSet) -> bool {
        mask.covers(online)
    }

    fn bind(&mut self, _: &mut [NodeRecord], _: u16, _: CpuSet) {}

    #[inline]
    fn insert(&mut self, nodes: &mut [NodeRecord], id: u16, order: Order) {
        let level = self.append(nodes, id);
        if order == Order::Prepend {
            self.heads[level] = id;
        }
    }

    #[inline]
    fn restore(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let level = self.append(nodes, id);
        self.heads[level] = id;
    }

    #[inline]
    fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let level = Self::level(nodes, id);
        let NodeRecord { next, previous, .. } = nodes[id as usize];
        if next == id {
            self.heads[level] = NONE;
            self.occupied[level / WORD] &= !(1 << (level % WORD));
            if self.occupied[level / WORD] == 0 {
                self.words &= !(1 << (level / WORD));
            }
        } else {
            nodes[previous as usize].next = next;
            nodes[next as usize].previous = previous;
            if self.heads[level] == id {
                self.heads[level] = next;
            }
        }
    }

    #[inline]
    fn highest(&mut self, _: &[NodeRecord], _: &Places, _: Cpu) -> Option<u16> {
        self.top()
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
