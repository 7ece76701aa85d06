//! Owns: the processor of a machine that has one, what the machine remembers between its calls, and
//! the parts of the seam that are simple without another processor to exclude. Must never know:
//! what a section is for.

use core::cell::Cell;
use taktos_machine::{Processor, SliceSwitch, StackRegion};

unsafe extern "C" {
    /// Running thread and heir; watched by the laboratory. The board's kernel, which begins with
    /// it, has this name: so one base address leads to all that a switch needs.
    pub safe static TAKTOS_PROCESSOR: OneProcessor;
}

/// A processor in a static.
#[repr(transparent)]
pub struct OneProcessor(pub Processor);

// SAFETY: there is one processor; `current` is written by the switch paths with kernel-level
// interrupts masked, `heir` by the kernel in its sections, and both are single words.
unsafe impl Sync for OneProcessor {}

/// State that a mask remembers: nothing.
pub type Taken = ();

/// Does nothing: no other processor is to be excluded.
#[inline(always)]
pub fn lock() {}

/// Does nothing: no other processor was excluded.
#[inline(always)]
pub fn unlock((): Taken) {}

/// The processor.
#[inline(always)]
pub fn own() -> &'static Processor {
    &TAKTOS_PROCESSOR.0
}

/// The processor.
#[inline(always)]
pub fn holder((): Taken) -> &'static Processor {
    own()
}

/// Its number.
#[inline(always)]
pub fn number() -> usize {
    0
}

/// Returns whether the running thread still has its turn: always, as no other processor takes it.
#[inline(always)]
pub fn keep_turn() -> bool {
    true
}

/// State of a machine with a floating-point unit that each switch reads. The first two are read
/// together.
#[repr(C, align(16))]
#[non_exhaustive]
pub struct State<M = ()> {
    /// The function that a switch calls if a slice begins with it; none while slices are off.
    pub at_switch: Cell<Option<SliceSwitch>>,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<usize>,
    /// The address to save the registers in the floating-point unit to, before another thread gets
    /// it. Zero if no thread needs them or they are the current thread's.
    pub float_area: Cell<usize>,
    /// State of this port's alone.
    pub more: M,
}

// SAFETY: touched only with kernel-level interrupts masked, on the one processor; `new` requires
// that of what a port adds.
unsafe impl<M> Sync for State<M> {}

impl<M> State<M> {
    /// That before the first thread.
    ///
    /// # Safety
    /// The value is touched only with kernel-level interrupts masked, on the one processor.
    pub const unsafe fn new(more: M) -> Self {
        Self {
            at_switch: Cell::new(None),
            float_in_use: Cell::new(0),
            float_area: Cell::new(0),
            more,
        }
    }

    /// Forgets floating-point registers with save space on `stack`: its thread begins again.
    #[inline]
    pub fn forget_float(&self, stack: StackRegion) {
        let area = self.float_area.get();
        if (stack.base..stack.base + stack.size).contains(&area) {
            self.float_area.set(0);
        }
    }
}

/// Lines of a hand-written path that are for several processors: none, for one.
#[doc(hidden)]
#[macro_export]
macro_rules! nothing {
    ($($argument:tt)*) => {
        ""
    };
}

/// Parts of the module `processors` of a port of 64 bits, for one processor.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! one_processor {
    () => {
        pub use $crate::one::Taken;
        pub(crate) use $crate::one::{holder, lock, number, own, unlock};

        use crate::board::Board;
        use $crate::reexports::Processor;

        /// How many processors the machine has.
        pub(crate) const fn count<B: Board>() -> usize {
            assert!(
                B::PROCESSORS == 1,
                "several processors need the feature `smp`"
            );
            1
        }

        /// Returns the one processor; its number is zero.
        #[inline(always)]
        pub(crate) fn numbered<B: Board>(_: usize) -> &'static Processor {
            own()
        }

        /// There is no other processor to call.
        #[inline(always)]
        pub(crate) fn call<B: Board>(_: usize) {}

        /// Leaves the start-up code for the first thread.
        pub(crate) fn start<B: Board>() -> ! {
            crate::switch::start(own(), entry::HANDLER_STACK.top())
        }

        /// Makes a guard of the page below the stack of handlers.
        pub(crate) fn protect_stacks<B: Board>() {
            crate::memory::protect::<B>(entry::HANDLER_STACK.guard());
        }
    };
}
