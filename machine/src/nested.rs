//! The mask, entered more than once: the critical sections of other libraries.
//!
//! Owns: the depth of entries, and the state that the outermost entry masked. Must never know: the
//! code that enters it.

#![expect(unsafe_code, reason = "a static that the section itself guards")]

use crate::Machine;
use core::cell::Cell;
use core::marker::PhantomData;

/// A section without interrupts up to the kernel's level, which nests; for one processor. No call
/// of the kernel may be made in one.
///
/// It may be entered wherever a program is: its end makes the mask what it was at the outermost
/// entry. So a section that a handler enters within a section of the kernel does not end that one.
/// A handler above the kernel's level is kept out by no section, and a section that it enters
/// keeps no code out: an implementation that needs exclusion refuses such a handler.
#[derive(Debug)]
pub struct NestedSection<M: Machine> {
    depth: Cell<u32>,
    /// The mask before the outermost entry.
    before: Cell<usize>,
    machine: PhantomData<fn() -> M>,
}

// SAFETY: the cells are read and written while interrupts are masked, on the one processor. A
// handler above the kernel's level, which comes all the same, enters and leaves as often, and so
// leaves `depth` as it was; `before` it writes only if `depth` is zero, when no code relies on it.
unsafe impl<M: Machine> Sync for NestedSection<M> {}

impl<M: Machine> NestedSection<M> {
    /// Creates a section that no code has entered. A machine with several processors is refused
    /// when this is compiled: the mask of one does not keep the others out without the kernel's
    /// lock.
    pub const fn new() -> Self {
        const {
            assert!(
                M::PROCESSORS == 1,
                "critical sections that nest are for one processor"
            )
        };
        Self {
            depth: Cell::new(0),
            before: Cell::new(0),
            machine: PhantomData,
        }
    }

    /// Enters it. Bound: fixed.
    pub fn acquire(&self) {
        let before = M::mask_over();
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        if depth == 0 {
            self.before.set(before);
        }
    }

    /// Leaves it. Says whether that was the outermost entry: then `last` has been called just
    /// before the mask became what it was.
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
        let before = self.before.get();
        self.depth.set(0);
        M::restore(before);
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
