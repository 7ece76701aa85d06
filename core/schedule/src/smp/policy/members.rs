//! Owns: nodes as members of heaps, and the search for the first of them that will do.
//! Must never know: what a heap of nodes is for.

use crate::{
    Branch, Branches,
    smp::{NodeRecord, steps::step},
};
use core::num::NonZeroU16;

/// Names a node in a heap: its row + 1, so that "none" takes no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member(NonZeroU16);

impl Member {
    #[inline(always)]
    pub fn new(id: u16) -> Option<Self> {
        NonZeroU16::new(id.wrapping_add(1)).map(Self)
    }

    #[inline(always)]
    pub const fn id(self) -> u16 {
        self.0.get() - 1
    }
}

/// The nodes of an instance, ordered by their keys.
pub(crate) struct Nodes<'a>(pub &'a mut [NodeRecord]);

impl Branches for Nodes<'_> {
    type Id = Member;

    #[inline(always)]
    fn branch(&self, id: Member) -> &Branch<Member> {
        &self.0[id.id() as usize].branch
    }

    #[inline(always)]
    fn branch_mut(&mut self, id: Member) -> &mut Branch<Member> {
        &mut self.0[id.id() as usize].branch
    }

    #[inline(always)]
    fn is_before(&mut self, a: Member, b: Member) -> bool {
        step();
        self.0[a.id() as usize]
            .key
            .before(self.0[b.id() as usize].key)
    }
}

/// The first member in the heap of `root`, in the order of the keys, that `will_do`.
///
/// Looks at no member behind one that will do: one step where the root will, at most n in a heap of n.
pub(crate) fn first_where(
    nodes: &[NodeRecord],
    root: Member,
    will_do: impl Fn(&NodeRecord) -> bool,
) -> Option<Member> {
    let node = |member: Member| &nodes[member.id() as usize];
    let mut best: Option<Member> = None;
    let mut at = root;
    loop {
        step();
        let hopeless = best.is_some_and(|best| !node(at).key.before(node(best).key));
        if !hopeless && will_do(node(at)) {
            best = Some(at);
        } else if !hopeless && let Some(child) = node(at).branch.left() {
            // A member without a left branch has no right one.
            at = child;
            continue;
        }
        // Upwards, to the first right branch not taken yet.
        loop {
            let Some(parent) = node(at).branch.parent() else {
                return best;
            };
            let right = node(parent).branch.right();
            match right.filter(|&right| right != at) {
                Some(right) => {
                    at = right;
                    break;
                }
                None => at = parent,
            }
        }
    }
}
