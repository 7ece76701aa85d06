//! Owns: a loop of a known number of instructions. Must never know: what it represents.
#![cfg_attr(
    any(target_arch = "aarch64", target_arch = "riscv64"),
    expect(unsafe_code, reason = "a loop of known length, in assembly")
)]

/// How many instructions a turn of the loop has.
const TURN: u64 = 2;

/// Executes about `wanted` instructions: turns of two, at least one. Says how many they were.
#[inline(never)]
pub fn instructions(wanted: u64) -> u64 {
    let turns = (wanted / TURN).max(1);
    spin(turns);
    turns * TURN
}

#[cfg(target_arch = "aarch64")]
fn spin(turns: u64) {
    // SAFETY: counts a register down.
    unsafe {
        core::arch::asm!(
            "2:",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            turns = inout(reg) turns => _,
            options(nomem, nostack)
        );
    }
}

#[cfg(target_arch = "riscv64")]
fn spin(turns: u64) {
    // SAFETY: counts a register down.
    unsafe {
        core::arch::asm!(
            "2:",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            turns = inout(reg) turns => _,
            options(nomem, nostack)
        );
    }
}

/// Turns that the compiler cannot leave out, for machines on which no instructions are counted.
#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
fn spin(turns: u64) {
    for turn in 0..turns {
        core::hint::black_box(turn);
    }
}
