//! Owns: the part of the interrupts that wakes a halted processor: the supervisor's, which the
//! kernel uses; here they wait in machine mode and never arrive.
#![expect(unsafe_code, reason = "device and processor registers")]

use core::arch::asm;

/// The words by which a processor is called (SETSSIP of the ACLINT).
const CALLS: usize = 0x02f0_0000;

/// The supervisor's software and timer interrupts, in `mie` and `mip`.
const CALL: u64 = 1 << 1;
const TIMER: u64 = 1 << 5;

/// There is nothing but the processors' own halves.
pub(super) fn enable_distributor() {}

/// Lets the timer and the call wake this processor.
pub(super) fn enable(_: usize) {
    // SAFETY: the supervisor's comparator works (`menvcfg.STCE`), and is not due; interrupts stay
    // masked.
    unsafe {
        asm!(
            "csrs 0x30a, {comparator}",
            "csrw 0x14d, {never}",
            "csrw mie, {wanted}",
            comparator = in(reg) 1u64 << 63,
            never = in(reg) u64::MAX,
            wanted = in(reg) CALL | TIMER,
            options(nostack),
        );
    }
}

/// Lets calls alone wake it.
pub(super) fn enable_calls() {
    // SAFETY: interrupts stay masked.
    unsafe { asm!("csrw mie, {}", in(reg) CALL, options(nostack)) };
}

/// The timer is due at this tick.
pub(super) fn set_timer(due: u64) {
    // SAFETY: the comparator's own register (`stimecmp`).
    unsafe { asm!("csrw 0x14d, {}", in(reg) due, options(nostack)) };
}

/// Ends the timer.
pub(super) fn end_timer() {
    set_timer(u64::MAX);
}

/// Takes the call that waits.
pub(super) fn end_call() {
    // SAFETY: an interrupt's own bit.
    unsafe { asm!("csrc mip, {}", in(reg) CALL, options(nostack)) };
}

/// Sends another processor the call.
pub(super) fn call(processor: usize) {
    let word = (CALLS + 4 * processor) as *mut u32;
    // SAFETY: the device's word for that processor; the fence orders memory before it.
    unsafe {
        asm!("fence", options(nostack));
        core::ptr::write_volatile(word, 1);
    }
}
