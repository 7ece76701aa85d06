//! Owns: the interrupt controller (GIC version 3), the handlers and their mask.
//! Must never know: what an interrupt is good for.

use crate::board::Board;
use arm_gic::gicv3::registers::{Gicd, GicrSgi};
use arm_gic::gicv3::{GicCpuInterface, GicV3, Group, SgiTarget, SgiTargetGroup};
use arm_gic::{IntId, InterruptGroup, UniqueMmioPointer};
use core::arch::asm;
use core::cell::{Cell, UnsafeCell};
use core::ptr::{NonNull, with_exposed_provenance_mut};

/// Handles an interrupt, at the kernel's level: it may call what does not block.
pub type Handler = fn();

/// The interrupts that a handler can be set for.
const INTERRUPTS: usize = 96;
/// The one priority of all interrupts: they do not interrupt each other.
const KERNEL_PRIORITY: u8 = 0x80;
const LOWEST_PRIORITY: u8 = 0xFF;
/// The interrupts below are sent by software, those below the second number belong to one processor.
const SOFTWARE: u32 = 16;
const PRIVATE: u32 = 32;

struct Handlers([Cell<Option<Handler>>; INTERRUPTS]);

// SAFETY: one word each, written before the interrupt is enabled, on the one processor.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; INTERRUPTS]);

struct Controller(UnsafeCell<Option<GicV3<'static>>>);

// SAFETY: used by `with_controller` alone, with interrupts masked, on the one processor.
unsafe impl Sync for Controller {}

static CONTROLLER: Controller = Controller(UnsafeCell::new(None));

/// Gives the controller to `body`; it is set up at the first use. Interrupts are masked meanwhile, and as they were
/// afterwards.
fn with_controller<B: Board>(body: impl FnOnce(&mut GicV3<'static>)) {
    let mask = mask_and_remember();
    // SAFETY: nothing else refers to the static, and interrupts are masked: the one processor is here.
    let controller = unsafe { &mut *CONTROLLER.0.get() };
    body(controller.get_or_insert_with(set_up::<B>));
    restore(mask);
}

fn set_up<B: Board>() -> GicV3<'static> {
    let distributor = NonNull::new(with_exposed_provenance_mut::<Gicd>(B::DISTRIBUTOR));
    let redistributors = NonNull::new(with_exposed_provenance_mut::<GicrSgi>(B::REDISTRIBUTORS));
    let (Some(distributor), Some(redistributors)) = (distributor, redistributors) else {
        panic!("the board's interrupt controller has no address");
    };
    // SAFETY: the board's controller, mapped as device memory; only this module uses it.
    let controller = unsafe { GicV3::new(UniqueMmioPointer::new(distributor), redistributors, 1) };
    let Ok(mut controller) = controller else {
        panic!("the board's interrupt controller is not of version 3");
    };
    controller.setup(0);
    GicCpuInterface::set_priority_mask(LOWEST_PRIORITY);
    controller
}

fn identifier(number: u32) -> IntId {
    match number {
        software if software < SOFTWARE => IntId::sgi(software),
        private if private < PRIVATE => IntId::ppi(private - SOFTWARE),
        shared => IntId::spi(shared - PRIVATE),
    }
}

/// Makes `handler` handle the interrupt `number`, and lets it through.
pub(crate) fn set_handler<B: Board>(number: u32, handler: Handler) {
    let Some(place) = HANDLERS.0.get(number as usize) else {
        return;
    };
    place.set(Some(handler));
    let interrupt = identifier(number);
    with_controller::<B>(|controller| {
        // Neither can fail: the number is one that the controller has.
        let _ = controller.set_interrupt_priority(interrupt, Some(0), KERNEL_PRIORITY);
        let _ = controller.set_group(interrupt, Some(0), Group::Group1NS);
        let _ = controller.enable_interrupt(interrupt, Some(0), true);
    });
}

/// Lets interrupts through to the processor.
pub(crate) fn start<B: Board>() {
    with_controller::<B>(|_| ());
}

/// Sends this processor the interrupt `number`.
#[inline(always)]
pub(crate) fn pend(number: u32) {
    let target = SgiTarget::List {
        affinity3: 0,
        affinity2: 0,
        affinity1: 0,
        target_list: 1,
    };
    if number < SOFTWARE {
        // It cannot fail: the number is one of software's.
        let _ =
            GicCpuInterface::send_sgi(IntId::sgi(number), target, SgiTargetGroup::CurrentGroup1);
    }
}

/// Serves one interrupt. If more are pending, the processor comes again at once.
pub(crate) extern "C" fn dispatch() {
    let Some(interrupt) = GicCpuInterface::get_and_acknowledge_interrupt(InterruptGroup::Group1)
    else {
        return;
    };
    let number = interrupt.raw_value() as usize;
    if let Some(handler) = HANDLERS.0.get(number).and_then(Cell::get) {
        handler();
    }
    // A handler that called the kernel comes back with the mask cleared. Behind the end of
    // service the mask alone keeps out the next interrupt.
    mask();
    GicCpuInterface::end_interrupt(interrupt, InterruptGroup::Group1);
}

/// Masks kernel-level interrupts.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: accesses to memory are not moved across.
    unsafe { asm!("msr daifset, #2", options(nostack, preserves_flags)) }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: as for `mask`; the crate's head says why this is right in handlers too.
    unsafe { asm!("msr daifclr, #2", options(nostack, preserves_flags)) }
}

fn mask_and_remember() -> u64 {
    let was;
    // SAFETY: masks, and remembers what was.
    unsafe {
        asm!("mrs {}, daif", "msr daifset, #2", out(reg) was, options(nostack, preserves_flags))
    };
    was
}

fn restore(mask: u64) {
    // SAFETY: puts the mask back.
    unsafe { asm!("msr daif, {}", in(reg) mask, options(nostack, preserves_flags)) }
}

/// Whether the caller is a handler: it runs on the handlers' stack.
#[inline(always)]
pub(crate) fn in_handler() -> bool {
    let selected: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, spsel", out(reg) selected, options(nomem, nostack, preserves_flags)) };
    selected != 0
}
