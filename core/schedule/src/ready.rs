//! Owns: the ready threads of one processor under fixed priorities, first in first out among
//! equals. Must never know: the identity of the running thread.
//!
//! One ring a priority and one bit a ring that is not empty; the running thread stays
//! at the head of its ring. No operation depends on the number of threads.
//! The scheduler of "Implementation and Analysis of Context Switching on OS Kernel"
//! takes the running thread out of its queue instead; leaving it in makes a yield one
//! store and a block one removal.

use crate::levels::{LOWEST_FIRST, Levels};
use crate::{Links, Priority, Ring};
use core::cell::Cell;

/// The rings that are not empty, of which the processor finds the most urgent one soonest in this
/// order.
type Occupied = Levels<LOWEST_FIRST>;

/// The ready entities of one processor. See the module's head for its invariants.
pub struct ReadyQueue<Id> {
    /// The priorities that have a ring that is not empty.
    occupied: Occupied,
    /// The first of each ring; after the last priority follows the idle entity.
    heads: [Cell<Option<Id>>; Priority::COUNT + 1],
}

#[inline(always)]
fn slot(priority: Priority) -> usize {
    // Spares the check of the index: the idle entity is in no ring.
    priority.of_ready().level() as usize
}

impl<Id: Copy + Eq> ReadyQueue<Id> {
    /// No entity is ready.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = {
        const fn none<Id>() -> Cell<Option<Id>> {
            Cell::new(None)
        }
        Self {
            occupied: Occupied::EMPTY,
            heads: [const { none() }; Priority::COUNT + 1],
        }
    };

    /// Sets the entity that [`ReadyQueue::top`] names while no other is ready. Returns the one
    /// before.
    pub fn set_idle(&self, idle: Id) -> Option<Id> {
        self.heads[Priority::COUNT].replace(Some(idle))
    }

    /// The most urgent entity, the first of its equals; the idle entity if none is ready.
    #[inline(always)]
    pub fn top(&self) -> Option<Id> {
        self.heads[self.occupied.first()].get()
    }

    /// The first of the entities of `priority`.
    #[inline(always)]
    pub fn head(&self, priority: Priority) -> Option<Id> {
        self.heads[slot(priority)].get()
    }

    /// Puts `id`, a ring of its own, after all its equals. Says whether it has none: only then it
    /// can be more urgent than the entity at the top.
    #[inline(always)]
    pub fn append(&self, links: &impl Links<Id = Id>, id: Id, priority: Priority) -> bool {
        let level = slot(priority);
        match self.heads[level].get() {
            None => {
                self.occupy(level, id);
                true
            }
            Some(head) => {
                links.join_before(id, head);
                false
            }
        }
    }

    /// Puts `id`, a ring of its own, in front of all its equals.
    #[inline(always)]
    pub fn prepend(&self, links: &impl Links<Id = Id>, id: Id, priority: Priority) {
        self.append(links, id, priority);
        self.heads[slot(priority)].set(Some(id));
    }

    /// Makes `id`, which is ready, the first of its equals; their order stays that of the ring.
    #[inline(always)]
    pub fn bring_to_front(&self, links: &impl Links<Id = Id>, id: Id, priority: Priority) {
        let level = slot(priority);
        if self.heads[level].get() != Some(id) {
            links.leave(id);
            if let Some(head) = self.heads[level].get() {
                links.join_before(id, head);
            }
            self.heads[level].set(Some(id));
        }
    }

    /// Makes `id`, a ring of its own, the head of its equals, and `first`, until now their head,
    /// the last of them. So `id` continues the turn of `first`, and the shares of the others stay.
    #[inline(always)]
    pub fn take_turn(&self, links: &impl Links<Id = Id>, id: Id, first: Id, priority: Priority) {
        links.join_behind(id, first);
        self.heads[slot(priority)].set(Some(id));
    }

    /// Takes `id` out; it is then a ring of its own.
    #[inline(always)]
    pub fn remove(&self, links: &impl Links<Id = Id>, id: Id, priority: Priority) {
        let level = slot(priority);
        let next = links.next(id);
        if next == id {
            self.heads[level].set(None);
            self.occupied.take_out(level);
        } else {
            links.leave(id);
            if self.heads[level].get() == Some(id) {
                self.heads[level].set(Some(next));
            }
        }
    }

    /// Puts `first`, the head of the entities of `priority`, after its equals and returns the new
    /// head.
    #[inline(always)]
    pub fn advance(&self, links: &impl Links<Id = Id>, first: Id, priority: Priority) -> Id {
        let next = links.next(first);
        self.heads[slot(priority)].set(Some(next));
        next
    }

    /// Takes out `first`, which is at the [`ReadyQueue::top`], and names the new top; it is then a
    /// ring of its own.
    #[inline(always)]
    pub fn retire(&self, links: &impl Links<Id = Id>, first: Id, priority: Priority) -> Option<Id> {
        let level = slot(priority);
        let next = links.next(first);
        if next != first {
            links.leave(first);
            self.heads[level].set(Some(next));
            return Some(next);
        }
        self.heads[level].set(None);
        self.occupied.take_out(level);
        self.top()
    }

    /// The priority of the most urgent entity.
    #[inline(always)]
    pub fn urgent(&self) -> Option<Priority> {
        self.occupied.urgent()
    }

    /// Takes out the most urgent entity, the first of its equals, and names its priority; it is
    /// then a ring of its own.
    #[inline(always)]
    pub fn pop(&self, links: &impl Links<Id = Id>) -> Option<(Id, Priority)> {
        let priority = self.urgent()?;
        let first = self.head(priority)?;
        self.remove(links, first, priority);
        Some((first, priority))
    }

    /// Takes out `first`, the head of the entities of `priority`, and puts `id`, a ring of its
    /// own, after its equals; `first` is then a ring of its own. Returns the new head.
    #[inline(always)]
    pub fn exchange(
        &self,
        links: &impl Links<Id = Id>,
        first: Id,
        id: Id,
        priority: Priority,
    ) -> Id {
        let behind = links.next(first);
        if behind == first {
            self.heads[slot(priority)].set(Some(id));
            return id;
        }
        links.take_place(id, first);
        self.heads[slot(priority)].set(Some(behind));
        behind
    }

    /// Puts `id`, a ring of its own, in the place of `first`, the head of the entities of
    /// `priority`; `first` is then a ring of its own.
    #[inline(always)]
    pub fn replace(&self, links: &impl Links<Id = Id>, first: Id, id: Id, priority: Priority) {
        if !links.is_alone(first) {
            links.take_place(id, first);
        }
        self.heads[slot(priority)].set(Some(id));
    }

    /// Puts `first`, which is at the [`ReadyQueue::top`] at `priority`, to the more urgent priority
    /// `new`, where it is alone.
    #[inline(always)]
    pub fn raise(&self, links: &impl Links<Id = Id>, first: Id, priority: Priority, new: Priority) {
        let level = slot(priority);
        let next = links.next(first);
        if next == first {
            self.heads[level].set(None);
            self.occupied.take_out(level);
        } else {
            links.leave(first);
            self.heads[level].set(Some(next));
        }
        self.occupy(slot(new), first);
    }

    /// Puts the first of the entities of `priority` after its equals and returns the new first.
    #[inline(always)]
    pub fn rotate(&self, links: &impl Links<Id = Id>, priority: Priority) -> Option<Id> {
        let level = slot(priority);
        let next = links.next(self.heads[level].get()?);
        self.heads[level].set(Some(next));
        Some(next)
    }

    /// Puts `id`, a ring of its own, after all its equals up to the first that it `goes_before`.
    /// As many steps as there are until then.
    pub fn insert(
        &self,
        links: &impl Links<Id = Id>,
        id: Id,
        priority: Priority,
        goes_before: impl Fn(Id) -> bool,
    ) {
        let level = slot(priority);
        let Some(first) = self.heads[level].get() else {
            return self.occupy(level, id);
        };
        let mut next = first;
        while !goes_before(next) {
            next = links.next(next);
            if next == first {
                return links.join_before(id, first);
            }
        }
        links.join_before(id, next);
        if next == first {
            self.heads[level].set(Some(id));
        }
    }

    /// The first that `will_do`, by priority and turn, and its priority. As many steps as there are
    /// before it.
    #[inline]
    pub fn find(
        &self,
        links: &impl Links<Id = Id>,
        mut will_do: impl FnMut(Id) -> bool,
    ) -> Option<(Id, Priority)> {
        let rest = self.occupied.clone();
        while let Some(priority) = rest.urgent() {
            let first = self.head(priority)?;
            let mut next = first;
            loop {
                if will_do(next) {
                    return Some((next, priority));
                }
                next = links.next(next);
                if next == first {
                    break;
                }
            }
            rest.take_out(slot(priority));
        }
        None
    }

    /// Takes over the entities of `other`, which is empty afterwards; this queue is empty before.
    /// Constant number of steps.
    pub fn take_over(&self, other: &Self) {
        self.occupied.take_over(&other.occupied);
        for (head, others) in self.heads.iter().zip(&other.heads[..Priority::COUNT]) {
            head.set(others.take());
        }
    }

    /// Visits all, by priority and turn. As many steps as there are.
    pub fn for_each(&self, links: &impl Links<Id = Id>, mut visit: impl FnMut(Id)) {
        for head in &self.heads[..Priority::COUNT] {
            let Some(first) = head.get() else { continue };
            let mut next = first;
            loop {
                visit(next);
                next = links.next(next);
                if next == first {
                    break;
                }
            }
        }
    }

    #[inline(always)]
    fn occupy(&self, level: usize, id: Id) {
        self.heads[level].set(Some(id));
        self.occupied.put_in(level);
    }
}
