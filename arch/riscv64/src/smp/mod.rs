//! What only a machine with several processors has.
//!
//! Owns: the processors' stacks, the choice at an interrupt's end, the wiring of a board.
//! Must never know: who runs where, and why.

pub(crate) mod calls;
mod start;

pub(crate) use start::start_others;

use crate::board::Board;
use crate::lock::{lock, unlock};
use crate::state::{numbered, own};
use crate::trap::{FaultStack, HandlerStack};
use taktos_machine::Context;

unsafe extern "C" {
    // The board's, by [`smp!`](crate::smp).
    /// As [`Upcalls::choose`](taktos_machine::Upcalls::choose): with interrupts masked and the lock held.
    fn taktos_choose() -> *const Context;
    static taktos_stacks: OwnStacks;
}

/// The stacks of one processor.
#[repr(C, align(4096))]
pub struct OwnStacks {
    pub(crate) handlers: HandlerStack,
    pub(crate) faults: FaultStack,
}

/// The stacks of all processors, in the order of their numbers; [`smp!`](crate::smp) makes them.
#[repr(transparent)]
pub struct Stacks<const N: usize>([OwnStacks; N]);

impl<const N: usize> Stacks<N> {
    /// Unused stacks.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self(
            [const {
                OwnStacks {
                    handlers: HandlerStack::NEW,
                    faults: FaultStack::NEW,
                }
            }; N],
        )
    }
}

/// The stacks of the processor `number`.
pub(crate) fn stacks<B: Board>(number: usize) -> &'static OwnStacks {
    assert!(number < B::PROCESSORS, "there is no such processor");
    // SAFETY: the board's stacks are as many as its processors.
    unsafe { &*(&raw const taktos_stacks).add(number) }
}

/// Tells each processor's block where its stacks are.
pub(crate) fn set_up<B: Board>() {
    for number in 0..B::PROCESSORS {
        let (state, stacks) = (numbered::<B>(number), stacks::<B>(number));
        let block = core::ptr::from_ref(state).expose_provenance();
        state.handler_stack.set(stacks.handlers.top_below(block));
        state.fault_stack.set(stacks.faults.place());
    }
}

/// The end of an interrupt. Another heir than the current thread may be none yet, or may have been replaced by another
/// processor since: that is looked at once more with the lock held. Says whether to switch to the heir: then the
/// lock stays held, for the switch to release.
///
/// # Safety
/// Interrupts are masked, and the caller does not hold the lock.
pub(crate) unsafe fn choose() -> bool {
    let processor = &own().processor;
    let current = processor.current.get();
    // SAFETY: a whole word, which another processor may be writing: then it calls this one afterwards.
    if unsafe { processor.heir.as_ptr().read_volatile() } == current {
        return false;
    }
    let taken = lock();
    if processor.heir.get().is_null() {
        // SAFETY: interrupts are masked, and the lock was just taken; it is released below, or by the switch that follows.
        processor.heir.set(unsafe { taktos_choose() });
    }
    if processor.heir.get() == current {
        unlock(taken);
        return false;
    }
    true
}

/// Wires the processors to a type that implements [`Upcalls`](taktos_machine::Upcalls), and makes room for those of
/// `board`. Used once, in a board crate, beside [`exceptions!`](crate::exceptions).
#[macro_export]
macro_rules! smp {
    ($upcalls:ty, $board:ty) => {
        /// Who runs on each processor; watched by the laboratory.
        #[unsafe(no_mangle)]
        static TAKTOS_PROCESSORS: $crate::Processors<{ <$board as $crate::Board>::PROCESSORS }> =
            $crate::Processors::new();

        // How far they lie apart, for the laboratory.
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.processor\"",
            ".set \"taktos.layout.processor\", {size}",
            size = const $crate::PROCESSOR_SIZE,
        );

        /// The stacks of handlers and of fault reports.
        #[unsafe(export_name = "taktos_stacks")]
        static TAKTOS_STACKS: $crate::Stacks<{ <$board as $crate::Board>::PROCESSORS }> =
            $crate::Stacks::new();

        /// Another processor has called.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_called() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::Upcalls>::called() };
        }

        /// An interrupt ends, and the heir is not the current thread.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_choose() -> *const $crate::Context {
            // SAFETY: the caller's, the end of an interrupt, as the declaration there says.
            unsafe { <$upcalls as $crate::Upcalls>::choose() }
        }
    };
}
