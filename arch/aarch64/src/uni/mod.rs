//! The machine with one processor. Its items here have the same names as those for several
//! processors in `smp`; the crate's head chooses.
//!
//! Owns: what of the seam the number of processors changes: there is one, and no lock. Must never
//! know: what a section is for.
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

taktos_arch_common::one_processor!();

/// Items that boards and macros name.
pub mod exported {
    pub use taktos_arch_common::TAKTOS_PROCESSOR;
}

/// Whether there are several processors.
pub(crate) const SEVERAL: bool = false;

/// There is no other processor to follow this one.
#[inline(always)]
pub(crate) fn have_others_follow<B: Board>() {}

/// Does nothing: no other processor sees the stores of this one.
#[inline(always)]
pub(crate) fn publish() {}

/// Does nothing: no other processor stores what this one reads.
#[inline(always)]
pub(crate) fn settle() {}

/// Does nothing: no other processor reports a fault.
#[inline(always)]
pub(crate) fn report_alone() {}

/// Code at EL1 of processors other than number 0.
#[doc(hidden)]
#[macro_export]
macro_rules! not_the_first {
    () => {
        "5: wfi\nb 5b"
    };
}
