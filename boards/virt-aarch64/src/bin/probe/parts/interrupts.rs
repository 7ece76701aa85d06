//! Owns: as much of the interrupt controller (GICv3, Arm IHI 0069) as wakes a halted processor.
#![expect(unsafe_code, reason = "device and processor registers")]

use core::arch::asm;

const DISTRIBUTOR: usize = 0x0800_0000;
const REDISTRIBUTORS: usize = 0x080a_0000;
const REDISTRIBUTOR_SIZE: usize = 0x2_0000;
/// The second frame of a redistributor: the processor's own interrupts.
const OWN: usize = 0x1_0000;

const GICD_CTLR: usize = 0;
const GICR_WAKER: usize = 0x14;
const IGROUPR0: usize = 0x80;
const ISENABLER0: usize = 0x100;

const VIRTUAL_TIMER: u64 = 27;
const CALL: u64 = 1;

fn write(address: usize, value: u32) {
    // SAFETY: a register of the board's interrupt controller, by the addresses above.
    unsafe { core::ptr::write_volatile(address as *mut u32, value) }
}

fn read(address: usize) -> u32 {
    // SAFETY: as in `write`.
    unsafe { core::ptr::read_volatile(address as *const u32) }
}

/// Affinity routing, and the second group of interrupts.
pub(super) fn enable_distributor() {
    write(DISTRIBUTOR + GICD_CTLR, 1 << 4 | 1 << 1 | 1);
}

/// Lets the timer and the call through to this processor.
pub(super) fn enable(processor: usize) {
    let redistributor = REDISTRIBUTORS + processor * REDISTRIBUTOR_SIZE;
    write(redistributor + GICR_WAKER, 0);
    while read(redistributor + GICR_WAKER) & 4 != 0 {}
    write(redistributor + OWN + IGROUPR0, u32::MAX);
    write(
        redistributor + OWN + ISENABLER0,
        1 << VIRTUAL_TIMER | 1 << CALL,
    );
    // SAFETY: the processor's half of the controller: system registers, all priorities, group 1.
    unsafe {
        asm!(
            "msr icc_sre_el1, {on}",
            "isb",
            "msr icc_pmr_el1, {all}",
            "msr icc_igrpen1_el1, {on}",
            "isb",
            on = in(reg) 1u64,
            all = in(reg) 0xffu64,
            options(nostack),
        );
    }
}

/// The timer is due at this tick.
pub(super) fn set_timer(due: u64) {
    // SAFETY: the virtual timer's own registers.
    unsafe {
        asm!("msr cntv_cval_el0, {}", "msr cntv_ctl_el0, {}", "isb", in(reg) due, in(reg) 1u64, options(nostack));
    }
}

/// Takes the timer's interrupt and ends it.
pub(super) fn end_timer() {
    // SAFETY: as in `set_timer`.
    unsafe { asm!("msr cntv_ctl_el0, xzr", "isb", options(nostack)) };
    end_call();
}

/// Takes the interrupt that waits and ends it.
pub(super) fn end_call() {
    // SAFETY: acknowledge and end of interrupt.
    unsafe {
        asm!("mrs {0}, icc_iar1_el1", "msr icc_eoir1_el1, {0}", "isb", out(reg) _, options(nostack));
    }
}

/// Sends this board's processor an interrupt.
pub(super) fn call(processor: usize) {
    let target = CALL << 24 | 1 << processor;
    // SAFETY: a software interrupt to a processor with its half of the controller enabled.
    unsafe { asm!("msr icc_sgi1r_el1, {}", "isb", in(reg) target, options(nostack)) };
}
