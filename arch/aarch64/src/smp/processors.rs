//! Owns: what of the seam the number of processors changes, for several: each processor has a block, and there is a lock.
//! Must never know: what a section is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another number of processors needs it"
)]

use crate::board::Board;
pub use crate::lock::Taken;
pub(crate) use crate::lock::{lock, unlock};
use crate::machine::AArch64;
use crate::{smp, state, switch};
use taktos_machine::Processor;

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
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
    smp::call(number);
}

impl<B: Board> AArch64<B> {
    /// Makes the caller the first of the processors. Called once, by the board, before anything else of the machine.
    pub fn begin() {
        smp::set_up::<B>();
    }
}

/// Starts the other processors, and leaves the start-up code for the first one's first thread.
pub(crate) fn start<B: Board>() -> ! {
    smp::take_calls::<B>();
    smp::start_others::<B>();
    let own = state::own();
    switch::start(&own.processor, own.handler_stack.get())
}
