//! Owns: which partition has which address space, on machines that have tables for each.
//! Must never know: what tables are like.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The address spaces of partitions, which are numbered from 1. What was given is never taken back, so a number never means
/// another map.
pub struct Spaces<const N: usize>([Space; N]);

struct Space {
    /// By what the partition is known: an address; 0 while nobody has the space.
    owner: AtomicUsize,
    /// The address of the root of its tables: 0 before there are any, [`Space::CANNOT_BE`] where there cannot be.
    root: AtomicUsize,
}

impl Space {
    const CANNOT_BE: usize = usize::MAX;
}

impl<const N: usize> Spaces<N> {
    /// Nobody has one.
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

    /// The number of the space of `owner`, an address, and that of the root of its tables, which `make` makes at the first time. None where
    /// there is no space more, or where it made none.
    pub fn find(
        &self,
        owner: usize,
        make: impl FnOnce() -> Option<usize>,
    ) -> Option<(usize, usize)> {
        let place = self.0.iter().position(|space| is_of(space, owner))?;
        let root = &self.0[place].root;
        if root.load(Relaxed) == 0 {
            root.store(make().unwrap_or(Space::CANNOT_BE), Relaxed);
        }
        match root.load(Relaxed) {
            Space::CANNOT_BE => None,
            root => Some((place + 1, root)),
        }
    }
}

/// Whether `space` is the owner's, which takes a free one.
fn is_of(space: &Space, owner: usize) -> bool {
    let taken = space.owner.compare_exchange(0, owner, Relaxed, Relaxed);
    taken.is_ok() || taken == Err(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_has_a_space_of_its_own_and_keeps_it() {
        let spaces = Spaces::<2>::new();
        assert_eq!(spaces.find(0x1000, || Some(0x80)), Some((1, 0x80)));
        assert_eq!(spaces.find(0x2000, || Some(0x90)), Some((2, 0x90)));
        // Made once.
        assert_eq!(spaces.find(0x1000, || Some(0xA0)), Some((1, 0x80)));
        assert_eq!(spaces.find(0x3000, || Some(0xB0)), None);
    }

    #[test]
    fn who_can_have_no_tables_is_not_asked_again() {
        let spaces = Spaces::<2>::new();
        assert_eq!(spaces.find(0x1000, || None), None);
        assert_eq!(spaces.find(0x1000, || Some(0x80)), None);
    }
}
