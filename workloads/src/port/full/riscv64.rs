//! Owns: full registers of 64-bit RISC-V.

use super::GiveWay;
use core::arch::{asm, naked_asm};

/// The registers that a call keeps, onto the stack.
#[doc(hidden)]
#[macro_export]
macro_rules! keep {
    () => {
        "addi sp, sp, -112
         sd ra, 0(sp)
         sd s0, 8(sp)
         sd s1, 16(sp)
         sd s2, 24(sp)
         sd s3, 32(sp)
         sd s4, 40(sp)
         sd s5, 48(sp)
         sd s6, 56(sp)
         sd s7, 64(sp)
         sd s8, 72(sp)
         sd s9, 80(sp)
         sd s10, 88(sp)
         sd s11, 96(sp)"
    };
}
/// Back from there, and the return.
#[doc(hidden)]
#[macro_export]
macro_rules! give_back {
    () => {
        "ld ra, 0(sp)
         ld s0, 8(sp)
         ld s1, 16(sp)
         ld s2, 24(sp)
         ld s3, 32(sp)
         ld s4, 40(sp)
         ld s5, 48(sp)
         ld s6, 56(sp)
         ld s7, 64(sp)
         ld s8, 72(sp)
         ld s9, 80(sp)
         ld s10, 88(sp)
         ld s11, 96(sp)
         addi sp, sp, 112
         ret"
    };
}

/// Fills every register but the stack pointer, gp and tp, and looks whether they stay, `steps`
/// times.
#[unsafe(naked)]
pub extern "C" fn spin_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        keep!(),
        "addi sp, sp, -16",
        "sd a0, 0(sp)",
        "mv ra, a0",
        "mv a0, a1",
        // Each holds the seed and its own number; a0 counts, t0 is what they are compared with.
        ".irp n, 6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "addi x\\n, ra, \\n",
        ".endr",
        "2:",
        ".irp n, 6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "addi t0, ra, \\n",
        "bne t0, x\\n, 3f",
        ".endr",
        "addi a0, a0, -1",
        "bnez a0, 2b",
        "ld a0, 0(sp)",
        "sub a0, a0, ra",
        "addi sp, sp, 16",
        give_back!(),
        "3:",
        "li a0, 1",
        "addi sp, sp, 16",
        give_back!(),
    )
}

/// Fills the registers that a call keeps, yields, and looks whether they are the same.
#[unsafe(naked)]
pub extern "C" fn yield_with_registers<G: GiveWay>(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        keep!(),
        "addi sp, sp, -16",
        "sd a0, 0(sp)",
        "sd a1, 8(sp)",
        "2:",
        "ld a0, 0(sp)",
        ".irp n, 8,9,18,19,20,21,22,23,24,25,26,27",
        "addi x\\n, a0, \\n",
        ".endr",
        "call {give_way}",
        "ld a0, 0(sp)",
        "ld a1, 8(sp)",
        ".irp n, 8,9,18,19,20,21,22,23,24,25,26,27",
        "addi t0, a0, \\n",
        "bne t0, x\\n, 3f",
        ".endr",
        "addi a1, a1, -1",
        "sd a1, 8(sp)",
        "bnez a1, 2b",
        "li a0, 0",
        "addi sp, sp, 16",
        give_back!(),
        "3:",
        "li a0, 1",
        "addi sp, sp, 16",
        give_back!(),
        give_way = sym G::give_way,
    )
}

/// Fills f0 to f31 and fcsr, does what is between, and looks whether they are the same.
macro_rules! with_float {
    ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".option push",
            ".option arch, +d",
            keep!(),
            "mv s2, a0",
            "mv s3, a1",
            "2:",
            // A rounding mode and flags, and a different word in each register.
            "andi s4, s2, 0x7F",
            "fscsr s4",
            "mv s5, s2",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "fmv.d.x f\\n, s5",
            "addi s5, s5, 1",
            ".endr",
            $($between,)*
            "frcsr s6",
            "bne s6, s4, 3f",
            "mv s5, s2",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "fmv.x.d s6, f\\n",
            "bne s6, s5, 3f",
            "addi s5, s5, 1",
            ".endr",
            "addi s3, s3, -1",
            "bnez s3, 2b",
            "li a0, 0",
            give_back!(),
            "3:",
            "li a0, 1",
            give_back!(),
            ".option pop",
            $($name = sym $function)?
        )
    };
}

/// Fills the floating-point registers, and looks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("nop")
}

/// Fills the floating-point registers, switches away, and checks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn yield_with_float<G: GiveWay>(seed: u32, steps: u32) -> u32 {
    with_float!("call {give_way}", give_way = sym G::give_way)
}

/// Whether floating-point registers are zero.
pub fn float_is_clear() -> bool {
    let (first, last): (u64, u64);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +d",
            "fmv.x.d {0}, f0",
            "fmv.x.d {1}, f31",
            ".option pop",
            out(reg) first, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    first | last == 0
}

/// Keeps out interrupts, as the kernel's mask does.
pub fn mask() {
    // SAFETY: a mask, no more.
    unsafe { asm!("csrci sstatus, 2", options(nostack, preserves_flags)) };
}

/// Whether the handlers' stack is put by (`sscratch`: zero in handlers).
pub fn is_as_it_should(in_handler: bool) -> bool {
    let stack: usize;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, sscratch", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    (stack == 0) == in_handler
}
