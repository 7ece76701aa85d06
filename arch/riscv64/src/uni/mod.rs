//! The machine with one processor. Its items here have the same names as those for several
//! processors in `smp`; the crate's head chooses.
//!
//! Owns: what of the seam the number of processors changes: there is one, and no lock. Must never
//! know: what a section is for.
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

taktos_arch_common::one_processor!();

/// Items that boards and macros name.
pub mod exported {
    pub use super::devices::INTERRUPTS;
    pub use taktos_arch_common::TAKTOS_PROCESSOR;
}

/// Nothing names the first processor.
#[inline(always)]
pub(crate) fn adopt_first() {}

/// Nothing is to be set up before memory.
pub(crate) const fn begin<B: Board>() {}

/// No other processor has slices.
pub(crate) const fn tell_slice<B: Board>() {}

/// No other processor has a map.
pub(crate) const fn tell_map<B: Board>() {}

/// Does nothing: no other processor calls.
///
/// # Safety
/// Nothing is required; the variant for several processors has requirements.
#[inline(always)]
pub(crate) unsafe fn serve_calls() {}

/// Does `act`; the caller does not leave this processor.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce()) {
    act();
}
