//! Owns: the interrupt controller of version 3 (Arm IHI 0069).
//! Must never know: the handlers of interrupts.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another version needs it"
)]

use super::mask::{mask_over, restore};
use super::{PRIVATE, SOFTWARE};
use crate::board::Board;
use crate::processors::controller;
use arm_gic::gicv3::registers::{Gicd, GicrSgi};
use arm_gic::gicv3::{GicCpuInterface, GicV3, Group, SgiTarget, SgiTargetGroup};
use arm_gic::{IntId, InterruptGroup, UniqueMmioPointer};
use core::cell::UnsafeCell;
use core::ptr::{NonNull, with_exposed_provenance_mut};

/// How many interrupts can have handlers: those that software sends, those of each processor, and
/// 64 of devices.
pub const INTERRUPTS: u32 = 96;
/// The one priority of all interrupts: they do not interrupt each other.
const KERNEL_PRIORITY: u8 = 0x80;
const LOWEST_PRIORITY: u8 = 0xFF;

struct Controller(UnsafeCell<Option<GicV3<'static>>>);

// SAFETY: used by `with_controller` alone, with interrupts masked, by one processor at a time.
unsafe impl Sync for Controller {}

static CONTROLLER: Controller = Controller(UnsafeCell::new(None));

/// Gives the controller to `body`; it is set up at the first use. Interrupts are masked meanwhile,
/// and as they were afterwards.
pub(crate) fn with_controller<B: Board>(body: impl FnOnce(&mut GicV3<'static>)) {
    let mask = mask_over();
    controller::lock();
    // SAFETY: nothing else refers to the static, interrupts are masked, and this is the one
    // processor or has the lock.
    let controller = unsafe { &mut *CONTROLLER.0.get() };
    body(controller.get_or_insert_with(set_up::<B>));
    controller::unlock();
    restore(mask);
}

fn set_up<B: Board>() -> GicV3<'static> {
    let distributor = NonNull::new(with_exposed_provenance_mut::<Gicd>(B::DISTRIBUTOR));
    let redistributors = NonNull::new(with_exposed_provenance_mut::<GicrSgi>(B::REDISTRIBUTORS));
    let (Some(distributor), Some(redistributors)) = (distributor, redistributors) else {
        panic!("the board's interrupt controller has no address");
    };
    // SAFETY: the board's controller, mapped as device memory; only this module uses it.
    let controller = unsafe {
        GicV3::new(
            UniqueMmioPointer::new(distributor),
            redistributors,
            B::PROCESSORS,
        )
    };
    let Ok(mut controller) = controller else {
        panic!("the board's interrupt controller is not of version 3");
    };
    controller.setup(0);
    open();
    controller
}

/// Lets interrupts of all priorities through to this processor.
pub(crate) fn open() {
    GicCpuInterface::set_priority_mask(LOWEST_PRIORITY);
}

fn identifier(number: u32) -> IntId {
    match number {
        software if software < SOFTWARE => IntId::sgi(software),
        private if private < PRIVATE => IntId::ppi(private - SOFTWARE),
        shared => IntId::spi(shared - PRIVATE),
    }
}

/// Lets the interrupt `number` through. A private one comes to each processor.
pub(super) fn enable<B: Board>(number: u32) {
    let interrupt = identifier(number);
    with_controller::<B>(|controller| {
        for owner in 0..owners::<B>(number) {
            // Neither can fail: the number is one that the controller has.
            let _ = controller.set_interrupt_priority(interrupt, Some(owner), KERNEL_PRIORITY);
            let _ = controller.set_group(interrupt, Some(owner), Group::Group1NS);
            let _ = controller.enable_interrupt(interrupt, Some(owner), true);
        }
    });
}

/// How many processors have an interrupt of this number each.
fn owners<B: Board>(number: u32) -> usize {
    if number < PRIVATE { B::PROCESSORS } else { 1 }
}

/// Keeps the interrupt `number` from all processors.
pub(super) fn disable<B: Board>(number: u32) {
    with_controller::<B>(|controller| {
        for owner in 0..owners::<B>(number) {
            // It cannot fail: the number is one that the controller has.
            let _ = controller.enable_interrupt(identifier(number), Some(owner), false);
        }
    });
}

/// Makes the interrupt `number` of a device pending.
pub(super) fn pend_shared<B: Board>(number: u32) {
    const SET_PENDING: usize = 0x200;
    let word = B::DISTRIBUTOR + SET_PENDING + number as usize / 32 * 4;
    // SAFETY: a register of the controller, mapped as device memory; a bit that is written as zero
    // changes nothing.
    unsafe { with_exposed_provenance_mut::<u32>(word).write_volatile(1 << (number % 32)) };
}

/// Lets interrupts through to the processor.
pub(super) fn start<B: Board>() {
    with_controller::<B>(|_| ());
}

/// Sends this processor the interrupt `number`: the one that the caller is on while it is sent.
#[inline(always)]
pub(super) fn pend<B: Board>(number: u32) {
    controller::stay(|own| send(number, listed(own)));
}

/// A processor by its number, below 16, which is the lowest field of its affinity; the others are
/// zero.
#[inline(always)]
pub(crate) fn listed(processor: usize) -> SgiTarget {
    SgiTarget::List {
        affinity3: 0,
        affinity2: 0,
        affinity1: 0,
        target_list: 1 << processor,
    }
}

/// Sends the interrupt `number`, of software's.
#[inline(always)]
pub(crate) fn send(number: u32, target: SgiTarget) {
    if number < SOFTWARE {
        // It cannot fail: the number is one of software's.
        let _ =
            GicCpuInterface::send_sgi(IntId::sgi(number), target, SgiTargetGroup::CurrentGroup1);
    }
}

/// Takes the most urgent pending interrupt into service.
#[inline(always)]
pub(super) fn acknowledge() -> Option<IntId> {
    GicCpuInterface::get_and_acknowledge_interrupt(InterruptGroup::Group1)
}

/// The number of an interrupt in service.
#[inline(always)]
pub(super) fn number_of(interrupt: &IntId) -> usize {
    interrupt.raw_value() as usize
}

/// Ends the service.
#[inline(always)]
pub(super) fn end(interrupt: IntId) {
    GicCpuInterface::end_interrupt(interrupt, InterruptGroup::Group1);
}
