//! Owns: the physical interrupt controller (GIC version 3). Must never know: what an interrupt is
//! good for.

use crate::console;
use crate::fault::fail;
use crate::own;
use aarch64_cpu::registers::{ICC_SRE_EL2, Writeable};
use arm_gic::gicv3::registers::{Gicd, GicrSgi};
use arm_gic::gicv3::{GicCpuInterface, GicV3, Group};
use arm_gic::{IntId, UniqueMmioPointer};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::ptr::{NonNull, with_exposed_provenance, with_exposed_provenance_mut};
use taktos_abi::vm::layout;
use taktos_hypervisor::hardware::{CALL_INTERRUPT, CONSOLE_INTERRUPT};

/// The one priority of all interrupts: they do not interrupt each other.
const PRIORITY: u8 = 0x80;
const LOWEST_PRIORITY: u8 = 0xFF;
/// The interrupts below are sent by software, those below the second number belong to one
/// processor.
const SOFTWARE: u32 = 16;
const PRIVATE: u32 = 32;
/// Value of the acknowledge register if no interrupt is pending: numbers from here on are special.
const SPECIAL: u64 = 1020;
/// ICC_CTLR_EL1.EOImode: the end of an interrupt drops its priority, and does not deactivate it.
const END_IN_TWO_STEPS: u64 = 1 << 1;

/// The private interrupts that come to the hypervisor.
const OWN: [u32; 4] = [
    CALL_INTERRUPT,
    layout::MAINTENANCE_INTERRUPT,
    layout::HYPERVISOR_TIMER_INTERRUPT,
    layout::TIMER_INTERRUPT,
];

struct Controller(UnsafeCell<Option<GicV3<'static>>>);

// SAFETY: used by `with_controller` alone, by one processor at a time.
unsafe impl Sync for Controller {}

static CONTROLLER: Controller = Controller(UnsafeCell::new(None));

/// Gives the controller to `body`, if it was set up. Callers take turns: the start-up code, where
/// one processor waits for the other; later, the holder of the one lock.
fn with_controller(body: impl FnOnce(&mut GicV3<'static>)) {
    // SAFETY: one processor at a time is here, and `body` does not come here.
    if let Some(controller) = unsafe { &mut *CONTROLLER.0.get() } {
        body(controller);
    }
}

/// Sets the controller up for `cpus` processors, and the caller's interface.
pub(crate) fn set_up(cpus: usize) {
    let distributor = NonNull::new(with_exposed_provenance_mut::<Gicd>(
        layout::DISTRIBUTOR as usize,
    ));
    let redistributors = NonNull::new(with_exposed_provenance_mut::<GicrSgi>(
        layout::REDISTRIBUTOR as usize,
    ));
    let (Some(distributor), Some(redistributors)) = (distributor, redistributors) else {
        return;
    };
    open_interface();
    // SAFETY: the board's controller, mapped as device memory; guests find it nowhere.
    let controller =
        unsafe { GicV3::new(UniqueMmioPointer::new(distributor), redistributors, cpus) };
    let Ok(mut controller) = controller else {
        fail("the board's interrupt controller is not of version 3");
    };
    controller.setup(0);
    for number in OWN {
        for cpu in 0..cpus {
            // Neither can fail: the number is one that the controller has.
            let _ = controller.set_interrupt_priority(identifier(number), Some(cpu), PRIORITY);
            let _ = controller.set_group(identifier(number), Some(cpu), Group::Group1NS);
            let _ = controller.enable_interrupt(identifier(number), Some(cpu), true);
        }
    }
    // SAFETY: the first use, before other processors start.
    unsafe { *CONTROLLER.0.get() = Some(controller) };
    let_through();
}

/// Sets up the interface of processor `cpu`, which calls and is not the first.
pub(crate) fn set_up_another(cpu: usize) {
    open_interface();
    with_controller(|controller| controller.init_cpu(cpu));
    let_through();
}

/// Opens the system registers: to EL2, and ICC_SRE_EL1 to guests.
fn open_interface() {
    ICC_SRE_EL2.write(
        ICC_SRE_EL2::SRE::SET
            + ICC_SRE_EL2::DFB::SET
            + ICC_SRE_EL2::DIB::SET
            + ICC_SRE_EL2::ENABLE::SET,
    );
    aarch64_cpu::asm::barrier::isb(aarch64_cpu::asm::barrier::SY);
}

fn let_through() {
    // SAFETY: `acknowledge` and `deactivate` are the two steps.
    unsafe {
        asm!("msr icc_ctlr_el1, {}", in(reg) END_IN_TWO_STEPS, options(nostack, preserves_flags));
    }
    GicCpuInterface::set_priority_mask(LOWEST_PRIORITY);
    GicCpuInterface::enable_group1(true);
}

fn identifier(number: u32) -> IntId {
    match number {
        software if software < SOFTWARE => IntId::sgi(software),
        private if private < PRIVATE => IntId::ppi(private - SOFTWARE),
        shared => IntId::spi(shared - PRIVATE),
    }
}

/// Takes the most urgent interrupt and drops its priority.
#[inline(always)]
pub(crate) fn acknowledge() -> Option<u32> {
    let number: u64;
    // SAFETY: the interrupt becomes active, and stays so until it is deactivated.
    unsafe { asm!("mrs {}, icc_iar1_el1", out(reg) number, options(nostack, preserves_flags)) };
    if number >= SPECIAL {
        return None;
    }
    // SAFETY: ends the priority of the interrupt that was just taken.
    unsafe { asm!("msr icc_eoir1_el1, {}", in(reg) number, options(nostack, preserves_flags)) };
    Some(number as u32)
}

/// Deactivates an interrupt: it can come again.
#[inline(always)]
pub(crate) fn deactivate(number: u32) {
    // SAFETY: the caller was given the number by `acknowledge`.
    unsafe {
        asm!("msr icc_dir_el1, {}", in(reg) u64::from(number), options(nostack, preserves_flags))
    };
}

/// Enables a shared interrupt and sends it to processor `cpu`, or disables it.
pub(crate) fn route(number: u32, cpu: Option<usize>) {
    if number < PRIVATE {
        return;
    }
    with_controller(|controller| {
        let interrupt = identifier(number);
        // A number that the controller does not have changes nothing.
        if let Some(cpu) = cpu {
            let _ = controller
                .distributor()
                .set_routing(interrupt, Some(cpu as u64));
            let _ = controller.set_interrupt_priority(interrupt, None, PRIORITY);
            let _ = controller.set_group(interrupt, None, Group::Group1NS);
        }
        let _ = controller.enable_interrupt(interrupt, None, cpu.is_some());
    });
    if number == CONSOLE_INTERRUPT {
        console::announce_input();
    }
}

/// Whether shared interrupt `number` is asserted: its level, which shows as a pending state while
/// it is active; yes, where it is edge-triggered.
pub(crate) fn is_asserted(number: u32) -> bool {
    /// GICD_ISPENDR, a bit for each interrupt; GICD_ICFGR, two, of which the upper one marks an
    /// edge-triggered interrupt.
    const PENDING: usize = 0x200;
    const CONFIGURATION: usize = 0xC00;
    let word = |offset: usize, per_word: u32| {
        let at = layout::DISTRIBUTOR as usize + offset + 4 * (number / per_word) as usize;
        // SAFETY: a register of the distributor, which is mapped; reading it changes nothing.
        unsafe { with_exposed_provenance::<u32>(at).read_volatile() }
    };
    let edge = word(CONFIGURATION, 16) >> (2 * (number % 16) + 1) & 1;
    edge | word(PENDING, 32) >> (number % 32) & 1 != 0
}

/// Sends processor `cpu` the call; what was stored before is seen there (IHI 0069, section 4.8.5
/// leaves that to the sender).
#[inline(always)]
pub(crate) fn call(cpu: usize) {
    /// ICC_SGI1R_EL1.INTID.
    const NUMBER: u32 = 24;
    let whom = u64::from(CALL_INTERRUPT) << NUMBER | 1 << cpu;
    // SAFETY: an interrupt, of which the hypervisor expects any number.
    unsafe {
        asm!("dsb ishst", "msr icc_sgi1r_el1, {}", in(reg) whom, options(nostack, preserves_flags));
    }
}

/// Says whether private interrupt 27 is active on this processor.
#[inline(always)]
pub(crate) fn set_timer_active(active: bool) {
    /// The frame of a redistributor that private interrupts are in, and its GICR_ISACTIVER0 and
    /// GICR_ICACTIVER0.
    const FRAME: usize = 0x1_0000;
    const SET: usize = 0x300;
    const CLEAR: usize = 0x380;
    let own =
        layout::REDISTRIBUTOR as usize + own::number() * layout::REDISTRIBUTOR_STRIDE as usize;
    let register = own + FRAME + if active { SET } else { CLEAR };
    // SAFETY: a register of this processor's own redistributor, of which each bit written changes
    // one interrupt.
    unsafe {
        with_exposed_provenance_mut::<u32>(register).write_volatile(1 << layout::TIMER_INTERRUPT);
    }
}
