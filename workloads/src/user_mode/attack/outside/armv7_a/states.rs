//! Owns: attacks in the states that a thread may choose: the other order of bytes, the other set of
//! instructions. Must never know: the contents of memory.

use super::{SLEPT, demand};
use core::arch::{asm, naked_asm};
use taktos_abi::call::Number;

/// The order of bytes in a status.
const BIG_ENDIAN: usize = 1 << 9;

pub(super) fn call_in_other_order() {
    let (mut status, mut state): (usize, usize);
    // SAFETY: a call; between the instructions that change the order of bytes nothing else is done.
    unsafe {
        asm!(
            "setend be",
            "svc #1",
            "mrs r1, cpsr",
            "setend le",
            out("r0") status,
            out("r1") state,
            inout("r12") Number::YieldNow as usize => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
        );
    }
    demand(status == 0 && state & BIG_ENDIAN != 0);
    // SAFETY: as above; another thread runs meanwhile.
    unsafe {
        asm!(
            "setend be",
            "svc #1",
            "mrs r1, cpsr",
            "setend le",
            out("r0") status,
            out("r1") state,
            inout("r2") 30_000 => _,
            inout("r3") 0 => _,
            inout("r12") Number::Sleep as usize => _,
            out("r4") _, out("r5") _, out("r8") _, out("r9") _,
        );
    }
    demand(status == SLEPT && state & BIG_ENDIAN != 0);
}

pub(super) fn spin_in_other_order() {
    // SAFETY: never returns.
    unsafe { asm!("setend be", "2:", "b 2b", options(noreturn)) }
}

#[unsafe(naked)]
pub(super) extern "C" fn t32_undefined() {
    naked_asm!(
        "adr r3, 2f",
        "orr r3, r3, #1",
        "bx r3",
        ".p2align 2",
        ".thumb",
        "2:",
        "nop",
        ".globl taktos_attack_in_t32",
        "taktos_attack_in_t32:",
        "udf #0",
        "bx lr",
        ".p2align 2",
        ".arm",
    )
}

unsafe extern "C" {
    /// The instruction there that is none.
    pub(super) static taktos_attack_in_t32: u8;
}

/// Calls in the midst of a block under a condition, and says whether all of the block was done.
#[unsafe(naked)]
extern "C" fn t32_call() -> usize {
    naked_asm!(
        "push {{r4-r10, lr}}",
        "mov r12, #{sleep}",
        "movw r2, #30000",
        "mov r3, #0",
        "mov r6, #0",
        "adr r4, 2f",
        "orr r4, r4, #1",
        "bx r4",
        ".p2align 2",
        ".thumb",
        "2:",
        "cmp r6, #0",
        "ittte eq",
        "moveq r7, #1",
        "svceq #1",
        "addeq r7, r7, #2",
        "movne r7, #8",
        "add r0, r0, r7",
        ".p2align 2",
        "bx pc",
        "nop",
        ".p2align 2",
        ".arm",
        "pop {{r4-r10, pc}}",
        sleep = const Number::Sleep as usize,
    )
}

pub(super) fn call_in_t32() {
    demand(t32_call() == SLEPT + 3);
}

/// Goes round through blocks under a condition while interrupts come, and says how often all of a
/// block was done.
#[unsafe(naked)]
extern "C" fn t32_blocks(rounds: usize) -> usize {
    naked_asm!(
        "push {{r4-r6, lr}}",
        "mov r4, r0",
        "mov r0, #0",
        "adr r1, 2f",
        "orr r1, r1, #1",
        "bx r1",
        ".p2align 2",
        ".thumb",
        "2:",
        "cmp r4, r4",
        "itete eq",
        "addeq r0, r0, #1",
        "addne r0, r0, #64",
        "addeq r0, r0, #1",
        "addne r0, r0, #64",
        "subs r4, r4, #1",
        "bne 2b",
        ".p2align 2",
        "bx pc",
        "nop",
        ".p2align 2",
        ".arm",
        "pop {{r4-r6, pc}}",
    )
}

pub(super) fn spin_in_t32() {
    const ROUNDS: usize = 100_000;
    demand(t32_blocks(ROUNDS) == 2 * ROUNDS);
}
