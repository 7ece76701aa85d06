//! Owns: the parts of an interrupt controller of version 3 for several processors: calls, and its
//! processor interface on each.
//! Must never know: the processor that is called, and why.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another version needs it"
)]

use super::lock::wait;
use super::{number, publish};
use crate::board::Board;
use crate::interrupt::mask::{mask_over, restore};
use crate::interrupt::version::{listed, open, send, with_controller};
use arm_gic::gicv3::{GicCpuInterface, SgiTarget};
use taktos_lock::QueuedLock;

/// Lock of the controller: its holder uses the controller. A lock of its own, taken after the
/// seam's one lock or without that.
static LOCK: QueuedLock = QueuedLock::new();

/// Keeps the others from the controller.
#[inline(always)]
pub(crate) fn lock() {
    LOCK.lock(wait);
}

/// Lets the others have the controller.
#[inline(always)]
pub(crate) fn unlock() {
    LOCK.unlock();
}

/// Does `act` with the number of this processor, which the caller does not leave meanwhile.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce(usize)) {
    let mask = mask_over();
    act(number());
    restore(mask);
}

/// Lets interrupts through to the processor `number`, which is the caller's and not the first.
pub(super) fn start_another<B: Board>(number: usize) {
    with_controller::<B>(|controller| controller.init_cpu(number));
    open();
    GicCpuInterface::enable_group1(true);
}

/// Nothing: one processor reaches the registers of all.
#[inline(always)]
pub(super) fn follow() {}

/// Sends the processor `to` the interrupt `number`; what was stored before is seen there.
#[inline(always)]
pub(super) fn send_to<B: Board>(number: u32, to: usize) {
    publish();
    send(number, listed(to));
}

/// Sends the other processors the interrupt `number`; what was stored before is seen there.
pub(super) fn send_to_others<B: Board>(number: u32) {
    publish();
    send(number, SgiTarget::All);
}
