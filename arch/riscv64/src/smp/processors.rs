//! Owns: what of the seam the number of processors changes, for several: each processor has a block, and there is a lock.
//! Must never know: what a section is for.

use crate::board::Board;
pub use crate::lock::Taken;
pub(crate) use crate::lock::{lock, unlock};
use crate::smp::calls;
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
    state::own().number
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

/// Tells the processors' blocks what they need.
pub(crate) fn begin<B: Board>() {
    smp::set_up::<B>();
}

/// Starts the other processors, and leaves the start-up code for the first one's first thread.
pub(crate) fn start<B: Board>() -> ! {
    smp::start_others::<B>();
    let own = state::own();
    switch::start(&own.processor, own.handler_stack.get())
}
