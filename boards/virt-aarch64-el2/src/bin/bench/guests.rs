//! Owns: the two guests, in assembly so that only the measured code is between two marks.
//! Must never know: the hypervisor's implementation of their calls.
//!
//! The second begins first, because its period is shorter, and waits for its doorbell; the first
//! does everything. Both run without a map of their own (EL1, caches off). Interrupts lead to the
//! address in x27. Operations are repeated [`TIMES`] times, and the hypervisor keeps x19 to x28 as
//! any register.

use core::arch::global_asm;
use taktos_abi::vm::{call, layout};

/// Number of measurements of each operation.
const TIMES: u32 = 16;

unsafe extern "C" {
    static taktos_guests_begin: u8;
    static taktos_guests_end: u8;
    static taktos_guest_first: u8;
    static taktos_guest_second: u8;
}

/// Returns the address of the first byte of both guests' code.
pub fn begin() -> u64 {
    &raw const taktos_guests_begin as u64
}

/// Returns the address of the first byte after both guests' code.
pub fn end() -> u64 {
    &raw const taktos_guests_end as u64
}

/// Returns the entry of each guest.
pub fn entries() -> [u64; 2] {
    [
        &raw const taktos_guest_first as u64,
        &raw const taktos_guest_second as u64,
    ]
}

global_asm!(
    // A mark: a symbol at this place.
    ".macro mark name, edge",
    ".globl \"taktos.mark.\\name\\().\\edge\"",
    "\"taktos.mark.\\name\\().\\edge\":",
    ".endm",

    ".section .text.guests, \"ax\"",
    ".p2align 12",
    ".globl taktos_guests_begin",
    "taktos_guests_begin:",

    // The vectors: an interrupt at EL1 on its own stack pointer jumps to the address in x27,
    // anything else ends the guest.
    ".p2align 11",
    "taktos_guest_vectors:",
    ".rept 5",
    "b taktos_guest_off",
    ".p2align 7",
    ".endr",
    "br x27",
    ".p2align 7",
    ".rept 10",
    "b taktos_guest_off",
    ".p2align 7",
    ".endr",

    // Interrupts on: group 1, the timer's and the channel's enabled, all priorities.
    "taktos_guest_prepare:",
    "adr x0, taktos_guest_vectors",
    "msr vbar_el1, x0",
    "mov x0, #{distributor}",
    "mov w1, #2",
    "str w1, [x0]",
    "mvn w1, wzr",
    "str w1, [x0, #0x84]",
    "mov w1, #{channel_bit}",
    "str w1, [x0, #0x104]",
    "movz x0, #{redistributor_high}, lsl #16",
    "str wzr, [x0, #0x14]",
    "add x0, x0, #0x10, lsl #12",
    "mvn w1, wzr",
    "str w1, [x0, #0x80]",
    "mov w1, #{timer_bit}",
    "str w1, [x0, #0x100]",
    "mov x0, #0xFF",
    "msr icc_pmr_el1, x0",
    "mov x0, #1",
    "msr icc_igrpen1_el1, x0",
    "isb",
    "ret",

    // The interrupt is taken and ended; the interrupted code continues.
    "taktos_guest_end_interrupt:",
    "msr cntv_ctl_el0, xzr",
    "mrs x0, icc_iar1_el1",
    "msr icc_eoir1_el1, x0",
    "isb",
    "eret",

    "taktos_guest_off:",
    "movz w0, #0x8400, lsl #16",
    "movk w0, #8",
    "hvc #0",
    "b taktos_guest_off",

    ".globl taktos_guest_first",
    "taktos_guest_first:",
    "bl taktos_guest_prepare",
    "msr daifclr, #2",

    // A call that does nothing.
    "mov w19, #{times}",
    "1: movz w0, #{nothing_high}, lsl #16",
    "movk w0, #{nothing_low}",
    "mark hypercall, begin",
    "hvc #0",
    "mark hypercall, end",
    "subs w19, w19, #1",
    "b.ne 1b",

    // A trapped register.
    "mov w19, #{times}",
    "2: nop",
    "mark trapped-register, begin",
    "mrs x0, actlr_el1",
    "mark trapped-register, end",
    "subs w19, w19, #1",
    "b.ne 2b",

    // The emulated distributor.
    "mov w19, #{times}",
    "mov x20, #{distributor}",
    "3: nop",
    "mark distributor-read, begin",
    "ldr w0, [x20]",
    "mark distributor-read, end",
    "subs w19, w19, #1",
    "b.ne 3b",

    // The emulated console.
    "mov w19, #{times}",
    "movz x20, #{console_high}, lsl #16",
    "4: nop",
    "mark console-read, begin",
    "ldr w0, [x20, #0x18]",
    "mark console-read, end",
    "subs w19, w19, #1",
    "b.ne 4b",

    // An interrupt of its own.
    "mov w19, #{times}",
    "adr x27, 6f",
    "5: movz w0, #{ring_high}, lsl #16",
    "movk w0, #{ring_low}",
    "mov x1, #0",
    "mark virtual-interrupt, begin",
    "hvc #0",
    "subs w19, w19, #1",
    "b.ne 5b",
    "b 7f",
    "6: nop",
    "mark virtual-interrupt, end",
    "b taktos_guest_end_interrupt",

    // Its timer, which is due at once.
    "7: mov w19, #{times}",
    "adr x27, 9f",
    "8: mrs x0, cntvct_el0",
    "msr cntv_cval_el0, x0",
    "mov x1, #1",
    "mark timer-interrupt, begin",
    "msr cntv_ctl_el0, x1",
    "isb",
    "nop",
    "nop",
    "nop",
    "nop",
    "subs w19, w19, #1",
    "b.ne 8b",
    "b 10f",
    "9: nop",
    "mark timer-interrupt, end",
    "b taktos_guest_end_interrupt",

    // It waits for its timer, and the processor idles meanwhile.
    "10: mov w19, #{times}",
    "adr x27, 12f",
    "11: mrs x0, cntvct_el0",
    "add x0, x0, #4000",
    "msr cntv_cval_el0, x0",
    "mov x1, #1",
    "msr cntv_ctl_el0, x1",
    "isb",
    "mark wait-and-wake, begin",
    "wfi",
    "nop",
    "subs w19, w19, #1",
    "b.ne 11b",
    "b 13f",
    "12: nop",
    "mark wait-and-wake, end",
    "b taktos_guest_end_interrupt",

    // It rings for the second guest, which goes first, and comes back when that waits again.
    "13: mov w19, #{times}",
    "14: movz w0, #{doorbell_high}, lsl #16",
    "movk w0, #{doorbell_low}",
    "mov x1, #0",
    "mark doorbell, begin",
    "hvc #0",
    "mark switch, end",
    "subs w19, w19, #1",
    "b.ne 14b",
    "b taktos_guest_off",

    // The second guest ends after the same number of answers.
    ".globl taktos_guest_second",
    "taktos_guest_second:",
    "bl taktos_guest_prepare",
    "adr x27, 16f",
    "mov w19, #{times}",
    "msr daifclr, #2",
    "15: nop",
    "mark switch, begin",
    "wfi",
    "nop",
    "subs w19, w19, #1",
    "b.ne 15b",
    "b taktos_guest_off",
    "16: nop",
    "mark doorbell, end",
    "b taktos_guest_end_interrupt",

    ".p2align 6",
    ".globl taktos_guests_end",
    "taktos_guests_end:",
    ".text",

    times = const TIMES,
    distributor = const layout::DISTRIBUTOR,
    redistributor_high = const layout::REDISTRIBUTOR >> 16,
    console_high = const layout::CONSOLE >> 16,
    channel_bit = const 1u32 << (layout::CHANNEL_INTERRUPT - 32),
    timer_bit = const 1u32 << layout::TIMER_INTERRUPT,
    nothing_high = const call::NOTHING >> 16,
    nothing_low = const call::NOTHING & 0xFFFF,
    ring_high = const call::RING_SELF >> 16,
    ring_low = const call::RING_SELF & 0xFFFF,
    doorbell_high = const call::DOORBELL >> 16,
    doorbell_low = const call::DOORBELL & 0xFFFF,
);
