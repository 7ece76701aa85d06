//! Owns: what of the seam the number of processors changes, for one: there is one, and no lock.
//! Must never know: what a section is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another number of processors needs it"
)]

use crate::board::Board;
use crate::state::TAKTOS_PROCESSOR;
use crate::switch;
use taktos_machine::Processor;

/// What a mask remembers: nothing.
pub type Taken = ();

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    1
}

/// Nobody is to be kept out.
#[inline(always)]
pub(crate) fn lock() {}

/// Nobody was kept out.
#[inline(always)]
pub(crate) fn unlock((): Taken) {}

/// The processor.
#[inline(always)]
pub(crate) fn own() -> &'static Processor {
    &TAKTOS_PROCESSOR.0
}

/// The processor.
#[inline(always)]
pub(crate) fn holder((): Taken) -> &'static Processor {
    own()
}

/// Its number.
#[inline(always)]
pub(crate) fn number() -> usize {
    0
}

/// The processor, whose number is zero.
#[inline(always)]
pub(crate) fn numbered<B: Board>(_: usize) -> &'static Processor {
    own()
}

/// There is no other processor to call.
#[inline(always)]
pub(crate) fn call<B: Board>(_: usize) {}

/// Nothing is to be set up before memory.
pub(crate) const fn begin<B: Board>() {}

/// Leaves the start-up code for the first thread.
pub(crate) fn start<B: Board>() -> ! {
    switch::start(own(), crate::trap::HANDLER_STACK.top())
}
