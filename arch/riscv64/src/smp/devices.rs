//! Owns: that devices do not interrupt several processors yet; they do one, by `uni`.
//! Must never know: what an interrupt is good for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "the twin of this needs them"
)]

use crate::board::Board;
use crate::interrupt::{self, Handler};
use core::ops::Range;

/// Bits of `sie` that let interrupts of devices through.
pub(crate) const ENABLED: usize = 0;

/// How many interrupts can have handlers: those that software sends.
pub const INTERRUPTS: u32 = interrupt::INTERRUPTS as u32;

/// No number is that of a device.
pub(crate) fn set_handler<B: Board>(_: u32, _: Handler) -> bool {
    false
}

/// There is nothing to keep away.
pub(crate) fn disable<B: Board>(_: u32) {}

/// None comes.
pub(crate) fn serve() {}

/// Registers to map in addition to the board's devices: the words by which processors are called.
pub(crate) const fn registers<B: Board>() -> Range<usize> {
    B::CALLS..B::CALLS + size_of::<u32>() * B::PROCESSORS
}
