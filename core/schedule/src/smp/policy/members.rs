//! Owns: threads as members of heaps. Must never know: what a heap is for.

use core::num::NonZeroU16;

/// Names a thread in a heap: its row + 1, so that "none" takes no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member(NonZeroU16);

impl Member {
    #[inline(always)]
    pub fn new(id: u16) -> Option<Self> {
        NonZeroU16::new(id.wrapping_add(1)).map(Self)
    }

    #[inline(always)]
    pub(crate) const fn id(self) -> u16 {
        self.0.get() - 1
    }
}
