//! Owns: chains of records of a table, linked by their indices.
//! Must never know: what the records are, or in which order they belong.
//!
//! Each operation takes a fixed number of steps. A record can be in one chain of
//! each kind `CHAIN` at a time; who is in one is for the caller to know.

const NONE: u16 = u16::MAX;

/// How many records of a table can be in chains.
pub(crate) const CAPACITY: usize = NONE as usize;

/// The neighbours of a record in a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    next: u16,
    previous: u16,
}

impl Link {
    /// In no chain.
    pub(crate) const ALONE: Self = Self {
        next: NONE,
        previous: NONE,
    };
}

/// A record that can be in a chain of the kind `CHAIN`.
pub(crate) trait Linked<const CHAIN: usize> {
    /// Its link.
    fn link(&self) -> &Link;
    /// Its link, to be changed.
    fn link_mut(&mut self) -> &mut Link;
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

    /// The record behind `index`.
    pub(crate) fn next<T: Linked<CHAIN>>(table: &[T], index: usize) -> Option<usize> {
        some(table[index].link().next)
    }

    /// Puts `index`, which is in no chain of this kind, before `other`; none: at the end.
    pub(crate) fn insert_before<T: Linked<CHAIN>>(
        &mut self,
        table: &mut [T],
        index: usize,
        other: Option<usize>,
    ) {
        let next = other.map_or(NONE, |other| other as u16);
        let previous = match other {
            Some(other) => table[other].link().previous,
            None => self.last,
        };
        *table[index].link_mut() = Link { next, previous };
        match some(previous) {
            Some(previous) => table[previous].link_mut().next = index as u16,
            None => self.first = index as u16,
        }
        match other {
            Some(other) => table[other].link_mut().previous = index as u16,
            None => self.last = index as u16,
        }
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
        let Link { next, previous } = *table[index].link();
        match some(previous) {
            Some(previous) => table[previous].link_mut().next = next,
            None => self.first = next,
        }
        match some(next) {
            Some(next) => table[next].link_mut().previous = previous,
            None => self.last = previous,
        }
        *table[index].link_mut() = Link::ALONE;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    impl Linked<0> for Link {
        fn link(&self) -> &Link {
            self
        }
        fn link_mut(&mut self) -> &mut Link {
            self
        }
    }

    fn chained(chain: &Chain<0>, table: &[Link]) -> Vec<usize> {
        core::iter::successors(chain.first(), |&index| Chain::<0>::next(table, index)).collect()
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
            assert_eq!(chained(&chain, &table), model);
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
        assert_eq!(chained(&chain, &table), [0, 1, 2]);
    }
}
