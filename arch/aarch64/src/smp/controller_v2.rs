//! Owns: the parts of an interrupt controller of version 2 for several processors: calls, and the
//! interrupts that each processor lets through itself.
//! Must never know: the processor that is called, and why.

use super::publish;
use crate::board::Board;
use crate::interrupt::version::{follow_private, of};

/// Lets interrupts through to the processor `number`, which is the caller's and not the first.
///
/// # Panics
/// Where the controller counts processors otherwise: interrupts would reach others than they were
/// sent to.
pub(super) fn start_another<B: Board>(number: usize) {
    const { assert!(B::PROCESSORS <= 8, "the controller knows eight processors") };
    let controller = of::<B>();
    assert!(
        controller.own_bit() == 1 << number,
        "the interrupt controller has another number for processor {number}"
    );
    follow();
    controller.start_another();
}

/// Lets those private interrupts through to this processor that all do.
pub(super) fn follow() {
    follow_private();
}

/// Sends the processor `to` the interrupt `number`; what was stored before is seen there.
#[inline(always)]
pub(super) fn send_to<B: Board>(number: u32, to: usize) {
    publish();
    of::<B>().send_to(number, to);
}

/// Sends the other processors the interrupt `number`, as far as they have started; what was stored
/// before is seen there.
pub(super) fn send_to_others<B: Board>(number: u32) {
    publish();
    of::<B>().send_to_others(number);
}
