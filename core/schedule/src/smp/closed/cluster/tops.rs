//! Owns: the last seat of many. Must never know: who has a seat.
//!
//! A tournament: of four keys the greatest is kept, of four of these the greatest again. So a seat that has another key
//! takes eight comparisons, and the last seat four, however many there are.

use super::key::Key;
use core::cell::Cell;

/// What is kept of the keys of an instance's seats.
pub trait Tops<K> {
    /// That of keys that are none's.
    const NONE: Self;
    /// All keys are none's.
    fn clear(&self) {}
    /// The seat of `cpu` has another key.
    fn renew(&self, keys: &[Cell<K>], cpu: usize);
    /// The key of the last seat.
    fn last(&self) -> K;
}

/// For eight seats, which are all looked at.
impl<K: Key> Tops<K> for () {
    const NONE: Self = ();
    #[inline(always)]
    fn renew(&self, _: &[Cell<K>], _: usize) {}
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

/// The greatest of the keys that stand beside the one `at`.
#[inline(always)]
fn greatest<K: Key>(keys: &[Cell<K>], at: usize) -> K {
    let first = at / WIDTH * WIDTH;
    let beside = keys.get(first..first + WIDTH).unwrap_or(&[]);
    beside.iter().map(Cell::get).max().unwrap_or(K::NONE)
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

    #[inline]
    fn renew(&self, keys: &[Cell<K>], cpu: usize) {
        let four = cpu / WIDTH % self.of_four.len();
        self.of_four[four].set(greatest(keys, cpu));
        self.of_sixteen[four / WIDTH].set(greatest(&self.of_four, four));
    }

    #[inline]
    fn last(&self) -> K {
        greatest(&self.of_sixteen, 0)
    }
}
