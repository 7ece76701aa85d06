//! Owns: the page of code that is the supervisor's in all maps: where traps lead in programs with
//! partitions, and the last instructions on the way to a thread of one; and what threads in U-mode
//! may do of themselves. Must never know: what is done in the kernel's map.

use super::entry::call;
use super::interrupt::interrupt_or_fault;
use super::map::KERNEL;
use super::state::{OFFSET, REGISTERS, SP};
use crate::processors::user::{find_processor, with_processor};
use crate::trap::trap;
use core::arch::asm;
use core::mem::offset_of;
use taktos_machine::Processor;

/// Routes traps to the page, and forbids U-mode all operations that concern others.
pub fn enable() {
    // SAFETY: the page handles all traps, those of privileged threads as before. In U-mode neither
    // the time nor cycles are counted (`scounteren`), and no cache is kept up (`senvcfg`, which
    // a U54 has not); the registers are this port's own.
    unsafe {
        asm!(
            "csrw scounteren, zero",
            #[cfg(not(feature = "u54-mc"))]
            "csrw 0x10a, zero", // senvcfg
            "csrw stvec, {page}",
            page = in(reg) page(),
            options(nostack, preserves_flags),
        );
    }
}

/// The page's address.
pub fn page() -> usize {
    crossing as *const () as usize
}

/// `sstatus.SPP`: a trap came from supervisor mode.
const PRIVILEGED: usize = 1 << 8;
/// The cause of a call from U-mode (privileged architecture, `scause`).
const CALL: i32 = 8;

/// A page of code, whole. It begins with every trap.
///
/// A call continues at [`call`] with the thread's stack pointer in s2 and its tp in s3. All else
/// continues at [`interrupt_or_fault`], with all registers stored and the address of the thread's
/// state in t1. In both, `sp` is the top of the handlers' stack, as is `sscratch`, and the map is
/// the kernel's.
///
/// `taktos_to_user` and `taktos_to_interrupted` go to U-mode, to the map of which t0 is what `satp`
/// gets. The former clears the registers that carry no answer and are not the thread's. The latter
/// loads all from the state's registers, which are at the stack pointer.
#[unsafe(naked)]
extern "C" fn crossing() {
    with_processor!(
        ".p2align 12",
        "csrrw sp, sscratch, sp",
        "beqz sp, 2f",
        // There is nothing on this stack while a thread runs.
        "sd t0, -8(sp)",
        "csrr t0, sstatus",
        "andi t0, t0, {privileged}",
        "beqz t0, 3f",
        "ld t0, -8(sp)",
        "2:",
        "csrrw sp, sscratch, sp",
        "j {trap}",
        "3:",
        "csrr t0, scause",
        "addi t0, t0, -{call_cause}",
        "bnez t0, 4f",
        "la t0, {kernel}",
        "ld t0, 0(t0)",
        "csrw satp, t0",
        "mv s3, tp",
        "csrrw s2, sscratch, sp",
        "j {call}",
        "4:",
        "sd t1, -16(sp)",
        find_processor!("t1"),
        "ld t1, {current}(t1)",
        "addi t1, t1, {registers}",
        ".irp n, 1,3,4,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "sd x\\n, \\n * 8(t1)",
        ".endr",
        "ld t0, -8(sp)",
        "sd t0, 5 * 8(t1)",
        "ld t0, -16(sp)",
        "sd t0, 6 * 8(t1)",
        "csrrw t0, sscratch, sp",
        "sd t0, {stack_pointer}(t1)",
        "addi t1, t1, -{in_state}",
        "la t0, {kernel}",
        "ld t0, 0(t0)",
        "csrw satp, t0",
        "j {interrupt_or_fault}",
        ".globl taktos_to_user",
        "taktos_to_user:",
        "csrw satp, t0",
        ".irp n, 1,5,6,7,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "li x\\n, 0",
        ".endr",
        "sret",
        ".globl taktos_to_interrupted",
        "taktos_to_interrupted:",
        "csrw satp, t0",
        ".irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "ld x\\n, \\n * 8(sp)",
        ".endr",
        "ld sp, {stack_pointer}(sp)",
        "sret",
        ".p2align 12",
        privileged = const PRIVILEGED,
        call_cause = const CALL,
        kernel = sym KERNEL,
        trap = sym trap,
        call = sym call,
        interrupt_or_fault = sym interrupt_or_fault,
        current = const offset_of!(Processor, current),
        registers = const OFFSET + REGISTERS,
        in_state = const REGISTERS,
        stack_pointer = const SP * 8,
    )
}
