//! Owns: a set of priorities, which finds the most urgent one in it. Must never know: the threads
//! that have them.

use crate::Priority;
use core::cell::Cell;
use core::sync::atomic::{Ordering, compiler_fence};

/// A bit a priority: where there are more of them than a word of the processor has bits, they are
/// in several words, of which one is touched at a time. To shift two words as one takes a dozen
/// steps, and registers that a decision would have to save.
#[cfg(not(all(feature = "priorities-63", target_pointer_width = "64")))]
type Bits = u32;
#[cfg(all(feature = "priorities-63", target_pointer_width = "64"))]
type Bits = u64;

const BITS: usize = Bits::BITS as usize;
const WORDS: usize = Priority::COUNT.div_ceil(BITS);

/// Whether the most urgent priority has the lowest bit of the word: where the processor counts
/// neither leading nor trailing zeros, as RISC-V without the extension Zbb, the lowest bit is the
/// one that is found by one multiplication and one table; to find the highest takes a dozen steps
/// more. Arm counts leading zeros in one instruction, trailing ones in two.
pub(crate) const LOWEST_FIRST: bool = cfg!(all(
    any(target_arch = "riscv32", target_arch = "riscv64"),
    not(target_feature = "zbb")
));

/// A set of priorities.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Levels<const LOWEST_FIRST: bool>([Cell<Bits>; WORDS]);

impl<const LOWEST_FIRST: bool> Levels<LOWEST_FIRST> {
    /// No priority. If the words have a bit more than there are priorities, that is set: so the
    /// place of the idle entity is found in either case.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const EMPTY: Self = {
        let mut words = [const { Cell::new(0) }; WORDS];
        if BITS * WORDS > Priority::COUNT {
            words[WORDS - 1] = Cell::new(Self::OF_IDLE);
        }
        Self(words)
    };

    /// The last word of an empty set.
    const OF_IDLE: Bits = if BITS * WORDS > Priority::COUNT {
        Self::bit(Priority::COUNT)
    } else {
        0
    };

    /// The bit of a level in its word.
    const fn bit(level: usize) -> Bits {
        if LOWEST_FIRST {
            1 << (level % BITS)
        } else {
            (1 << (BITS - 1)) >> (level % BITS)
        }
    }

    /// Keeps the compiler from computing which word it is before all above is stored, which takes a
    /// register more than a decision has without saving any. No instruction.
    #[inline(always)]
    fn begin() {
        if WORDS > 1 {
            compiler_fence(Ordering::SeqCst);
        }
    }

    /// The word that has the bit of a level, which is below the bits of all words: to say so spares
    /// the check.
    #[inline(always)]
    const fn word(&self, level: usize) -> &Cell<Bits> {
        &self.0[level / BITS % self.0.len()]
    }

    /// Returns the place of the most urgent bit of a word; the place after all if there is none.
    #[inline(always)]
    const fn first_of(word: Bits) -> usize {
        if LOWEST_FIRST {
            word.trailing_zeros() as usize
        } else {
            word.leading_zeros() as usize
        }
    }

    /// The level of the most urgent priority; that of the idle entity where there is none.
    #[inline(always)]
    pub fn first(&self) -> usize {
        let [others @ .., last] = &self.0;
        for (number, word) in others.iter().enumerate() {
            if word.get() != 0 {
                return number * BITS + Self::first_of(word.get());
            }
        }
        let level = others.len() * BITS + Self::first_of(last.get());
        // Some bit of the last of several words is always set: to say that no number is above them
        // all spares the check, too.
        if others.is_empty() {
            level
        } else {
            level % (BITS * WORDS)
        }
    }

    /// The most urgent priority.
    #[inline(always)]
    pub fn urgent(&self) -> Option<Priority> {
        // Not by the level: the compiler then knows that there is a bit, and need not check again.
        let [others @ .., last] = &self.0;
        if others.iter().all(|word| word.get() == 0) && last.get() == Self::OF_IDLE {
            None
        } else {
            Some(Priority::from_stored(self.first() as u8))
        }
    }

    /// Puts in the priority of that level.
    #[inline(always)]
    pub fn put_in(&self, level: usize) {
        Self::begin();
        let word = self.word(level);
        word.set(word.get() | Self::bit(level));
    }

    /// Takes out the priority of that level.
    #[inline(always)]
    pub fn take_out(&self, level: usize) {
        Self::begin();
        let word = self.word(level);
        word.set(word.get() & !Self::bit(level));
    }

    /// Takes over the priorities of `other`, which is empty afterwards.
    pub fn take_over(&self, other: &Self) {
        for ((word, from), empty) in self.0.iter().zip(&other.0).zip(Self::EMPTY.0) {
            word.set(from.replace(empty.get()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn follows<const LOWEST_FIRST: bool>() {
        let levels = Levels::<LOWEST_FIRST>::EMPTY;
        let mut model = BTreeSet::new();
        let steps = (0..4 * Priority::COUNT).map(|step| step * 13 % Priority::COUNT);
        for (step, level) in steps.enumerate() {
            if step % 3 == 2 {
                levels.take_out(level);
                model.remove(&level);
            } else {
                levels.put_in(level);
                model.insert(level);
            }
            check(&levels, &model);
        }
        while let Some(level) = model.pop_first() {
            levels.take_out(level);
            check(&levels, &model);
        }
    }

    fn check<const LOWEST_FIRST: bool>(levels: &Levels<LOWEST_FIRST>, model: &BTreeSet<usize>) {
        let first = model.first().copied();
        assert_eq!(levels.first(), first.unwrap_or(Priority::COUNT));
        assert_eq!(
            levels.urgent(),
            first.and_then(|first| Priority::new(first as u8))
        );
    }

    #[test]
    fn the_highest_bit_first() {
        follows::<false>();
    }

    #[test]
    fn the_lowest_bit_first() {
        follows::<true>();
    }
}
