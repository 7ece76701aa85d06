//! What only a machine with several processors has.
//!
//! Owns: the processors' stacks, the call from one to another, the choice at an interrupt's end, the wiring of a board.
//! Must never know: who runs where, and why.

mod start;

pub use start::go_on;
pub(crate) use start::start_others;

use crate::board::Board;
use crate::interrupt;
use crate::lock;
use crate::state;
use crate::vectors::{FaultStack, HandlerStack};
use taktos_machine::Context;

unsafe extern "C" {
    // The board's, by [`smp!`](crate::smp).
    /// As [`Upcalls::called`](taktos_machine::Upcalls::called): from an interrupt, without the lock.
    fn taktos_called();
    /// As [`Upcalls::choose`](taktos_machine::Upcalls::choose): with interrupts masked and the lock held.
    fn taktos_choose() -> *const Context;
    static taktos_stacks: OwnStacks;
}

/// The software interrupt by which one processor calls another: the lowest, which is served first.
const CALL_INTERRUPT: u32 = 0;

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

/// Fills the blocks of all processors, makes the caller the first of them, and looks whether the others are there.
pub(crate) fn set_up<B: Board>() {
    state::set_up::<B>();
    for number in 0..B::PROCESSORS {
        let (state, stacks) = (state::numbered::<B>(number), stacks::<B>(number));
        state.handler_stack.set(stacks.handlers.top());
        state.fault_stack.set(stacks.faults.top());
    }
    state::adopt(state::numbered::<B>(0));
    start::look_for_others::<B>();
}

/// Makes calls arrive, on all processors.
pub(crate) fn take_calls<B: Board>() {
    interrupt::set_handler::<B>(CALL_INTERRUPT, called);
}

/// Handles a call. Given to `set_handler` alone.
fn called() {
    // SAFETY: so this is a handler: all have the kernel's level, do not nest, and begin without the lock.
    unsafe { taktos_called() };
}

/// Calls the processor `number`.
#[inline(always)]
pub(crate) fn call(number: usize) {
    interrupt::send_to(CALL_INTERRUPT, number);
    taktos_machine::label!("taktos.point.call");
}

/// The end of an interrupt that has found another heir than the current thread. Says whether to switch to the heir:
/// then the lock is held.
///
/// # Safety
/// Interrupts are masked, and the caller does not hold the lock.
pub(crate) unsafe extern "C" fn choose() -> usize {
    let taken = lock::lock();
    let processor = &taken.own().processor;
    if processor.heir.get().is_null() {
        // SAFETY: interrupts are masked, and the lock was just taken; it is released below, or by the switch that follows.
        processor.heir.set(unsafe { taktos_choose() });
    }
    if processor.heir.get() == processor.current.get() {
        lock::unlock(taken);
        return 0;
    }
    1
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

        /// The first Rust code of a processor behind the first.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_go_on(number: usize) -> ! {
            $crate::go_on::<$board>(number)
        }

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
