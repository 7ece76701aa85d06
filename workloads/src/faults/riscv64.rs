//! Owns: what the language has no words for, in instructions of 64-bit RISC-V.

use core::arch::asm;

/// The instruction that returns from a function.
pub const RETURN: u32 = 0x0000_8067;

/// Does what `f` does with `room` bytes left on the caller's stack.
pub fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
    // The stack's lowest page boundary is right below it: the guard is a page. SAFETY: goes down on
    // the thread's own stack; does not come back to what it clobbers.
    unsafe {
        asm!(
            "li t0, -4096",
            "and sp, sp, t0",
            "add sp, sp, a0",
            "jalr a1",
            "unimp",
            in("a1") f,
            in("a0") room,
            options(noreturn),
        );
    }
}

/// Executes the contents of `place`.
pub fn jump(place: usize) -> ! {
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("jr {}", in(reg) place, options(noreturn)) }
}

/// Executes what is no instruction.
pub fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("unimp") };
}

/// Executes an undefined instruction in a thread that may use the floating-point unit.
pub fn undefined_with_float() {
    // SAFETY: uses a register of this thread, and faults.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +d",
            "fmv.d.x f0, zero",
            ".option pop",
            "unimp"
        )
    };
}
