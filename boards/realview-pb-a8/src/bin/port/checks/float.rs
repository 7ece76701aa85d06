//! Owns: work that fills the floating-point registers and looks whether they stay.

use super::{FLOATS_RIGHT, LEFT, RIGHT, check, give_way, labour};
use core::arch::{asm, naked_asm};
use realview_pb_a8::Board;
use taktos_kernel::{System, Timeout};

/// Fills d0 to d31 and FPSCR, runs r3 and looks whether they are the same; for threads with float.
macro_rules! with_float {
    ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".fpu neon",
            "push {{r4-r12, lr}}",
            "mov r4, r0",
            "mov r5, r1",
            "2:",
            // A rounding mode, and a different word in each half of each register.
            "lsr r6, r4, #6",
            "and r6, r6, #0x00C00000",
            "vmsr fpscr, r6",
            "mov r7, r4",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "add r8, r7, #1",
            "vmov d\\n, r7, r8",
            "add r7, r7, #2",
            ".endr",
            $($between,)*
            "vmrs r9, fpscr",
            "cmp r9, r6",
            "bne 3f",
            "mov r7, r4",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "vmov r9, r10, d\\n",
            "add r8, r7, #1",
            "cmp r9, r7",
            "cmpeq r10, r8",
            "bne 3f",
            "add r7, r7, #2",
            ".endr",
            "subs r5, r5, #1",
            "bne 2b",
            "mov r0, #0",
            "pop {{r4-r12, pc}}",
            "3:",
            "mov r0, #1",
            "pop {{r4-r12, pc}}",
            $($name = sym $function)?
        )
    };
}

#[unsafe(naked)]
pub extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("nop")
}

#[unsafe(naked)]
pub extern "C" fn yield_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("bl {give_way}", give_way = sym give_way)
}

/// A thread that ends with floating-point state leaves nothing behind, not even when it begins anew.
pub fn begins_cleared_after_an_end() {
    for _ in 0..3 {
        check("cleared", LEFT.start(begins_cleared).is_ok());
        check("cleared", LEFT.join(Timeout::FOREVER).is_ok());
        check("cleared", RIGHT.start_with(labour, &FLOATS_RIGHT).is_ok());
        check("cleared", RIGHT.join(Timeout::FOREVER).is_ok());
    }
    Board::write("floating point begins cleared\n");
}

fn begins_cleared() {
    let (low, high, last): (u32, u32, u32);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".fpu neon",
            "vmov {0}, {1}, d0",
            "vmov.32 {2}, d31[1]",
            ".fpu none",
            out(reg) low, out(reg) high, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    check(
        "floating-point registers begin as zero",
        low | high | last == 0,
    );
    check("floats", spin_with_float(0x7777_7777, 3) == 0);
}
