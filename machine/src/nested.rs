//! The mask, entered more than once: what other libraries take for their critical sections.
//!
//! Owns: how deep it is entered, and what the outermost entry masked. Must never know: who enters it.

#![expect(unsafe_code, reason = "a static that the section itself guards")]

use crate::Machine;
use core::cell::Cell;

/// A section without interrupts up to the kernel's level, which nests; for one processor. No call of the kernel may be made in one.
#[derive(Debug)]
pub struct NestedSection<M: Machine> {
    depth: Cell<u32>,
    mask: Cell<Option<M::Mask>>,
}

// SAFETY: the cells are read and written while interrupts are masked, on the one processor; but for `depth`, which is not zero exactly
// while its reader itself is inside: nobody else runs then.
unsafe impl<M: Machine> Sync for NestedSection<M> {}

impl<M: Machine> NestedSection<M> {
    /// One that nobody has entered. A machine with several processors is refused when this is compiled: the mask of one does not keep
    /// the others out without the kernel's lock.
    pub const fn new() -> Self {
        const {
            assert!(
                M::PROCESSORS == 1,
                "critical sections that nest are for one processor"
            )
        };
        Self {
            depth: Cell::new(0),
            mask: Cell::new(None),
        }
    }

    /// Enters it. In a thread, or a handler at the kernel's level. Bound: fixed.
    pub fn acquire(&self) {
        if self.depth.get() == 0 {
            self.mask.set(Some(M::mask()));
        }
        self.depth.set(self.depth.get() + 1);
    }

    /// Leaves it. Says whether that was the outermost entry: then `last` has been called just before interrupts were let through.
    ///
    /// # Safety
    /// The caller has entered it, and not left it since.
    pub unsafe fn release(&self, last: impl FnOnce()) -> bool {
        let depth = self.depth.get().saturating_sub(1);
        if depth > 0 {
            self.depth.set(depth);
            return false;
        }
        last();
        let mask = self.mask.take();
        self.depth.set(0);
        if let Some(mask) = mask {
            M::unmask(mask);
        }
        true
    }

    /// Whether the caller is inside.
    pub fn is_held(&self) -> bool {
        self.depth.get() > 0
    }
}

impl<M: Machine> Default for NestedSection<M> {
    fn default() -> Self {
        Self::new()
    }
}
