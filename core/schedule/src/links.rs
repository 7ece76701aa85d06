//! Owns: rings of entities. The caller stores their links.

/// Where the links of entities are kept: two for each entity.
///
/// The kernel keeps them in its thread control blocks, the simulator in a table;
/// the policies are the same code over either.
pub trait Links {
    /// Names an entity.
    type Id: Copy + Eq;
    /// Returns the entity after `id` in its ring.
    fn next(&self, id: Self::Id) -> Self::Id;
    /// The entity before `id` in its ring.
    fn previous(&self, id: Self::Id) -> Self::Id;
    /// Makes `next` the entity after `id`; the way back is set apart.
    fn set_next(&self, id: Self::Id, next: Self::Id);
    /// Makes `previous` the entity before `id`; the way forth is set apart.
    fn set_previous(&self, id: Self::Id, previous: Self::Id);
}

/// Operations on rings: an entity that is in no other company is a ring of its own.
///
/// Each takes a fixed number of steps.
pub trait Ring: Links {
    /// Whether `id` is alone in its ring.
    #[inline(always)]
    fn is_alone(&self, id: Self::Id) -> bool {
        self.next(id) == id
    }

    /// Makes `id` a ring of its own, whatever its links were.
    #[inline(always)]
    fn make_alone(&self, id: Self::Id) {
        self.set_next(id, id);
        self.set_previous(id, id);
    }

    /// Puts `id`, a ring of its own, directly before `other`.
    #[inline(always)]
    fn join_before(&self, id: Self::Id, other: Self::Id) {
        let last = self.previous(other);
        self.set_next(last, id);
        self.set_previous(id, last);
        self.set_next(id, other);
        self.set_previous(other, id);
    }

    /// Puts `id`, a ring of its own, directly after `other`.
    #[inline(always)]
    fn join_behind(&self, id: Self::Id, other: Self::Id) {
        let next = self.next(other);
        self.set_next(id, next);
        self.set_previous(id, other);
        self.set_previous(next, id);
        self.set_next(other, id);
    }

    /// Puts `id`, a ring of its own, in the place of `other`, which is not alone; that one is then
    /// a ring of its own.
    #[inline(always)]
    fn take_place(&self, id: Self::Id, other: Self::Id) {
        let next = self.next(other);
        let previous = self.previous(other);
        self.set_next(previous, id);
        self.set_previous(id, previous);
        self.set_next(id, next);
        self.set_previous(next, id);
        self.make_alone(other);
    }

    /// Takes `id` out of its ring; it is then a ring of its own.
    #[inline(always)]
    fn leave(&self, id: Self::Id) {
        let next = self.next(id);
        let previous = self.previous(id);
        self.set_next(previous, next);
        self.set_previous(next, previous);
        self.make_alone(id);
    }
}

impl<L: Links> Ring for L {}
