//! Owns: work that fills the floating-point registers and looks whether they stay.

use super::{FLOAT_SPINS, LEFT, RIGHT, check, doze, entries, give_way, interrupts, labour, nested};
use crate::Board;
use core::arch::{asm, naked_asm};
use core::ptr;
use taktos_kernel::{System, Timeout};

/// The register that says what the floating-point unit can do: zero without one (Armv7-M manual,
/// B3.2.20).
const FEATURES: usize = 0xE000_EF40;

/// Whether the processor has a floating-point unit.
pub fn is_there() -> bool {
    // SAFETY: a register that is only read.
    unsafe { ptr::with_exposed_provenance::<u32>(FEATURES).read_volatile() != 0 }
}

/// Fills floating-point registers and their status, and core registers, lets something happen, and
/// looks whether they are the same, `steps` times. r4 is the seed, r5 the steps left, r6 the
/// status. A processor without floating point has the core registers alone.
macro_rules! with_float {
    ($float:literal, $core:literal, [$($between:literal),*] $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".fpu fpv4-sp-d16",
            "push {{r4-r11, r12, lr}}",
            "mov r4, r0",
            "mov r5, r1",
            "2:",
            // The rounding mode is another one in each round, the comparison's flags are the
            // thread's.
            "lsl r6, r4, #20",
            "and r6, r6, #0x00C00000",
            "and r7, r4, #0xF0000000",
            "orr r6, r6, r7",
            "movw r7, #:lower16:{features}",
            "movt r7, #:upper16:{features}",
            "ldr r7, [r7]",
            "cmp r7, #0",
            "beq.w 4f",
            "vmsr fpscr, r6",
            "add r7, r4, #0x100",
            concat!(".irp n, ", $float),
            "vmov s\\n, r7",
            "add r7, r7, #1",
            ".endr",
            "4:",
            concat!(".irp n, ", $core),
            "add r\\n, r4, #\\n",
            ".endr",
            $($between,)*
            concat!(".irp n, ", $core),
            "sub r8, r\\n, #\\n",
            "cmp r8, r4",
            "bne 3f",
            ".endr",
            "movw r7, #:lower16:{features}",
            "movt r7, #:upper16:{features}",
            "ldr r7, [r7]",
            "cmp r7, #0",
            "beq.w 5f",
            "vmrs r8, fpscr",
            // Armv8.1-M has the size of loops' tails there.
            "bic r8, r8, #0x70000",
            "cmp r8, r6",
            "bne 3f",
            "add r7, r4, #0x100",
            concat!(".irp n, ", $float),
            "vmov r8, s\\n",
            "cmp r8, r7",
            "bne 3f",
            "add r7, r7, #1",
            ".endr",
            "mrs r8, control",
            // Armv8-M says a second time, for the secure state, that there is floating-point state.
            "bic r8, r8, #8",
            "cmp r8, #6",
            "bne 3f",
            "5:",
            "subs r5, r5, #1",
            "bne 2b",
            "movs r0, #0",
            "pop {{r4-r11, r12, pc}}",
            "3:",
            "movs r0, #1",
            "pop {{r4-r11, r12, pc}}",
            features = const FEATURES,
            $($name = sym $function)?
        )
    };
}

/// All registers, while interrupts may come at any time.
#[unsafe(naked)]
pub extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
    with_float!(
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "0,1,2,3,9,10,11,12",
        [".rept 20", "nop", ".endr"]
    )
}

/// The registers that a call keeps, across a yield.
#[unsafe(naked)]
pub extern "C" fn yield_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31", "9,10,11",
        ["bl {give_way}"], give_way = sym give_way)
}

/// The registers that a call keeps, across a sleep.
#[unsafe(naked)]
pub extern "C" fn doze_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31", "9,10,11",
        ["bl {doze}"], doze = sym doze)
}

/// The registers that a call keeps, across a wait for a handler.
#[unsafe(naked)]
pub extern "C" fn wait_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31", "9,10,11",
        ["bl {wait}"], wait = sym interrupts::wait)
}

/// The registers that a call keeps, across every kind of entry into the kernel.
#[unsafe(naked)]
pub extern "C" fn enter_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31", "9,10,11",
        ["bl {entries}"], entries = sym entries::in_a_thread)
}

/// The registers that a call keeps, across handlers that nest.
#[unsafe(naked)]
pub extern "C" fn nest_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31", "9,10,11",
        ["bl {nest}"], nest = sym nested::nest)
}

/// A thread that ends with floating-point state leaves nothing, not even for its next start.
pub fn begins_unused_after_an_end() {
    if !is_there() {
        return;
    }
    for _ in 0..3 {
        check("unused", LEFT.start(begins_unused).is_ok());
        check("unused", LEFT.join(Timeout::FOREVER).is_ok());
        check("unused", RIGHT.start_with(labour, &FLOAT_SPINS[1]).is_ok());
        check("unused", RIGHT.join(Timeout::FOREVER).is_ok());
    }
    Board::write("floating point begins unused\n");
}

fn begins_unused() {
    let (control, status): (u32, u32);
    // SAFETY: reads registers of this thread.
    unsafe {
        asm!(
            ".fpu fpv4-sp-d16",
            "mrs {0}, control",
            "vmrs {1}, fpscr",
            out(reg) control, out(reg) status,
            options(nomem, nostack, preserves_flags),
        );
    }
    check("a thread begins without floating-point state", control == 2);
    check(
        "the rounding mode begins as the default",
        status & 0x07C0_0000 == 0,
    );
    check("floats", spin_with_float(0x7777_7770, 3) == 0);
}
