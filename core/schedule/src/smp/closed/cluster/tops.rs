//! Owns: the last seat of many. Must never know: who has a seat.
//!
//! A tournament: of four keys the greatest is kept, of four of these the greatest again. So a seat that has another key
//! takes eight comparisons, and the last seat four, however many there are.

use super::key::Key;
use core::cell::Cell;

/// A summary of the keys of an instance's seats, to find the last one.
pub trait Tops<K> {
    /// That of keys that are none's.
    const NONE: Self;
    /// All keys are none's.
    fn clear(&self) {}
    /// The seat of `cpu` has another key.
    fn renew<const N: usize>(&self, keys: &[Cell<K>; N], cpu: usize);
    /// The key of the last seat.
    fn last(&self) -> K;
}

/// For eight seats, which are all looked at.
impl<K: Key> Tops<K> for () {
    const NONE: Self = ();
    #[inline(always)]
    fn renew<const N: usize>(&self, _: &[Cell<K>; N], _: usize) {}
    #[inline(always)]
    fn last(&self) -> K {
        K::NONE
    }
}

/// How many are compared at a time.
const WIDTH: usize = 4;

/// For 64 seats.
pub struct Tournament<K> {
    of_four: [Cell<K>; WIDTH * WIDTH],
    of_sixteen: [Cell<K>; WIDTH],
}

/// The greatest of the keys in the group `of`, of [`WIDTH`] each.
#[inline(always)]
fn greatest<K: Key, const N: usize>(keys: &[Cell<K>; N], of: usize) -> K {
    let (groups, _) = keys.as_chunks::<WIDTH>();
    let [one, two, three, four] = &groups[of % groups.len()];
    one.get().max(two.get()).max(three.get().max(four.get()))
}

impl<K: Key> Tops<K> for Tournament<K> {
    const NONE: Self = Self {
        of_four: [const { Cell::new(K::NONE) }; WIDTH * WIDTH],
        of_sixteen: [const { Cell::new(K::NONE) }; WIDTH],
    };

    fn clear(&self) {
        for key in self.of_four.iter().chain(&self.of_sixteen) {
            key.set(K::NONE);
        }
    }

    #[inline(always)]
    fn renew<const N: usize>(&self, keys: &[Cell<K>; N], cpu: usize) {
        let four = cpu / WIDTH % self.of_four.len();
        self.of_four[four].set(greatest(keys, four));
        self.of_sixteen[four / WIDTH].set(greatest(&self.of_four, four / WIDTH));
    }

    #[inline(always)]
    fn last(&self) -> K {
        greatest(&self.of_sixteen, 0)
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
        assert_eq!(tops.last(), <u128 as Key>::NONE);
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
            tops.renew(&keys, cpu);
            let last = keys.iter().map(Cell::get).max();
            assert_eq!(Some(tops.last()), last, "round {round}");
        }
        tops.clear();
        assert_eq!(tops.last(), <u128 as Key>::NONE);
    }
}
