//! The machine with one processor. What it has here, one with several has by the same names in `smp`; the crate's head chooses.
//!
//! Owns: what of the seam the number of processors changes: there is one, and no lock. Must never know: what a section is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "the twin of this needs them"
)]

#[cfg(not(feature = "gicv2"))]
pub(crate) mod controller;
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
    pub use taktos_arch_common::TAKTOS_PROCESSOR;
}

/// Whether there are several processors.
pub(crate) const SEVERAL: bool = false;

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

/// Leaves the start-up code for the first thread.
pub(crate) fn start<B: Board>() -> ! {
    switch::start(own(), entry::HANDLER_STACK.top())
}

/// Makes a guard of the page below the stack of handlers.
pub(crate) fn protect_stacks<B: Board>() {
    memory::protect::<B>(entry::HANDLER_STACK.guard());
}

/// There is no other processor to follow this one.
#[inline(always)]
pub(crate) fn have_others_follow<B: Board>() {}

/// Nobody else sees what this processor stores.
#[inline(always)]
pub(crate) fn publish() {}

/// Nobody else stores what this processor reads.
#[inline(always)]
pub(crate) fn settle() {}

/// Nobody else reports a fault.
#[inline(always)]
pub(crate) fn report_alone() {}

/// What a processor does at EL1 that is not number 0.
#[doc(hidden)]
#[macro_export]
macro_rules! not_the_first {
    () => {
        "5: wfi\nb 5b"
    };
}
