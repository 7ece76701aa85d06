//! Owns: where the interrupt controller of version 2 is, and how it begins.
//! Must never know: the handlers of interrupts.

use super::{HANDLERS, PRIVATE};
use crate::board::Board;
use crate::processors::have_others_follow;
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_gicv2::{Acknowledged, Controller};

/// How many interrupts can have handlers: those that software sends, those of the processor, and
/// 224 of devices.
pub const INTERRUPTS: u32 = 256;

/// The board's controller, for the way of an interrupt, which knows no board.
struct Place(Cell<Controller>);

// SAFETY: written once, by the first processor, before it lets interrupts through and before others
// start.
unsafe impl Sync for Place {}

static CONTROLLER: Place = Place(Cell::new(
    // SAFETY: no code uses this controller before `start` has put another one here.
    unsafe { Controller::new(0, 0) },
));

/// The private interrupts that all processors let through, a bit each. The controller has registers
/// for them that only their own processor reaches.
static PRIVATE_ENABLED: AtomicU32 = AtomicU32::new(0);

/// The board's controller.
#[inline(always)]
pub(crate) fn of<B: Board>() -> Controller {
    // SAFETY: the board says where it is, and the map has it as a device; no other code uses it.
    unsafe { Controller::new(B::DISTRIBUTOR, B::PROCESSOR_INTERFACE) }
}

/// The controller, on the way of an interrupt, which knows no board.
#[inline(always)]
fn in_use() -> Controller {
    CONTROLLER.0.get()
}

/// Lets the interrupt `number` through. A private one comes to each processor.
pub(super) fn enable<B: Board>(number: u32) {
    if number < PRIVATE {
        PRIVATE_ENABLED.fetch_or(1 << number, Relaxed);
        have_others_follow::<B>();
    }
    of::<B>().enable(number);
}

/// Keeps the interrupt `number` from all processors.
pub(super) fn disable<B: Board>(number: u32) {
    if number < PRIVATE {
        PRIVATE_ENABLED.fetch_and(!(1 << number), Relaxed);
        have_others_follow::<B>();
    }
    of::<B>().disable(number);
}

/// Lets those private interrupts through to this processor that all do.
pub(crate) fn follow_private() {
    in_use().set_private(PRIVATE_ENABLED.load(Relaxed));
}

/// Makes the interrupt `number` of a device pending.
pub(super) fn pend_shared<B: Board>(number: u32) {
    of::<B>().pend(number);
}

/// Sends this processor the interrupt `number`.
#[inline(always)]
pub(super) fn pend<B: Board>(number: u32) {
    of::<B>().pend(number);
}

/// Lets interrupts through to the processor: those that have handlers. A boot loader may have left
/// others enabled.
pub(super) fn start<B: Board>() {
    let controller = of::<B>();
    CONTROLLER.0.set(controller);
    follow_private();
    for number in PRIVATE..controller.interrupts() {
        if HANDLERS
            .0
            .get(number as usize)
            .and_then(Cell::get)
            .is_none()
        {
            controller.disable(number);
        }
    }
    controller.start();
}

/// Takes the most urgent pending interrupt into service.
#[inline(always)]
pub(super) fn acknowledge() -> Option<Acknowledged> {
    in_use().acknowledge()
}

/// The number of an interrupt in service.
#[inline(always)]
pub(super) fn number_of(interrupt: &Acknowledged) -> usize {
    interrupt.number()
}

/// Ends the service.
#[inline(always)]
pub(super) fn end(interrupt: Acknowledged) {
    in_use().end(interrupt);
}
