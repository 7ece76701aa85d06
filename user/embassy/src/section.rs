//! A critical section that nests, and that hears of wakes when it ends.
//!
//! Owns: how deep it is entered, which executors are woken at its end. Must never know: who enters it.

#![expect(unsafe_code, reason = "a static that the section itself guards")]

use crate::core::Core;
use ::core::cell::Cell;
use taktos_kernel::{AnyThread, System};
use taktos_machine::Machine;

type Mask<S> = <<S as System>::Machine as Machine>::Mask;

/// The critical section of a program.
pub struct Section<S: System> {
    depth: Cell<u32>,
    /// What the outermost entry masked.
    mask: Cell<Option<Mask<S>>>,
    /// The executors, in a list.
    cores: Cell<Option<&'static Core<S>>>,
    /// Whether one is to be woken at the end.
    late: Cell<bool>,
}

// SAFETY: all cells are read and written while interrupts are masked, on the one processor; but for `depth`, which is not zero exactly
// while its reader itself is inside: nobody else runs then.
unsafe impl<S: System> Sync for Section<S> {}

impl<S: System> Section<S> {
    /// One that nobody has entered.
    pub const fn new() -> Self {
        const {
            assert!(
                S::Machine::PROCESSORS == 1,
                "executors are for one processor"
            )
        };
        Self {
            depth: Cell::new(0),
            mask: Cell::new(None),
            cores: Cell::new(None),
            late: Cell::new(false),
        }
    }

    /// Enters it. In a thread, or a handler at the kernel's level. Bound: fixed.
    pub fn acquire(&self) {
        if self.depth.get() == 0 {
            self.mask.set(Some(S::Machine::mask()));
        }
        self.depth.set(self.depth.get() + 1);
    }

    /// Leaves it; who was woken meanwhile may run at once. Bound: fixed for each executor.
    ///
    /// # Safety
    /// The caller has entered it, and not left it since.
    pub unsafe fn release(&self) {
        let depth = self.depth.get().saturating_sub(1);
        if depth > 0 {
            return self.depth.set(depth);
        }
        let late = self.late.replace(false);
        let first = self.cores.get();
        let mask = self.mask.take();
        self.depth.set(0);
        if let Some(mask) = mask {
            S::Machine::unmask(mask);
        }
        if late {
            ::core::iter::successors(first, |core| core.next()).for_each(Core::wake_late);
        }
    }

    /// Whether the caller is inside.
    pub(crate) fn is_held(&self) -> bool {
        self.depth.get() > 0
    }

    /// An executor is to be woken at the end. Inside only.
    pub(crate) fn note_late(&self) {
        self.late.set(true);
    }

    /// Puts an executor into the list, which runs on the calling thread.
    ///
    /// # Panics
    /// If it is there already.
    pub(crate) fn add(&self, core: &'static Core<S>) {
        assert!(core.thread().is_none(), "an executor has one thread");
        self.acquire();
        core.begin(AnyThread::current(), self.cores.get());
        self.cores.set(Some(core));
        // SAFETY: entered above.
        unsafe { self.release() };
    }

    /// The executor that runs on the calling thread, or else the one that began last; and whether it is the former.
    pub(crate) fn core(&self) -> Option<(&'static Core<S>, bool)> {
        let first = self.cores.get()?;
        let current = AnyThread::<S>::current();
        let is_own = |core: &&'static Core<S>| {
            core.thread()
                .is_some_and(|thread| ::core::ptr::eq(thread, current))
        };
        let own = ::core::iter::successors(Some(first), |core| core.next()).find(is_own);
        Some(own.map_or((first, false), |own| (own, true)))
    }
}

impl<S: System> Default for Section<S> {
    fn default() -> Self {
        Self::new()
    }
}
