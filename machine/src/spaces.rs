//! Owns: which partition has which address space, and which tables, on machines that have tables
//! for each. Must never know: what tables are like.

use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

/// The address spaces of partitions, which are numbered from 1. One that has tables is never taken
/// back, so a number never means another map.
pub struct Spaces<const N: usize>([Space; N]);

struct Space {
    /// The address by which the partition is known; 0 while no partition has the space.
    owner: AtomicUsize,
    /// The address of the root of its tables: 0 before there are any.
    root: AtomicUsize,
}

impl<const N: usize> Spaces<N> {
    /// Creates spaces that no partition has.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self(
            [const {
                Space {
                    owner: AtomicUsize::new(0),
                    root: AtomicUsize::new(0),
                }
            }; N],
        )
    }

    /// Returns the number of the space of `owner`, an address, and that of the root of its tables,
    /// which `make` makes for that number at the first time. None if there is no space more, or if
    /// `make` made none: then no partition has the space. One owner is looked for by one thread at
    /// a time.
    pub fn find(
        &self,
        owner: usize,
        make: impl FnOnce(usize) -> Option<usize>,
    ) -> Option<(usize, usize)> {
        let place = self.place_of(owner).or_else(|| self.take(owner))?;
        let space = &self.0[place];
        let root = match space.root.load(Relaxed) {
            0 => make(place + 1),
            made => Some(made),
        };
        match root {
            Some(root) => space.root.store(root, Relaxed),
            None => space.owner.store(0, Relaxed),
        }
        Some((place + 1, root?))
    }

    fn place_of(&self, owner: usize) -> Option<usize> {
        let mut spaces = self.0.iter();
        spaces.position(|space| space.owner.load(Relaxed) == owner)
    }

    fn take(&self, owner: usize) -> Option<usize> {
        self.0.iter().position(|space| {
            let taken = space.owner.compare_exchange(0, owner, Relaxed, Relaxed);
            taken.is_ok()
        })
    }
}

/// Which of `N` tables the address spaces have, by the numbers of these. A map that cannot be made
/// whole gives back what it has.
pub struct Holders<const N: usize>([AtomicU8; N]);

impl<const N: usize> Holders<N> {
    /// Creates tables that no space has.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self([const { AtomicU8::new(0) }; N])
    }

    /// Takes a table that no space has, for the space `number`: its place. None if there is none.
    pub fn take(&self, number: usize) -> Option<usize> {
        self.0.iter().position(|holder| {
            let taken = holder.compare_exchange(0, number as u8, Relaxed, Relaxed);
            taken.is_ok()
        })
    }

    /// The space `number` has none any more. No processor may have been led to one of them.
    pub fn give_back(&self, number: usize) {
        for holder in &self.0 {
            if holder.load(Relaxed) == number as u8 {
                holder.store(0, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_has_a_space_of_its_own_and_keeps_it() {
        let spaces = Spaces::<2>::new();
        assert_eq!(spaces.find(0x1000, |_| Some(0x80)), Some((1, 0x80)));
        assert_eq!(spaces.find(0x2000, |_| Some(0x90)), Some((2, 0x90)));
        // Made once.
        assert_eq!(spaces.find(0x1000, |_| Some(0xA0)), Some((1, 0x80)));
        assert_eq!(spaces.find(0x3000, |_| Some(0xB0)), None);
    }

    #[test]
    fn a_partition_that_can_have_no_tables_keeps_no_space() {
        let spaces = Spaces::<2>::new();
        assert_eq!(spaces.find(0x1000, |_| Some(0x80)), Some((1, 0x80)));
        for owner in 2..10 {
            assert_eq!(spaces.find(owner, |_| None), None);
        }
        let numbered = |number| Some(number << 8);
        assert_eq!(spaces.find(0x2000, numbered), Some((2, 0x200)));
        assert_eq!(spaces.find(0x1000, numbered), Some((1, 0x80)));
    }

    #[test]
    fn an_owner_behind_a_free_space_is_found() {
        let spaces = Spaces::<2>::new();
        let second = |_| {
            assert_eq!(spaces.find(0x2000, |_| Some(0x90)), Some((2, 0x90)));
            None
        };
        assert_eq!(spaces.find(0x1000, second), None);
        assert_eq!(spaces.find(0x2000, |_| Some(0xA0)), Some((2, 0x90)));
    }

    #[test]
    fn tables_that_are_given_back_can_be_taken_again_and_others_stay() {
        let holders = Holders::<3>::new();
        assert_eq!(holders.take(1), Some(0));
        assert_eq!(holders.take(2), Some(1));
        assert_eq!(holders.take(1), Some(2));
        assert_eq!(holders.take(3), None);
        holders.give_back(1);
        assert_eq!(holders.take(3), Some(0));
        assert_eq!(holders.take(3), Some(2));
        assert_eq!(holders.take(3), None);
    }
}
