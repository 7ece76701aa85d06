//! Owns: where the interrupt controller of version 2 is, and how it begins.
//! Must never know: who handles an interrupt.

use super::HANDLERS;
use crate::board::Board;
use core::cell::Cell;
use taktos_arch_gicv2::{Acknowledged, Controller};

#[cfg(feature = "smp")]
compile_error!("the port has several processors with an interrupt controller of version 3 only");

/// How many interrupts can have handlers: those that software sends, those of the processor, and 224 of devices.
pub const INTERRUPTS: u32 = 256;

/// The board's controller, for the way of an interrupt, which knows no board.
struct Place(Cell<Controller>);

// SAFETY: written once, before interrupts are let through, by the one processor.
unsafe impl Sync for Place {}

static CONTROLLER: Place = Place(Cell::new(
    // SAFETY: nobody uses it before `start` has put another one here.
    unsafe { Controller::new(0, 0) },
));

#[inline(always)]
fn controller<B: Board>() -> Controller {
    // SAFETY: the board says where it is, and the map has it as a device; nobody else uses it.
    unsafe { Controller::new(B::DISTRIBUTOR, B::PROCESSOR_INTERFACE) }
}

/// Lets the interrupt `number` through.
pub(super) fn enable<B: Board>(number: u32) {
    controller::<B>().enable(number);
}

/// Keeps the interrupt `number` from the processor.
pub(super) fn disable<B: Board>(number: u32) {
    controller::<B>().disable(number);
}

/// Makes the interrupt `number` of a device pending.
pub(super) fn pend_shared<B: Board>(number: u32) {
    controller::<B>().pend(number);
}

/// Sends this processor the interrupt `number`.
#[inline(always)]
pub(super) fn pend<B: Board>(number: u32) {
    controller::<B>().pend(number);
}

/// Lets interrupts through to the processor: those that have handlers. A boot loader may have left others enabled.
pub(super) fn start<B: Board>() {
    let controller = controller::<B>();
    CONTROLLER.0.set(controller);
    for number in 0..controller.interrupts() {
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
    CONTROLLER.0.get().acknowledge()
}

/// The number of an interrupt in service.
#[inline(always)]
pub(super) fn number_of(interrupt: &Acknowledged) -> usize {
    interrupt.number()
}

/// Ends the service.
#[inline(always)]
pub(super) fn end(interrupt: Acknowledged) {
    CONTROLLER.0.get().end(interrupt);
}
