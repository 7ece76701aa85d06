//! Owns: lists of nodes, sorted by key where asked for. Must never know: what a list is for.

use crate::smp::{NodeRecord, ids::NONE, steps::step};

/// A doubly linked list of nodes, by `next` and `previous`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub first: u16,
    pub last: u16,
}

impl List {
    pub const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    /// Puts `id` behind `before` (NONE: in front of all). A fixed number of steps.
    #[inline]
    pub fn insert_behind(&mut self, nodes: &mut [NodeRecord], before: u16, id: u16) {
        let behind = if before == NONE {
            self.first
        } else {
            nodes[before as usize].next
        };
        nodes[id as usize].previous = before;
        nodes[id as usize].next = behind;
        if before == NONE {
            self.first = id;
        } else {
            nodes[before as usize].next = id;
        }
        if behind == NONE {
            self.last = id;
        } else {
            nodes[behind as usize].previous = id;
        }
    }

    /// Puts `id` in front of all.
    #[inline]
    pub fn push_front(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.insert_behind(nodes, NONE, id);
    }

    /// Puts `id` behind all.
    #[inline]
    pub fn push_back(&mut self, nodes: &mut [NodeRecord], id: u16) {
        self.insert_behind(nodes, self.last, id);
    }

    /// Puts `id` where its key belongs, looking from the back: at most as many steps as there are nodes.
    #[inline]
    pub fn insert_sorted(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let key = nodes[id as usize].key;
        let mut before = self.last;
        while before != NONE && key.before(nodes[before as usize].key) {
            step();
            before = nodes[before as usize].previous;
        }
        self.insert_behind(nodes, before, id);
    }

    /// Takes `id` out. A fixed number of steps.
    #[inline]
    pub fn remove(&mut self, nodes: &mut [NodeRecord], id: u16) {
        let NodeRecord { next, previous, .. } = nodes[id as usize];
        if previous == NONE {
            self.first = next;
        } else {
            nodes[previous as usize].next = next;
        }
        if next == NONE {
            self.last = previous;
        } else {
            nodes[next as usize].previous = previous;
        }
    }
}
