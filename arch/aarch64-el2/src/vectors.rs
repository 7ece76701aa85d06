//! Owns: where exceptions lead at EL2: the exit of a guest, its return, the wait of an idle
//! processor. Must never know: what an exit means.

use crate::fault::report;
use crate::own::Own;
use crate::vcpu::Vcpu;
use core::arch::{asm, naked_asm};
use core::mem::offset_of;

unsafe extern "C" {
    // The board's, by [`upcalls!`](crate::upcalls).
    fn taktos_start();
    fn taktos_exception();
    fn taktos_interrupt();
    fn taktos_error();
    fn taktos_waited();
}

/// Makes the processor use the table below.
pub(crate) fn install() {
    // SAFETY: the table is whole and aligned.
    unsafe {
        asm!(
            "msr vbar_el2, {}",
            "isb",
            in(reg) table as *const () as usize,
            options(nostack),
        );
    }
}

/// An exit: `SP_EL2` is the VCPU's address. 27 instructions with the jump into the hypervisor, of
/// the 32 that an entry of the table has room for.
macro_rules! exit {
    ($handler:literal) => {
        concat!(
            ".p2align 7
             stp x0, x1, [sp]
             stp x2, x3, [sp, #16]
             stp x4, x5, [sp, #32]
             stp x6, x7, [sp, #48]
             stp x8, x9, [sp, #64]
             stp x10, x11, [sp, #80]
             stp x12, x13, [sp, #96]
             stp x14, x15, [sp, #112]
             stp x16, x17, [sp, #128]
             stp x18, x19, [sp, #144]
             stp x20, x21, [sp, #160]
             stp x22, x23, [sp, #176]
             stp x24, x25, [sp, #192]
             stp x26, x27, [sp, #208]
             stp x28, x29, [sp, #224]
             mrs x1, elr_el2
             mrs x2, spsr_el2
             stp x30, x1, [sp, #{link}]
             str x2, [sp, #{state}]
             mrs x3, tpidr_el2
             ldr x3, [x3, #{stack}]
             mov x0, sp
             mov sp, x3
             adr x30, {resume}
             b ",
            $handler
        )
    };
}

/// Handles an exception of EL2's own: it ends the machine. A few registers describe the interrupted
/// code.
macro_rules! own_exception {
    ($entry:literal) => {
        own_exception!($entry, ".p2align 7")
    };
    ($entry:literal, $place:literal) => {
        concat!(
            $place,
            "
             mrs x1, tpidr_el2
             ldr x1, [x1, #{report_stack}]
             mov x2, sp
             mov sp, x1
             mov x0, #",
            $entry,
            "
             mov x1, x30
             b {report}"
        )
    };
}

/// An asynchronous error at EL2. In the window of [`take_error`] it is what that looks for;
/// anywhere else it ends the machine.
macro_rules! own_error {
    () => {
        concat!(
            ".p2align 7
             mrs x1, elr_el2
             adr x2, {take_error}
             sub x1, x1, x2
             sub x1, x1, #{window}
             cmp x1, #4
             b.hi 3f
             mrs x1, spsr_el2
             orr x1, x1, #0x100
             msr spsr_el2, x1
             mov x0, #1
             eret
             dsb nsh
             isb
             3:",
            own_exception!("7", "")
        )
    };
}

/// From the beginning of [`take_error`] to its window, in bytes.
const WINDOW: usize = 32;

/// Waits until all accesses of this processor are complete, and takes the asynchronous error
/// (SError) that came of them: 1 if there was one, which is masked everywhere else at EL2. Armv8.0
/// has no ESB: the pending error shows in ISR_EL1.A (Arm ARM, D13.2), and a window of two
/// instructions without the mask lets it in. No emulator shows one.
#[unsafe(naked)]
pub(crate) extern "C" fn take_error() -> u64 {
    naked_asm!(
        "dsb sy",
        "isb",
        "mrs x0, isr_el1",
        "tbnz x0, #8, 2f",
        "mov x0, #0",
        "ret",
        "2:",
        "mov x0, #0",
        "msr daifclr, #4",
        // The window: the error is taken here.
        "isb",
        "msr daifset, #4",
        "ret",
    )
}

/// The vector table (Arm ARM, D1.10.2): the exceptions of EL2 itself, on either stack pointer,
/// those of a guest in AArch64, and those of a guest's user mode in AArch32.
#[unsafe(naked)]
#[unsafe(link_section = ".text.table")]
#[unsafe(export_name = "taktos_vectors")]
extern "C" fn table() {
    naked_asm!(
        ".p2align 11",
        own_exception!("0"),
        own_exception!("1"),
        own_exception!("2"),
        own_exception!("3"),
        own_exception!("4"),
        own_exception!("5"),
        own_exception!("6"),
        own_error!(),
        exit!("{exception}"),
        exit!("{interrupt}"),
        exit!("{interrupt}"),
        exit!("{error}"),
        exit!("{exception}"),
        exit!("{interrupt}"),
        exit!("{interrupt}"),
        exit!("{error}"),
        exception = sym taktos_exception,
        interrupt = sym taktos_interrupt,
        error = sym taktos_error,
        link = const Vcpu::LINK,
        state = const offset_of!(Vcpu, state),
        stack = const offset_of!(Own, stack),
        report_stack = const offset_of!(Own, report_stack),
        resume = sym resume,
        report = sym report,
        take_error = sym take_error,
        window = const WINDOW,
    )
}

/// Resumes the VCPU at the address in x0. If that is null, waits for an interrupt, which stays
/// masked, and requests the next VCPU again. Does not wait if there is more to do. The stack is
/// empty. 23 instructions to the guest.
#[unsafe(naked)]
#[unsafe(link_section = ".text.vectors")]
extern "C" fn resume() {
    naked_asm!(
        "cbz x0, 1f",
        "mov sp, x0",
        "ldp x30, x1, [sp, #{link}]",
        "ldr x2, [sp, #{state}]",
        "msr elr_el2, x1",
        "msr spsr_el2, x2",
        "ldp x2, x3, [sp, #16]",
        "ldp x4, x5, [sp, #32]",
        "ldp x6, x7, [sp, #48]",
        "ldp x8, x9, [sp, #64]",
        "ldp x10, x11, [sp, #80]",
        "ldp x12, x13, [sp, #96]",
        "ldp x14, x15, [sp, #112]",
        "ldp x16, x17, [sp, #128]",
        "ldp x18, x19, [sp, #144]",
        "ldp x20, x21, [sp, #160]",
        "ldp x22, x23, [sp, #176]",
        "ldp x24, x25, [sp, #192]",
        "ldp x26, x27, [sp, #208]",
        "ldp x28, x29, [sp, #224]",
        "ldp x0, x1, [sp]",
        "eret",
        // No instruction after the return is executed, nor speculated on, with the guest's
        // registers.
        "dsb nsh",
        "isb",
        "1:",
        "mrs x1, tpidr_el2",
        "ldr x2, [x1, #{again}]",
        "str xzr, [x1, #{again}]",
        "cbnz x2, 2f",
        // Writes to the interrupt controller and to memory are out before the wait.
        "dsb sy",
        "wfi",
        "2:",
        "adr x30, {resume}",
        "b {waited}",
        link = const Vcpu::LINK,
        state = const offset_of!(Vcpu, state),
        again = const offset_of!(Own, again),
        waited = sym taktos_waited,
        resume = sym resume,
    )
}

/// The first entry of this processor into the hypervisor, on its own stack, which begins at
/// `stack`.
#[unsafe(naked)]
pub(crate) extern "C" fn enter(stack: usize) -> ! {
    naked_asm!(
        "mov sp, x0",
        "adr x30, {resume}",
        "b {start}",
        resume = sym resume,
        start = sym taktos_start,
    )
}
