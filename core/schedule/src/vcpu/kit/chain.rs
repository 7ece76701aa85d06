//! Owns: chains of records of a table, linked by their indices.
//! Must never know: the content of the records, or the order in which they belong.
//!
//! Each operation takes a fixed number of steps. A record can be in one chain of each kind `CHAIN`
//! at a time; the caller must know which records are in one.

use super::Steps;

const NONE: u16 = u16::MAX;

/// How many records of a table can be in chains.
pub(crate) const CAPACITY: usize = NONE as usize;

/// The neighbours of a record in a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<N = ()> {
    next: u16,
    pub(super) previous: u16,
    /// The name of the [list](super::list::List) that it is in, for records in lists.
    pub(super) name: N,
}

impl<N> Link<N> {
    /// In no chain, with `name` for none.
    pub(super) const fn unlinked(name: N) -> Self {
        Self {
            next: NONE,
            previous: NONE,
            name,
        }
    }
}

impl Link {
    /// In no chain.
    pub(crate) const ALONE: Self = Self::unlinked(());
}

/// A record that can be in a chain of the kind `CHAIN`.
pub(crate) trait Linked<const CHAIN: usize> {
    /// The kind of name of the lists that it can be in.
    type Name;
    /// Its link.
    fn link(&self) -> &Link<Self::Name>;
    /// Its link, to be changed.
    fn link_mut(&mut self) -> &mut Link<Self::Name>;
}

/// The two ends of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain<const CHAIN: usize> {
    first: u16,
    last: u16,
}

const fn some(index: u16) -> Option<usize> {
    if index == NONE {
        None
    } else {
        Some(index as usize)
    }
}

impl<const CHAIN: usize> Chain<CHAIN> {
    /// Without records.
    pub(crate) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    /// The first record.
    pub(crate) const fn first(&self) -> Option<usize> {
        some(self.first)
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Returns the record after `index`.
    #[inline(always)]
    pub(crate) fn next<T: Linked<CHAIN>>(table: &[T], index: usize) -> Option<usize> {
        some(table[index].link().next)
    }

    /// The records from the first on.
    pub(crate) fn iter<'t, T: Linked<CHAIN>>(
        &self,
        table: &'t [T],
    ) -> impl Iterator<Item = usize> + use<'t, T, CHAIN> {
        core::iter::successors(self.first(), |&index| Self::next(table, index))
    }

    /// Returns the first record that `is_behind` the place of a new one. Each record before that
    /// place is a step.
    #[inline]
    pub(crate) fn place_of<T: Linked<CHAIN>>(
        &self,
        table: &[T],
        steps: &mut Steps,
        is_behind: impl Fn(&T) -> bool,
    ) -> Option<usize> {
        let mut at = self.first();
        while let Some(index) = at {
            if is_behind(&table[index]) {
                break;
            }
            steps.one();
            at = Self::next(table, index);
        }
        at
    }

    /// Whether forward and backward links agree.
    pub(crate) fn is_sound<T: Linked<CHAIN>>(&self, table: &[T]) -> bool {
        let mut previous = NONE;
        for (count, index) in self.iter(table).enumerate() {
            if table[index].link().previous != previous || count == table.len() {
                return false;
            }
            previous = index as u16;
        }
        self.last == previous
    }

    /// Where the record after `index` is named: in its link; none: at the chain's head.
    #[inline(always)]
    fn behind<'t, T: Linked<CHAIN>>(&'t mut self, table: &'t mut [T], index: u16) -> &'t mut u16 {
        match some(index) {
            Some(index) => &mut table[index].link_mut().next,
            None => &mut self.first,
        }
    }

    /// Where the record before `index` is named: in its link; none: at the chain's end.
    #[inline(always)]
    fn ahead<'t, T: Linked<CHAIN>>(&'t mut self, table: &'t mut [T], index: u16) -> &'t mut u16 {
        match some(index) {
            Some(index) => &mut table[index].link_mut().previous,
            None => &mut self.last,
        }
    }

    /// Puts `index`, which is in no chain of this kind, before `other`; none: at the end.
    pub(crate) fn insert_before<T: Linked<CHAIN>>(
        &mut self,
        table: &mut [T],
        index: usize,
        other: Option<usize>,
    ) {
        let next = other.map_or(NONE, |other| other as u16);
        let previous = core::mem::replace(self.ahead(table, next), index as u16);
        *self.behind(table, previous) = index as u16;
        let link = table[index].link_mut();
        (link.next, link.previous) = (next, previous);
    }

    /// Puts `index` at the end.
    pub(crate) fn push_back<T: Linked<CHAIN>>(&mut self, table: &mut [T], index: usize) {
        self.insert_before(table, index, None);
    }

    /// Puts `index` at the head.
    pub(crate) fn push_front<T: Linked<CHAIN>>(&mut self, table: &mut [T], index: usize) {
        self.insert_before(table, index, self.first());
    }

    /// Takes `index`, which is in this chain, out of it.
    pub(crate) fn remove<T: Linked<CHAIN>>(&mut self, table: &mut [T], index: usize) {
        let &Link { next, previous, .. } = table[index].link();
        *self.behind(table, previous) = next;
        *self.ahead(table, next) = previous;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    impl Linked<0> for Link {
        type Name = ();
        fn link(&self) -> &Link {
            self
        }
        fn link_mut(&mut self) -> &mut Link {
            self
        }
    }

    #[test]
    fn agrees_with_a_vector_under_random_operations() {
        let mut table = [Link::ALONE; 8];
        let mut chain = Chain::EMPTY;
        let mut model: Vec<usize> = Vec::new();
        let mut state = 1u64;
        for _ in 0..if cfg!(miri) { 500 } else { 10_000 } {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let index = (state >> 33) as usize % table.len();
            match model.iter().position(|&member| member == index) {
                Some(at) => {
                    chain.remove(&mut table, index);
                    model.remove(at);
                }
                None => {
                    let at = (state >> 40) as usize % (model.len() + 1);
                    chain.insert_before(&mut table, index, model.get(at).copied());
                    model.insert(at, index);
                }
            }
            assert_eq!(chain.iter(&table).collect::<Vec<_>>(), model);
            assert_eq!(chain.is_empty(), model.is_empty());
        }
    }

    #[test]
    fn ends() {
        let mut table = [Link::ALONE; 3];
        let mut chain = Chain::EMPTY;
        chain.push_back(&mut table, 1);
        chain.push_back(&mut table, 2);
        chain.push_front(&mut table, 0);
        assert_eq!(chain.iter(&table).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
