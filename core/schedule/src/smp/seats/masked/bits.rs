//! Owns: the processors of an instance as the bits of a word. Must never know: which they are.

use crate::CpuSet;

/// A set of processors with numbers below some power of two.
pub trait Bits: Copy {
    /// No processor.
    const NONE: Self;
    /// The set with `cpu`.
    #[must_use]
    fn with(self, cpu: usize) -> Self;
    /// The set without `cpu`.
    #[must_use]
    fn without(self, cpu: usize) -> Self;
    /// Whether `cpu` is in the set.
    fn has(self, cpu: usize) -> bool;
    /// The lowest number in the set; any number that is above all where there is none.
    fn lowest(self) -> usize;
    /// The set in the form of others.
    fn set(self) -> CpuSet;
}

/// Implements `Bits` for a word.
macro_rules! bits {
    ($word:ty) => {
        impl Bits for $word {
            const NONE: Self = 0;

            #[inline(always)]
            fn with(self, cpu: usize) -> Self {
                self | 1 << (cpu % Self::BITS as usize)
            }

            #[inline(always)]
            fn without(self, cpu: usize) -> Self {
                self & !(1 << (cpu % Self::BITS as usize))
            }

            #[inline(always)]
            fn has(self, cpu: usize) -> bool {
                self & 1 << (cpu % Self::BITS as usize) != 0
            }

            #[inline(always)]
            fn lowest(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn set(self) -> CpuSet {
                CpuSet::from_bits(self.into())
            }
        }
    };
}

bits!(u8);
bits!(u64);
