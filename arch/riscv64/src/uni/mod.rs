//! The machine with one processor. What it has here, one with several has by the same names in `smp`; the crate's head chooses.
//!
//! Owns: what of the seam the number of processors changes: there is one, and no lock. Must never know: what a section is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "the twin of this needs them"
)]

pub(crate) mod devices;
pub(crate) mod entry;
pub(crate) mod float;
pub(crate) mod pieces;
pub(crate) mod state;
pub(crate) mod user;

pub use taktos_arch_common::one::Taken;
pub(crate) use taktos_arch_common::one::{holder, lock, number, own, unlock};

use crate::board::Board;
use crate::{memory, switch};
use taktos_machine::Processor;

/// What boards and macros name.
pub mod exported {
    pub use super::devices::INTERRUPTS;
    pub use taktos_arch_common::TAKTOS_PROCESSOR;
}

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    assert!(
        B::PROCESSORS == 1,
        "several processors need the feature `smp`"
    );
    1
}

/// The processor, whose number is zero.
#[inline(always)]
pub(crate) fn numbered<B: Board>(_: usize) -> &'static Processor {
    own()
}

/// There is no other processor to call.
#[inline(always)]
pub(crate) fn call<B: Board>(_: usize) {}

/// Nothing names the first processor.
#[inline(always)]
pub(crate) fn adopt_first() {}

/// Nothing is to be set up before memory.
pub(crate) const fn begin<B: Board>() {}

/// Leaves the start-up code for the first thread.
pub(crate) fn start<B: Board>() -> ! {
    switch::start(own(), entry::HANDLER_STACK.top())
}

/// Makes a guard of the page below the stack of handlers.
pub(crate) fn protect_stacks<B: Board>() {
    memory::protect::<B>(entry::HANDLER_STACK.guard());
}

/// No other processor has slices.
pub(crate) const fn tell_slice<B: Board>() {}

/// No other processor has a map.
pub(crate) const fn tell_map<B: Board>() {}

/// Nobody calls.
///
/// # Safety
/// None is needed; the twin of this has some.
#[inline(always)]
pub(crate) unsafe fn serve_calls() {}

/// Does `act`; the caller does not leave this processor.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce()) {
    act();
}
