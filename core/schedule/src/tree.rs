//! Owns: the order of a balanced tree; equals keep the order in which they came. The caller stores
//! the links. Must never know: the meaning of a key.
//!
//! A balanced tree (Adelson-Velsky and Landis 1962; Knuth, TAOCP vol. 3, section 6.2.3). Its
//! members are in order from left to right. A new member goes after all members with a key not
//! greater than its own, or before all members with a key not less. Neither a rotation nor a
//! removal changes the order of the others. So no number has to distinguish equals; a heap would
//! need one.
//!
//! The rank of a member is the height of its subtree, itself included; those of two children differ
//! by one at most. So with n members no way down is longer than 1.45·log₂(n + 2). The search for a
//! new member's place begins at the first one: up as far as others come before it, then down, and
//! back up to restore the ranks. To remove any one takes a way down and one up; the member after
//! the first is next to it.

use core::cell::Cell;

/// Where the links of trees are kept: three and a rank for each member; and by what members are
/// ordered.
pub trait TreeLinks {
    /// Names a member.
    type Id: Copy + Eq;
    /// By what members are ordered.
    type Key: Copy + Ord;
    /// Leads to the links of a member.
    type Node: Copy;
    /// Names the place of a link.
    type Link: Copy;

    /// The key of `id`, constant while it is in a tree.
    fn key(&self, id: Self::Id) -> Self::Key;
    /// The links of `id`.
    fn node(&self, id: Self::Id) -> Self::Node;
    /// Returns the place of the link to the child on this side.
    fn link(&self, node: Self::Node, side: Side) -> Self::Link;
    /// Where a link leads to.
    fn follow(&self, link: Self::Link) -> Option<Self::Id>;
    /// Sets [`TreeLinks::follow`].
    fn set(&self, link: Self::Link, to: Option<Self::Id>);
    /// Returns the parent.
    fn above(&self, node: Self::Node) -> Option<Self::Id>;
    /// Sets [`TreeLinks::above`].
    fn set_above(&self, node: Self::Node, above: Option<Self::Id>);
    /// Returns the height of the part of the tree from `node` downwards, `node` included; 0 for
    /// one that was taken out.
    fn rank(&self, node: Self::Node) -> u8;
    /// Sets [`TreeLinks::rank`].
    fn set_rank(&self, node: Self::Node, rank: u8);
}

/// A side of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Those before it.
    Left,
    /// Those after it.
    Right,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A tree. See the module's head for its order and bounds.
pub struct Tree<Id> {
    /// The leftmost member. The root is not stored: no operation reads it.
    first: Cell<Option<Id>>,
}

impl<Id: Copy + Eq> Tree<Id> {
    /// One without members.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = Self {
        first: Cell::new(None),
    };

    /// The first member.
    #[inline(always)]
    pub fn first(&self) -> Option<Id> {
        self.first.get()
    }

    /// Puts in `id`, which is in no tree, after its equals.
    #[inline]
    pub fn append<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id) {
        let key = links.key(id);
        self.insert(links, id, |other| links.key(*other) <= key);
    }

    /// Puts in `id`, which is in no tree, in front of its equals.
    #[inline]
    pub fn prepend<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id) {
        let key = links.key(id);
        self.insert(links, id, |other| links.key(*other) < key);
    }

    /// Puts in `id`, which is in no tree, after all that `comes_before` is true of; these are the
    /// first ones.
    #[inline]
    pub fn insert<L: TreeLinks<Id = Id>>(
        &self,
        links: &L,
        id: Id,
        comes_before: impl Fn(&Id) -> bool,
    ) {
        let Some(first) = self.first.get() else {
            return self.begin(links, id);
        };
        links.stand_alone(id);
        let (parent, side) = if comes_before(&first) {
            links.place_behind(first, comes_before)
        } else {
            self.first.set(Some(id));
            (first, Side::Left)
        };
        links.hang(parent, side, Some(id));
        links.restore_upwards(parent);
    }

    /// Puts `id`, which is in no tree, into this one, which is empty.
    #[inline(always)]
    fn begin<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id) {
        let node = links.stand_alone(id);
        links.set_above(node, None);
        self.first.set(Some(id));
    }

    /// Puts in `id`, which is in no tree, in front of all.
    #[inline(always)]
    pub fn push_front<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id) {
        match self.first.get() {
            None => self.begin(links, id),
            Some(first) => self.push_before(links, id, first),
        }
    }

    /// Puts in `id` in front of `first`, the first member. Kept apart, so that the other path costs
    /// no stack frame.
    #[cold]
    #[inline(never)]
    fn push_before<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id, first: Id) {
        links.stand_alone(id);
        self.first.set(Some(id));
        links.hang(first, Side::Left, Some(id));
        links.restore_upwards(first);
    }

    /// Takes out `id`, which is in it.
    pub fn remove<L: TreeLinks<Id = Id>>(&self, links: &L, id: Id) {
        let node = links.node(id);
        let (left, right) = (
            links.below(node, Side::Left),
            links.below(node, Side::Right),
        );
        if self.first.get() == Some(id) {
            // Nothing is to its left, so at most one is to its right.
            self.first.set(right.or(links.above(node)));
        }
        let lowest = if let (Some(left), Some(right)) = (left, right) {
            Some(links.replace_by_next(id, left, right))
        } else {
            links.replace(id, left.or(right));
            links.above(node)
        };
        links.set_rank(node, 0);
        if let Some(lowest) = lowest {
            links.restore_upwards(lowest);
        }
    }

    /// Takes out `first`, the first member, and puts `id`, which is in no tree and has the same
    /// key, after its equals.
    #[inline(always)]
    pub fn exchange<L: TreeLinks<Id = Id>>(&self, links: &L, first: Id, id: Id) {
        let node = links.node(first);
        // Nothing is to the left of the first, so at most one is to its right.
        let right = links.below(node, Side::Right);
        let next = right.or(links.above(node));
        let Some(next) = next else {
            links.set_rank(node, 0);
            return self.begin(links, id);
        };
        if links.key(next) == links.key(id) {
            self.remove(links, first);
            return self.append(links, id);
        }
        // There are no others: it belongs in the place of that one.
        let new = links.stand_alone(id);
        links.set_rank(new, links.rank(node));
        links.set_above(new, links.above(node));
        links.replace(first, Some(id));
        links.hang(id, Side::Right, right);
        links.set_rank(node, 0);
        self.first.set(Some(id));
    }

    /// Visits all, in their order. As many steps as there are, and twice a way down for each.
    pub fn for_each<L: TreeLinks<Id = Id>>(&self, links: &L, mut visit: impl FnMut(Id)) {
        self.find(links, |id| {
            visit(id);
            false
        });
    }

    /// The first that `will_do`. As many steps as there are before it, and twice a way down for
    /// each.
    #[inline]
    pub fn find<L: TreeLinks<Id = Id>>(
        &self,
        links: &L,
        mut will_do: impl FnMut(Id) -> bool,
    ) -> Option<Id> {
        let mut next = self.first.get();
        while let Some(id) = next {
            if will_do(id) {
                return next;
            }
            next = links.next_of(id);
        }
        None
    }

    /// Takes over the members of `other`, which has none then; this one has none before. A fixed
    /// number of steps.
    pub fn take_over(&self, other: &Self) {
        self.first.set(other.first.take());
    }
}

/// The steps that operations on trees are made of.
trait Steps: TreeLinks {
    /// Returns the child on this side.
    fn below(&self, node: Self::Node, side: Side) -> Option<Self::Id> {
        self.follow(self.link(node, side))
    }

    /// Resets `id` to a member without children. Returns its links.
    #[inline(always)]
    fn stand_alone(&self, id: Self::Id) -> Self::Node {
        let node = self.node(id);
        self.set(self.link(node, Side::Left), None);
        self.set(self.link(node, Side::Right), None);
        self.set_rank(node, 1);
        node
    }

    /// Returns the place of a member after `first`: its parent there, and the side.
    fn place_behind(
        &self,
        first: Self::Id,
        comes_before: impl Fn(&Self::Id) -> bool,
    ) -> (Self::Id, Side) {
        let mut place = first;
        while let Some(above) = self.above(self.node(place)).filter(&comes_before) {
            place = above;
        }
        let mut side = Side::Right;
        while let Some(below) = self.below(self.node(place), side) {
            place = below;
            side = if comes_before(&below) {
                Side::Right
            } else {
                Side::Left
            };
        }
        (place, side)
    }

    /// Takes out `id`, which has these two children: the next one in the order takes its place.
    /// Returns the member from which on upwards ranks may be wrong.
    fn replace_by_next(&self, id: Self::Id, left: Self::Id, right: Self::Id) -> Self::Id {
        let mut lowest = None;
        let mut next = right;
        while let Some(below) = self.below(self.node(next), Side::Left) {
            lowest = Some(next);
            next = below;
        }
        let node = self.node(next);
        if lowest.is_some() {
            self.replace(next, self.below(node, Side::Right));
            self.hang(next, Side::Right, Some(right));
        }
        self.hang(next, Side::Left, Some(left));
        self.replace(id, Some(next));
        self.set_rank(node, self.rank(self.node(id)));
        lowest.unwrap_or(next)
    }

    /// Puts `new` in the place of `old` below the one above it.
    fn replace(&self, old: Self::Id, new: Option<Self::Id>) {
        match self.above(self.node(old)) {
            Some(parent) if self.below(self.node(parent), Side::Left) == Some(old) => {
                self.hang(parent, Side::Left, new);
            }
            Some(parent) => self.hang(parent, Side::Right, new),
            None => {
                if let Some(new) = new {
                    self.set_above(self.node(new), None);
                }
            }
        }
    }

    fn hang(&self, parent: Self::Id, side: Side, child: Option<Self::Id>) {
        self.set(self.link(self.node(parent), side), child);
        if let Some(child) = child {
            self.set_above(self.node(child), Some(parent));
        }
    }

    fn rank_of(&self, id: Option<Self::Id>) -> u8 {
        id.map_or(0, |id| self.rank(self.node(id)))
    }

    /// Restores ranks and balance from `id` upwards, until a rank stays what it was.
    fn restore_upwards(&self, id: Self::Id) {
        let mut next = Some(id);
        while let Some(id) = next {
            let before = self.rank(self.node(id));
            let top = self.node(self.balance(id));
            if self.rank(top) == before {
                return;
            }
            next = self.above(top);
        }
    }

    /// Restores the rank of one, of which the children may differ by two. Returns the member in its
    /// place then.
    fn balance(&self, id: Self::Id) -> Self::Id {
        let node = self.node(id);
        let (left, right) = (self.below(node, Side::Left), self.below(node, Side::Right));
        let (left_rank, right_rank) = (self.rank_of(left), self.rank_of(right));
        match (left, right) {
            (Some(tall), _) if left_rank > right_rank + 1 => self.lower(id, tall, Side::Left),
            (_, Some(tall)) if right_rank > left_rank + 1 => self.lower(id, tall, Side::Right),
            _ => {
                self.set_rank(node, left_rank.max(right_rank) + 1);
                id
            }
        }
    }

    /// Rotates the tree so that `id` is below its child `tall`, or below the inner child of `tall`,
    /// if only that one makes the tree lower.
    fn lower(&self, id: Self::Id, tall: Self::Id, side: Side) -> Self::Id {
        let node = self.node(tall);
        let outer = self.below(node, side);
        match self.below(node, side.other()) {
            Some(inner) if self.rank(self.node(inner)) > self.rank_of(outer) => {
                self.lift(inner, tall, side.other());
                self.lift(inner, id, side)
            }
            _ => self.lift(tall, id, side),
        }
    }

    /// Turns the tree so that `child`, on this side of `parent`, is above it; the order from left
    /// to right stays.
    fn lift(&self, child: Self::Id, parent: Self::Id, side: Side) -> Self::Id {
        self.replace(parent, Some(child));
        self.hang(parent, side, self.below(self.node(child), side.other()));
        self.hang(child, side.other(), Some(parent));
        self.count(parent);
        self.count(child);
        child
    }

    /// Restores the rank of one.
    fn count(&self, id: Self::Id) {
        let node = self.node(id);
        let left = self.rank_of(self.below(node, Side::Left));
        let right = self.rank_of(self.below(node, Side::Right));
        self.set_rank(node, left.max(right) + 1);
    }

    /// Returns the next member after `id` in the order.
    fn next_of(&self, id: Self::Id) -> Option<Self::Id> {
        if let Some(mut next) = self.below(self.node(id), Side::Right) {
            while let Some(below) = self.below(self.node(next), Side::Left) {
                next = below;
            }
            return Some(next);
        }
        let mut from = id;
        loop {
            let above = self.above(self.node(from))?;
            if self.below(self.node(above), Side::Left) == Some(from) {
                return Some(above);
            }
            from = above;
        }
    }
}

impl<L: TreeLinks> Steps for L {}
