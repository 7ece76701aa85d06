//! The machine with several processors. What it has here, one with one processor has by the same names in `uni`; the crate's head
//! chooses.
//!
//! Owns: what of the seam the number of processors changes: each has a block, and there is a lock; the wiring of a board.
//! Must never know: what a section is for; who runs where, and why.

mod calls;
pub(crate) mod devices;
pub(crate) mod entry;
pub(crate) mod float;
mod lock;
pub(crate) mod pieces;
mod start;
pub(crate) mod state;
pub(crate) mod user;

pub(crate) use calls::serve as serve_calls;
pub use lock::Hart;
pub(crate) use taktos_arch_common::{lock, unlock};

use crate::board::Board;
use crate::interrupt::{mask_remembering, unmask_again};
use crate::{memory, switch};
use taktos_machine::Processor;

/// What boards and macros name.
pub mod exported {
    pub use super::devices::INTERRUPTS;
    pub use super::state::{PROCESSOR_SIZE, Processors};
    pub use taktos_arch_common::Stacks;
}

/// The lock as it is held.
pub type Taken = taktos_arch_common::Taken<Hart>;

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    assert!(
        B::CALLS != 0,
        "the board does not say where processors are called"
    );
    B::PROCESSORS
}

/// The processor that runs the caller.
#[inline(always)]
pub(crate) fn own() -> &'static Processor {
    &state::own().processor
}

/// The processor that holds the lock.
#[inline(always)]
pub(crate) fn holder(taken: Taken) -> &'static Processor {
    &taken.own().processor
}

/// The number of the processor that runs the caller.
#[inline(always)]
pub(crate) fn number() -> usize {
    state::own().number.get()
}

/// The processor `number`.
#[inline(always)]
pub(crate) fn numbered<B: Board>(number: usize) -> &'static Processor {
    &state::numbered::<B>(number).processor
}

/// Calls the processor `number` for the kernel.
#[inline(always)]
pub(crate) fn call<B: Board>(number: usize) {
    calls::call::<B>(number, calls::KERNEL);
}

/// Makes this processor, which starts, the first one.
#[inline(always)]
pub(crate) fn adopt_first() {
    // SAFETY: there is a first processor.
    unsafe { state::adopt(0) };
}

/// Tells the processors' blocks what they need.
pub(crate) fn begin<B: Board>() {
    state::set_up::<B>();
}

/// Starts the other processors, and leaves the start-up code for the first one's first thread.
pub(crate) fn start<B: Board>() -> ! {
    start::start_others::<B>();
    let own = state::own();
    switch::start(&own.processor, own.handler_stack.get())
}

/// Makes guards of the pages below the stacks of handlers.
pub(crate) fn protect_stacks<B: Board>() {
    for number in 0..B::PROCESSORS {
        memory::protect::<B>(state::stacks::<B>(number).handlers.guard());
    }
}

/// Tells the other processors that slices have another length.
pub(crate) fn tell_slice<B: Board>() {
    calls::call_others::<B>(calls::SLICE);
}

/// Tells the other processors that a page that was memory is not any more.
pub(crate) fn tell_map<B: Board>() {
    calls::call_others::<B>(calls::MAP);
}

/// Does `act`; the caller does not leave this processor meanwhile.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce()) {
    let was_unmasked = mask_remembering();
    act();
    unmask_again(was_unmasked);
}

/// Wires the processors to a type that implements [`Upcalls`](taktos_machine::Upcalls), and makes room for those of
/// `board`. Used once, in a board crate, beside [`exceptions!`](crate::exceptions).
#[macro_export]
macro_rules! smp {
    ($upcalls:ty, $board:ty) => {
        $crate::common::wire_processors!(
            $upcalls,
            $crate::Processors<{ <$board as $crate::Board>::PROCESSORS }>,
            $crate::Stacks<{ <$board as $crate::Board>::PROCESSORS }>,
            $crate::PROCESSOR_SIZE
        );
    };
}
