//! A critical section that nests, and that handles wakes when it ends.
//!
//! Owns: which executors are woken at its end. Must never know: the code that enters it.

#![expect(unsafe_code, reason = "a static that the section itself guards")]

use crate::core::Core;
use ::core::cell::Cell;
use taktos_kernel::fault::refuse_from_above;
use taktos_kernel::{AnyThread, System};
use taktos_machine::NestedSection;

/// The critical section of a program.
pub struct Section<S: System> {
    nested: NestedSection<S::Machine>,
    /// The executors, in a list.
    cores: Cell<Option<&'static Core<S>>>,
    /// Whether one is to be woken at the end.
    late: Cell<bool>,
}

// SAFETY: the cells are read and written while interrupts are masked, on the one processor.
unsafe impl<S: System> Sync for Section<S> {}

impl<S: System> Section<S> {
    /// A section that no thread has entered.
    pub const fn new() -> Self {
        Self {
            nested: NestedSection::new(),
            cores: Cell::new(None),
            late: Cell::new(false),
        }
    }

    /// Enters it. In a thread, or a handler that may call the kernel. Above the kernel's level,
    /// where it would exclude no other code, the program ends with a report. Bound: fixed.
    pub fn acquire(&self) {
        refuse_from_above::<S>();
        self.nested.acquire();
    }

    /// Leaves the section; an executor that was woken meanwhile may run at once. Bound: fixed for
    /// each executor.
    ///
    /// # Safety
    /// The caller has entered it, and not left it since.
    pub unsafe fn release(&self) {
        let (mut late, mut first) = (false, None);
        // SAFETY: the caller's.
        let was_outermost = unsafe {
            self.nested.release(|| {
                late = self.late.replace(false);
                first = self.cores.get();
            })
        };
        if was_outermost && late {
            ::core::iter::successors(first, |core| core.next()).for_each(Core::wake_late);
        }
    }

    /// Whether the caller is inside.
    pub(crate) fn is_held(&self) -> bool {
        self.nested.is_held()
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

    /// The executor that runs on the calling thread, or else the one that began last; and whether
    /// it is the former.
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
