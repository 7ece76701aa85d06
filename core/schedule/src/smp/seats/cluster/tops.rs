//! Owns: the last seat of many. Must never know: the owners of seats.
//!
//! A tournament: of four keys the greatest is kept, of four of these the greatest again. It is
//! played when the last seat is searched for, and only the matches in which a key may have changed
//! since: nine comparisons for one key, 63 at most.

use super::key::Key;
use core::cell::Cell;

/// A summary of the keys of an instance's seats, to find the last one.
pub trait Tops<K> {
    /// That of keys that are none's.
    const NONE: Self;
    /// All keys are none's.
    fn clear(&self) {}
    /// The seat of `cpu` has another key.
    fn renew(&self, cpu: usize);
    /// The key of the last seat, where these are the keys of all.
    fn last<const N: usize>(&self, keys: &[Cell<K>; N]) -> K;
    /// The processor of the seat that has the key that [`Tops::last`] answered last.
    fn place<const N: usize>(&self, keys: &[Cell<K>; N]) -> usize;
}

/// For eight seats, which are all checked.
impl<K: Key> Tops<K> for () {
    const NONE: Self = ();
    #[inline(always)]
    fn renew(&self, _: usize) {}
    #[inline(always)]
    fn last<const N: usize>(&self, _: &[Cell<K>; N]) -> K {
        K::NONE
    }
    fn place<const N: usize>(&self, _: &[Cell<K>; N]) -> usize {
        0
    }
}

/// How many are compared at a time.
const WIDTH: usize = 4;

/// For 64 seats.
pub struct Tournament<K> {
    of_four: [Cell<K>; WIDTH * WIDTH],
    of_sixteen: [Cell<K>; WIDTH],
    of_all: Cell<K>,
    /// A bit for each of the fours of which a key may have changed.
    changed: Cell<u16>,
}

/// The greatest of the keys in the group `of`, of [`WIDTH`] each.
#[inline(always)]
fn greatest<K: Key, const N: usize>(keys: &[Cell<K>; N], of: usize) -> K {
    let (groups, _) = keys.as_chunks::<WIDTH>();
    let [one, two, three, four] = &groups[of % groups.len()];
    one.get().max(two.get()).max(three.get().max(four.get()))
}

/// The place of `key`, which is one of those in the group `of`.
#[inline(always)]
fn place_in<K: Key, const N: usize>(keys: &[Cell<K>; N], of: usize, key: K) -> usize {
    let (groups, _) = keys.as_chunks::<WIDTH>();
    let group = &groups[of % groups.len()];
    of * WIDTH + group.iter().position(|one| one.get() == key).unwrap_or(0)
}

impl<K: Key> Tops<K> for Tournament<K> {
    const NONE: Self = Self {
        of_four: [const { Cell::new(K::NONE) }; WIDTH * WIDTH],
        of_sixteen: [const { Cell::new(K::NONE) }; WIDTH],
        of_all: Cell::new(K::NONE),
        changed: Cell::new(0),
    };

    fn clear(&self) {
        self.changed.set(u16::MAX);
    }

    #[inline(always)]
    fn renew(&self, cpu: usize) {
        let four = cpu / WIDTH % self.of_four.len();
        self.changed.set(self.changed.get() | 1 << four);
    }

    #[inline(always)]
    fn last<const N: usize>(&self, keys: &[Cell<K>; N]) -> K {
        let mut changed = self.changed.replace(0);
        if changed == 0 {
            return self.of_all.get();
        }
        while changed != 0 {
            let sixteen = changed.trailing_zeros() as usize / WIDTH % WIDTH;
            for four in sixteen * WIDTH..(sixteen + 1) * WIDTH {
                if changed & 1 << four != 0 {
                    self.of_four[four].set(greatest(keys, four));
                }
            }
            changed &= !(0b1111 << (sixteen * WIDTH));
            self.of_sixteen[sixteen].set(greatest(&self.of_four, sixteen));
        }
        let last = greatest(&self.of_sixteen, 0);
        self.of_all.set(last);
        last
    }

    fn place<const N: usize>(&self, keys: &[Cell<K>; N]) -> usize {
        let last = self.of_all.get();
        let sixteen = place_in(&self.of_sixteen, 0, last);
        let four = place_in(&self.of_four, sixteen, last);
        place_in(keys, four, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys are set at random, and made none's: the last seat is what a search finds.
    #[test]
    fn the_last_is_what_a_search_finds() {
        let keys = [const { Cell::new(<u128 as Key>::NONE) }; 64];
        let tops = Tournament::<u128>::NONE;
        assert_eq!(tops.last(&keys), <u128 as Key>::NONE);
        let mut state = taktos_random::seed();
        for round in 0..4_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let cpu = (state >> 40) as usize % keys.len();
            let key = match state >> 60 {
                0 => <u128 as Key>::NONE,
                _ => <u128 as Key>::new(state >> 50 & 15, round * <u128 as Key>::TURN).at(cpu),
            };
            keys[cpu].set(key);
            tops.renew(cpu);
            // Now and then several keys change before the last seat is searched for.
            if state >> 30 & 3 != 0 {
                continue;
            }
            let last = keys.iter().map(Cell::get).max();
            assert_eq!(Some(tops.last(&keys)), last, "round {round}");
            assert_eq!(Some(keys[tops.place(&keys)].get()), last, "round {round}");
        }
        keys.iter().for_each(|key| key.set(<u128 as Key>::NONE));
        tops.clear();
        assert_eq!(tops.last(&keys), <u128 as Key>::NONE);
    }
}
