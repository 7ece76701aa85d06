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

/// How many interrupts can have handlers: those that software sends, those of each processor, and 64 of devices.
pub const INTERRUPTS: u32 = 96;
/// The one priority of all interrupts: they do not interrupt each other.
const KERNEL_PRIORITY: u8 = 0x80;
const LOWEST_PRIORITY: u8 = 0xFF;
/// The interrupts below are sent by software, those below the second number belong to one processor.
pub(crate) const SOFTWARE: u32 = 16;
const PRIVATE: u32 = 32;

struct Handlers([Cell<Option<Handler>>; INTERRUPTS as usize]);

// SAFETY: one word each, written before the interrupt is enabled; where it is enabled already, its handler comes to be
// another one at some instant, for each processor.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; INTERRUPTS as usize]);

struct Controller(UnsafeCell<Option<GicV3<'static>>>);

// SAFETY: used by `with_controller` alone, with interrupts masked, by one processor at a time.
unsafe impl Sync for Controller {}

static CONTROLLER: Controller = Controller(UnsafeCell::new(None));

/// Who holds it uses the controller. A lock of its own, taken behind the seam's one lock or without that.
#[cfg(feature = "smp")]
static CONTROLLER_LOCK: taktos_lock::TicketLock = taktos_lock::TicketLock::new();

/// Gives the controller to `body`; it is set up at the first use. Interrupts are masked meanwhile, and as they were
/// afterwards.
fn with_controller<B: Board>(body: impl FnOnce(&mut GicV3<'static>)) {
    let mask = mask_and_remember();
    #[cfg(feature = "smp")]
    CONTROLLER_LOCK.lock(crate::lock::wait);
    // SAFETY: nothing else refers to the static, interrupts are masked, and this is the one processor or has the lock.
    let controller = unsafe { &mut *CONTROLLER.0.get() };
    body(controller.get_or_insert_with(set_up::<B>));
    #[cfg(feature = "smp")]
    CONTROLLER_LOCK.unlock();
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

/// Makes `handler` handle the interrupt `number`, and lets it through. A private one comes to each processor.
pub(crate) fn set_handler<B: Board>(number: u32, handler: Handler) {
    let Some(place) = HANDLERS.0.get(number as usize) else {
        return;
    };
    place.set(Some(handler));
    // Seen by whichever processor the interrupt comes to.
    #[cfg(feature = "smp")]
    publish();
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

/// Keeps the interrupt `number` from its handler, on each processor.
pub(crate) fn disable<B: Board>(number: u32) {
    if number >= INTERRUPTS {
        return;
    }
    with_controller::<B>(|controller| {
        for owner in 0..owners::<B>(number) {
            // It cannot fail: the number is one that the controller has.
            let _ = controller.enable_interrupt(identifier(number), Some(owner), false);
        }
    });
}

/// Makes the interrupt `number` of a device pending, as the device would.
pub(crate) fn pend_shared<B: Board>(number: u32) {
    const SET_PENDING: usize = 0x200;
    if !(PRIVATE..INTERRUPTS).contains(&number) {
        return;
    }
    let word = B::DISTRIBUTOR + SET_PENDING + number as usize / 32 * 4;
    // SAFETY: a register of the controller, mapped as device memory; a bit that is written as zero changes nothing.
    unsafe { with_exposed_provenance_mut::<u32>(word).write_volatile(1 << (number % 32)) };
}

/// Lets interrupts through to the processor.
pub(crate) fn start<B: Board>() {
    with_controller::<B>(|_| ());
}

/// Lets interrupts through to the processor `number`, which is the caller's and not the first.
#[cfg(feature = "smp")]
pub(crate) fn start_another<B: Board>(number: usize) {
    with_controller::<B>(|controller| controller.init_cpu(number));
    GicCpuInterface::set_priority_mask(LOWEST_PRIORITY);
    GicCpuInterface::enable_group1(true);
}

/// Sends this processor the interrupt `number`.
#[cfg(not(feature = "smp"))]
#[inline(always)]
pub(crate) fn pend(number: u32) {
    send(number, listed(0));
}

/// Sends this processor the interrupt `number`: the one that the caller is on while it is sent.
#[cfg(feature = "smp")]
pub(crate) fn pend(number: u32) {
    let mask = mask_and_remember();
    send(number, listed(crate::state::own().number.get()));
    restore(mask);
}

/// Sends the processor `to` the interrupt `number`; what was stored before is seen there.
#[cfg(feature = "smp")]
#[inline(always)]
pub(crate) fn send_to(number: u32, to: usize) {
    publish();
    send(number, listed(to));
}

/// Sends the other processors the interrupt `number`; what was stored before is seen there.
#[cfg(feature = "smp")]
pub(crate) fn send_to_others(number: u32) {
    publish();
    send(number, SgiTarget::All);
}

/// Waits until other processors see what this one has stored: a write of a system register is not ordered behind it
/// otherwise (GIC architecture, IHI 0069, section 4.8.5 leaves that to the sender).
#[cfg(feature = "smp")]
#[inline(always)]
fn publish() {
    // SAFETY: a barrier.
    unsafe { asm!("dsb ishst", options(nostack, preserves_flags)) }
}

/// What is read from here on is not older than the interrupt that was acknowledged: its sender's stores are seen.
#[cfg(feature = "smp")]
#[inline(always)]
fn settle() {
    // SAFETY: a barrier.
    unsafe { asm!("dsb sy", options(nostack, preserves_flags)) }
}

/// A processor by its number, below 16, which is the lowest field of its affinity; the others are zero.
#[inline(always)]
fn listed(processor: usize) -> SgiTarget {
    SgiTarget::List {
        affinity3: 0,
        affinity2: 0,
        affinity1: 0,
        target_list: 1 << processor,
    }
}

#[inline(always)]
fn send(number: u32, target: SgiTarget) {
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
    #[cfg(feature = "smp")]
    settle();
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
