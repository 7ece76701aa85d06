//! Owns: the order of a heap. The caller stores its links.
//! Must never know: the meaning of a key.
//!
//! A leftist heap (C. A. Crane, "Linear lists and priority queues as balanced
//! binary trees", Stanford 1972): of the two branches of a member the left one is
//! never the shorter, so a path along right branches has at most log2(n + 1)
//! members. Chosen since each operation, removal from the middle included, has a
//! logarithmic bound on its worst case, needs no memory, and no recursion.

/// The position of a member in its heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch<Id> {
    parent: Option<Id>,
    left: Option<Id>,
    right: Option<Id>,
    /// Members on the path along right branches, this one included.
    rank: u8,
}

impl<Id> Branch<Id> {
    /// The links of a member that is in no heap.
    pub const LOOSE: Self = Self {
        parent: None,
        left: None,
        right: None,
        rank: 1,
    };
}

impl<Id: Copy> Branch<Id> {
    /// The member above; the root has none.
    pub const fn parent(&self) -> Option<Id> {
        self.parent
    }
}

/// Where the links of heaps are kept, and which of two members comes first.
pub trait Branches {
    /// Names a member.
    type Id: Copy + Eq;
    /// The links of `id`.
    fn branch(&self, id: Self::Id) -> &Branch<Self::Id>;
    /// The links of `id`, to be changed.
    fn branch_mut(&mut self, id: Self::Id) -> &mut Branch<Self::Id>;
    /// Whether `a` comes before `b`: a strict total order, constant while both are in a heap.
    fn is_before(&mut self, a: Self::Id, b: Self::Id) -> bool;
}

/// Operations on heaps. A heap is named by its first member, the *root*; an empty one has none.
pub trait Heap: Branches {
    /// Puts `id`, which is in no heap, into the heap of `root`; the new root.
    ///
    /// At most log2(n + 1) comparisons among n members.
    fn insert(&mut self, root: Option<Self::Id>, id: Self::Id) -> Option<Self::Id> {
        *self.branch_mut(id) = Branch::LOOSE;
        self.merge(root, Some(id))
    }

    /// Takes `id` out of the heap of `root`, which it is in; the new root.
    ///
    /// At most 2·log2(n + 1) comparisons among n members.
    fn remove(&mut self, root: Option<Self::Id>, id: Self::Id) -> Option<Self::Id> {
        let Branch {
            parent,
            left,
            right,
            ..
        } = *self.branch(id);
        *self.branch_mut(id) = Branch::LOOSE;
        for child in [left, right].into_iter().flatten() {
            self.branch_mut(child).parent = None;
        }
        let rest = self.merge(left, right);
        let Some(parent) = parent else {
            return rest;
        };
        let above = self.branch_mut(parent);
        if above.left == Some(id) {
            above.left = rest;
        } else {
            above.right = rest;
        }
        if let Some(rest) = rest {
            self.branch_mut(rest).parent = Some(parent);
        }
        self.restore_ranks(parent, true);
        root
    }

    /// One heap of the two; its root.
    ///
    /// At most log2(n + 1) + log2(m + 1) comparisons among n and m members.
    fn merge(&mut self, one: Option<Self::Id>, other: Option<Self::Id>) -> Option<Self::Id> {
        let (Some(mut top), Some(mut rest)) = (one, other) else {
            return one.or(other);
        };
        if self.is_before(rest, top) {
            (top, rest) = (rest, top);
        }
        let root = top;
        // Both right paths become one, in order.
        while let Some(next) = self.branch(top).right {
            if self.is_before(rest, next) {
                self.hang(rest, top);
                (top, rest) = (rest, next);
            } else {
                top = next;
            }
        }
        self.hang(rest, top);
        self.restore_ranks(top, false);
        Some(root)
    }

    /// Makes `id` the right branch of `parent`.
    #[doc(hidden)]
    fn hang(&mut self, id: Self::Id, parent: Self::Id) {
        self.branch_mut(parent).right = Some(id);
        self.branch_mut(id).parent = Some(parent);
    }

    /// Puts the longer branch to the left and counts again, from `id` upwards to the root. If only
    /// one branch was exchanged, this ends at the first member with an unchanged rank.
    ///
    /// Such ranks go up by one from member to member, so there are at most log2(n + 1).
    #[doc(hidden)]
    fn restore_ranks(&mut self, id: Self::Id, until_equal: bool) {
        let mut next = Some(id);
        while let Some(id) = next {
            let Branch {
                parent,
                left,
                right,
                rank,
            } = *self.branch(id);
            let left_rank = self.rank(left);
            let right_rank = self.rank(right);
            let shorter = left_rank.min(right_rank);
            let branch = self.branch_mut(id);
            if left_rank < right_rank {
                branch.left = right;
                branch.right = left;
            }
            branch.rank = shorter + 1;
            if until_equal && branch.rank == rank {
                return;
            }
            next = parent;
        }
    }

    /// The rank of a branch; none has 0.
    #[doc(hidden)]
    fn rank(&self, id: Option<Self::Id>) -> u8 {
        id.map_or(0, |id| self.branch(id).rank)
    }
}

impl<T: Branches> Heap for T {}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// Members 0.. with keys; equal keys come in the order of their numbers.
    struct Table {
        keys: Vec<u8>,
        branches: Vec<Branch<usize>>,
        comparisons: usize,
    }

    impl Table {
        fn new(keys: &[u8]) -> Self {
            Self {
                keys: keys.to_vec(),
                branches: std::vec![Branch::LOOSE; keys.len()],
                comparisons: 0,
            }
        }

        fn check(&self, id: Option<usize>, parent: Option<usize>) -> u8 {
            let Some(id) = id else { return 0 };
            let branch = self.branches[id];
            assert_eq!(branch.parent, parent);
            if let Some(parent) = parent {
                assert!((self.keys[parent], parent) < (self.keys[id], id));
            }
            let left = self.check(branch.left, Some(id));
            let right = self.check(branch.right, Some(id));
            assert!(left >= right, "the longer branch is on the left");
            assert_eq!(branch.rank, right + 1);
            branch.rank
        }
    }

    impl Branches for Table {
        type Id = usize;
        fn branch(&self, id: usize) -> &Branch<usize> {
            &self.branches[id]
        }
        fn branch_mut(&mut self, id: usize) -> &mut Branch<usize> {
            &mut self.branches[id]
        }
        fn is_before(&mut self, a: usize, b: usize) -> bool {
            self.comparisons += 1;
            (self.keys[a], a) < (self.keys[b], b)
        }
    }

    /// log2(n + 1), rounded down.
    fn log(n: usize) -> usize {
        (n + 1).ilog2() as usize
    }

    proptest! {
        // The interpreter that looks for undefined behaviour is slow, and has no files.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn agrees_with_a_sorted_list(
            keys in proptest::collection::vec(0u8..8, 1..40),
            picks in proptest::collection::vec(any::<proptest::sample::Index>(), 1..200),
        ) {
            let mut table = Table::new(&keys);
            let mut root = None;
            let mut model: Vec<(u8, usize)> = Vec::new();
            for pick in picks {
                let id = pick.index(keys.len());
                let member = (keys[id], id);
                table.comparisons = 0;
                if let Some(at) = model.iter().position(|one| *one == member) {
                    let bound = 2 * log(model.len());
                    model.remove(at);
                    root = table.remove(root, id);
                    prop_assert!(table.comparisons <= bound);
                } else {
                    let bound = log(model.len()).max(1);
                    model.push(member);
                    root = table.insert(root, id);
                    prop_assert!(table.comparisons <= bound);
                }
                model.sort();
                prop_assert_eq!(root, model.first().map(|one| one.1));
                table.check(root, None);
            }
        }
    }

    #[test]
    fn comes_out_in_order_after_a_thousand_went_in() {
        let count = if cfg!(miri) { 100 } else { 1000 };
        let keys: Vec<u8> = (0..count).map(|at| (at * 7919 % 251) as u8).collect();
        let mut table = Table::new(&keys);
        let mut root = (0..count).fold(None, |root, id| table.insert(root, id));
        let mut last = None;
        while let Some(id) = root {
            let key = Some((keys[id], id));
            assert!(last < key);
            last = key;
            root = table.remove(root, id);
        }
        assert!(last.is_some());
    }
}
