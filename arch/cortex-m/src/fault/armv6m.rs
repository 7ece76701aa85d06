//! Owns: the registers of a fault of Armv6-M, which has one exception for all and no status of it.
//! Must never know: how a fault is reported.

use super::taktos_fault;
use crate::guard;
use core::arch::naked_asm;
use core::ops::Range;
use taktos_machine::{Cause, Fault, Upcalls};

/// The fault exception: lays out the stack pointer, the processor's frame and r4 to r11 on the main
/// stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn HardFault() {
    naked_asm!(
        "mov r12, lr",
        "mov r0, lr",
        // Bit 2 says on which stack the frame is.
        "lsls r1, r0, #29",
        "mrs r0, msp",
        "bpl 2f",
        "mrs r0, psp",
        "2:",
        // Four registers and a word for the alignment.
        "sub sp, #20",
        "push {{r4-r7}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "add r1, sp, #16",
        "stmia r1!, {{r4-r7}}",
        "sub sp, #32",
        "mov r1, sp",
        "ldmia r0!, {{r4-r7}}",
        "stmia r1!, {{r4-r7}}",
        "ldmia r0!, {{r4-r7}}",
        "stmia r1!, {{r4-r7}}",
        "push {{r0}}",
        "mov r0, sp",
        "mov r1, r12",
        "bl {report}",
        report = sym taktos_fault,
    )
}

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "sp  r0  r1  r2  r3  r12 lr  pc  xpsrr4  r5  r6  r7  r8  r9  r10 r11 ";
/// The registers that the processor itself stores.
const FRAME_SIZE: usize = 32;
/// Registers of a report.
pub type Registers = [usize; 17];

/// Reports a fault to the kernel; `values` are its registers, in the order of their names. The
/// stack is the one thing by which a cause can be told.
pub fn report_fault<U: Upcalls>(values: &Registers, exception_return: usize) -> ! {
    let of_thread = exception_return & 8 != 0;
    let is_below = values[0].wrapping_sub(FRAME_SIZE) < guard::lowest_of_thread();
    let cause = match of_thread && (is_below || guard::is_overrun()) {
        true => Cause::StackOverflow,
        false => Cause::Other,
    };
    U::fault(&Fault {
        cause,
        address: None,
        values,
        names: NAMES,
        status: None,
        in_interrupt: !of_thread,
    })
}

/// None: a frame that cannot be stored stops the processor.
pub(crate) fn lost(_: &[usize]) -> Range<usize> {
    0..0
}
