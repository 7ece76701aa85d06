//! Owns: a set of priorities, which finds the most urgent one in it. Must never know: who has them.

use crate::Priority;

/// A bit a priority.
#[cfg(not(feature = "priorities-63"))]
type Bits = u32;
#[cfg(feature = "priorities-63")]
type Bits = u64;

/// Whether the most urgent priority has the lowest bit of the word: where the processor counts neither leading nor trailing
/// zeros, as RISC-V without the extension Zbb, the lowest bit is the one that is found by one multiplication and one table; to
/// find the highest takes a dozen steps more. Arm counts leading zeros in one instruction, trailing ones in two.
pub(crate) const LOWEST_FIRST: bool = cfg!(all(
    any(target_arch = "riscv32", target_arch = "riscv64"),
    not(target_feature = "zbb")
));

/// A set of priorities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Levels<const LOWEST_FIRST: bool>(Bits);

impl<const LOWEST_FIRST: bool> Levels<LOWEST_FIRST> {
    /// No priority. Where the word has a bit more than there are priorities, that is set: so the place of the idle entity is
    /// found in either case.
    pub const EMPTY: Self = Self(if (Bits::BITS as usize) > Priority::COUNT {
        Self::bit(Priority::COUNT)
    } else {
        0
    });

    const fn bit(level: usize) -> Bits {
        if LOWEST_FIRST {
            1 << level
        } else {
            (1 << (Bits::BITS - 1)) >> level
        }
    }

    /// The level of the most urgent priority; that of the idle entity where there is none.
    #[inline(always)]
    pub const fn first(self) -> usize {
        if LOWEST_FIRST {
            self.0.trailing_zeros() as usize
        } else {
            self.0.leading_zeros() as usize
        }
    }

    /// The most urgent priority.
    #[inline(always)]
    pub const fn urgent(self) -> Option<Priority> {
        // Not by the level: the compiler then knows that there is a bit, and need not ask again.
        if self.0 == Self::EMPTY.0 {
            None
        } else {
            Some(Priority::from_stored(self.first() as u8))
        }
    }

    /// The set with the priority of that level.
    #[inline(always)]
    #[must_use]
    pub const fn with(self, level: usize) -> Self {
        Self(self.0 | Self::bit(level))
    }

    /// The set without the priority of that level.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, level: usize) -> Self {
        Self(self.0 & !Self::bit(level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn follows<const LOWEST_FIRST: bool>() {
        let mut levels = Levels::<LOWEST_FIRST>::EMPTY;
        let mut model = BTreeSet::new();
        let steps = (0..4 * Priority::COUNT).map(|step| step * 13 % Priority::COUNT);
        for (step, level) in steps.enumerate() {
            if step % 3 == 2 {
                levels = levels.without(level);
                model.remove(&level);
            } else {
                levels = levels.with(level);
                model.insert(level);
            }
            check(levels, &model);
        }
        while let Some(level) = model.pop_first() {
            levels = levels.without(level);
            check(levels, &model);
        }
    }

    fn check<const LOWEST_FIRST: bool>(levels: Levels<LOWEST_FIRST>, model: &BTreeSet<usize>) {
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
