//! Owns: the processors' beginning and end, their counter and their sleep.
#![expect(unsafe_code, reason = "start-up code and processor registers")]

use core::arch::{asm, global_asm};

global_asm!(
    ".pushsection .text.start, \"ax\"",
    ".global start",
    "start:",
    "    mov x20, xzr", // the first processor
    "    b 1f",
    ".global start_other",
    "start_other:",
    "    mov x20, x0", // its number, which its starter gave it
    "1:  ldr x1, =stacks",
    "    add x2, x20, #1",
    "    add x1, x1, x2, lsl #14",
    "    mov sp, x1",
    "    mov x0, x20",
    "    cbnz x20, {other}",
    "    b {first}",
    ".popsection",
    first = sym super::sequence::first,
    other = sym super::sequence::other,
);

unsafe extern "C" {
    safe fn start_other() -> !;
}

const CPU_OFF: u64 = 0x8400_0002;
const CPU_ON: u64 = 0xc400_0003;
const AFFINITY_INFO: u64 = 0xc400_0004;
const OFF: u64 = 1;

/// A call of the power firmware (PSCI, Arm DEN0022).
fn power(function: u64, processor: u64, entry: u64, argument: u64) -> u64 {
    let answer;
    // SAFETY: the firmware keeps to the procedure call standard (SMCCC 1.0: x4 to x17 may change).
    unsafe {
        asm!(
            "hvc #0",
            inlateout("x0") function => answer,
            inlateout("x1") processor => _,
            inlateout("x2") entry => _,
            inlateout("x3") argument => _,
            clobber_abi("C"),
        );
    }
    answer
}

pub(super) fn start_processor(processor: usize) {
    let entry = start_other as *const () as u64;
    power(CPU_ON, processor as u64, entry, processor as u64);
}

pub(super) fn is_off(processor: usize) -> bool {
    power(AFFINITY_INFO, processor as u64, 0, 0) == OFF
}

pub(super) fn stop_this_processor() -> ! {
    loop {
        power(CPU_OFF, 0, 0, 0);
    }
}

/// Ticks of the virtual counter.
#[inline(always)]
pub(super) fn now() -> u64 {
    let ticks;
    // SAFETY: reads a counter.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Ticks of the counter that the loops run: a millisecond; a tick is 16 ns.
pub(super) const SPAN: u64 = 62_500;

/// Turns of a loop from the tick `begin` on, for the span.
pub(super) fn count_turns(begin: u64) -> u64 {
    while now() < begin {}
    let mut turns = 0;
    while now() < begin + SPAN {
        turns += 1;
    }
    turns
}

/// Halts until an interrupt waits; interrupts stay masked.
pub(super) fn wait_for_interrupt() {
    // SAFETY: the halt alone.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
}
