//! Owns: arrays of which an index is taken modulo their length.
//! Must never know: what is in them.

use core::ops::{Index, IndexMut};

/// `N` things, `N` a power of two. All indices come from a description that was checked, or from
/// the machine's own processors: what is out of range is a mistake of the hypervisor's, which tests
/// with debug assertions find. In an image the modulus, one instruction, takes the place of a
/// comparison and a panic at each use.
#[repr(transparent)]
pub(crate) struct Table<T, const N: usize>(pub(crate) [T; N]);

impl<T, const N: usize> Index<usize> for Table<T, N> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        at(&self.0, index)
    }
}

impl<T, const N: usize> IndexMut<usize> for Table<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < N, "{index} of {N}");
        &mut self.0[index % N]
    }
}

/// The element at `index` of `all`, as in a [`Table`].
#[inline(always)]
pub(crate) fn at<T, const N: usize>(all: &[T; N], index: usize) -> &T {
    const { assert!(N.is_power_of_two()) };
    debug_assert!(index < N, "{index} of {N}");
    &all[index % N]
}
