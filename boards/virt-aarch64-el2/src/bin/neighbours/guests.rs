//! Owns: a guest that is measured by its exits, and three that do all they can to delay it, in
//! assembly so that only the measured code is between two marks.
//! Must never know: the hypervisor's implementation of their exits.
//!
//! Each has a processor of its own and runs without a map (EL1, caches off), with interrupts
//! masked. The first ends the emulator when it has measured all.

use core::arch::global_asm;
use taktos_abi::vm::{call, layout};

/// Number of measurements of each exit.
const TIMES: u32 = 400;

unsafe extern "C" {
    static taktos_guests_begin: u8;
    static taktos_guests_end: u8;
    static taktos_guest_victim: u8;
    static taktos_guest_rings: u8;
    static taktos_guest_writes: u8;
    static taktos_guest_resets: u8;
    static taktos_guest_waits: u8;
    static taktos_guest_calls: u8;
    static taktos_guest_answers: u8;
}

/// Returns the address of the first byte of the guests' code.
pub fn begin() -> u64 {
    &raw const taktos_guests_begin as u64
}

/// Returns the address of the first byte after the guests' code.
pub fn end() -> u64 {
    &raw const taktos_guests_end as u64
}

/// The guests beside the first one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// They wait.
    Waiting,
    /// They attack.
    Attacking,
    /// The second answers doorbells of the first, which is not measured otherwise.
    Answering,
}

/// Returns the entries of the guests.
pub fn entries(beside: Beside) -> [u64; 4] {
    let waits = &raw const taktos_guest_waits;
    let entries = match beside {
        Beside::Waiting => [&raw const taktos_guest_victim, waits, waits, waits],
        Beside::Attacking => [
            &raw const taktos_guest_victim,
            &raw const taktos_guest_rings,
            &raw const taktos_guest_writes,
            &raw const taktos_guest_resets,
        ],
        Beside::Answering => [
            &raw const taktos_guest_calls,
            &raw const taktos_guest_answers,
            waits,
            waits,
        ],
    };
    entries.map(|entry| entry as u64)
}

global_asm!(
    // An exit, `TIMES` times: what is called in x22, an argument of it in x23.
    ".macro exits name, instruction:vararg",
    "mov w19, #{times}",
    "1: mov x0, x22",
    "mov x1, x23",
    ".globl \"taktos.mark.\\name\\().begin\"",
    "\"taktos.mark.\\name\\().begin\":",
    "\\instruction",
    ".globl \"taktos.mark.\\name\\().end\"",
    "\"taktos.mark.\\name\\().end\":",
    "subs w19, w19, #1",
    "b.ne 1b",
    ".endm",

    ".section .text.guests, \"ax\"",
    ".p2align 12",
    ".globl taktos_guests_begin",
    "taktos_guests_begin:",

    ".globl taktos_guest_victim",
    "taktos_guest_victim:",
    "mov x20, #{distributor}",
    "movz x21, #{console_high}, lsl #16",
    // The others begin, and their memory is filled.
    "mov w19, #0x20000",
    "1: subs w19, w19, #1",
    "b.ne 1b",
    "movz w22, #{nothing_high}, lsl #16",
    "movk w22, #{nothing_low}",
    "mov x23, #0",
    "exits hypercall, hvc #0",
    "exits trapped-register, mrs x0, actlr_el1",
    "exits distributor-read, ldr w0, [x20]",
    "exits distributor-write, str w1, [x20, #0x104]",
    "exits console-read, ldr w0, [x21, #0x18]",
    "movz w22, #{ring_high}, lsl #16",
    "movk w22, #{ring_low}",
    "exits virtual-interrupt, hvc #0",
    "movz w22, #0xC400, lsl #16",
    "movk w22, #4",
    "exits affinity-info, hvc #0",
    "movz w22, #{doorbell_high}, lsl #16",
    "movk w22, #{doorbell_low}",
    "exits doorbell, hvc #0",
    "movz w22, #{who_high}, lsl #16",
    "movk w22, #{who_low}",
    "exits who, hvc #0",
    "movz w22, #{channel_high}, lsl #16",
    "movk w22, #{channel_low}",
    "exits channel, hvc #0",
    // SYS_EXIT of semihosting.
    "taktos_guest_end:",
    "mov w0, #0x18",
    "adr x1, 2f",
    "hlt #0xF000",
    "2: .quad 0x20026, 0",

    // It rings for the first guest, changes its interrupt controller and gives way.
    ".globl taktos_guest_rings",
    "taktos_guest_rings:",
    "mov x20, #{distributor}",
    "mvn w2, wzr",
    "1: movz w0, #{doorbell_high}, lsl #16",
    "movk w0, #{doorbell_low}",
    "mov x1, #0",
    "hvc #0",
    "str w2, [x20, #0x104]",
    "str w2, [x20, #0x204]",
    "str w2, [x20, #0x284]",
    "movz w0, #{yield_high}, lsl #16",
    "movk w0, #{yield_low}",
    "hvc #0",
    "b 1b",

    // It floods the console.
    ".globl taktos_guest_writes",
    "taktos_guest_writes:",
    "movz x21, #{console_high}, lsl #16",
    "mov w0, #'x'",
    "1: str w0, [x21]",
    "b 1b",

    // SYSTEM_RESET, again and again.
    ".globl taktos_guest_resets",
    "taktos_guest_resets:",
    "movz w0, #0x8400, lsl #16",
    "movk w0, #9",
    "hvc #0",
    "b taktos_guest_resets",

    // The channel's interrupt is of group 1 and enabled, and it ends waits alone.
    "taktos_guest_prepare:",
    "mov x0, #{distributor}",
    "mov w1, #2",
    "str w1, [x0]",
    "mvn w1, wzr",
    "str w1, [x0, #0x84]",
    "mov w1, #{channel_bit}",
    "str w1, [x0, #0x104]",
    "movz x0, #{redistributor_high}, lsl #16",
    "str wzr, [x0, #0x14]",
    "mov x0, #0xFF",
    "msr icc_pmr_el1, x0",
    "mov x0, #1",
    "msr icc_igrpen1_el1, x0",
    "isb",
    "ret",

    // The other end of channel 0 is rung.
    "taktos_guest_ring:",
    "movz w0, #{doorbell_high}, lsl #16",
    "movk w0, #{doorbell_low}",
    "mov x1, #0",
    ".globl \"taktos.mark.ring.begin\"",
    "\"taktos.mark.ring.begin\":",
    "hvc #0",
    "ret",

    // The channel's interrupt has come, and is ended.
    "taktos_guest_heard:",
    "1: wfi",
    "mrs x0, icc_iar1_el1",
    "cmp x0, #1020",
    "b.hs 1b",
    ".globl \"taktos.mark.ring.end\"",
    "\"taktos.mark.ring.end\":",
    "msr icc_eoir1_el1, x0",
    "isb",
    "ret",

    // It rings and waits for the answer.
    ".globl taktos_guest_calls",
    "taktos_guest_calls:",
    "bl taktos_guest_prepare",
    "mov w19, #0x20000",
    "1: subs w19, w19, #1",
    "b.ne 1b",
    "mov w19, #{times}",
    "2: bl taktos_guest_ring",
    "bl taktos_guest_heard",
    "subs w19, w19, #1",
    "b.ne 2b",
    "b taktos_guest_end",

    // It answers.
    ".globl taktos_guest_answers",
    "taktos_guest_answers:",
    "bl taktos_guest_prepare",
    "1: bl taktos_guest_heard",
    "bl taktos_guest_ring",
    "b 1b",

    // It does nothing.
    ".globl taktos_guest_waits",
    "taktos_guest_waits:",
    "wfi",
    "b taktos_guest_waits",

    ".p2align 6",
    ".globl taktos_guests_end",
    "taktos_guests_end:",
    ".text",

    times = const TIMES,
    distributor = const layout::DISTRIBUTOR,
    redistributor_high = const layout::REDISTRIBUTOR >> 16,
    channel_bit = const 1u32 << (layout::CHANNEL_INTERRUPT - 32),
    console_high = const layout::CONSOLE >> 16,
    nothing_high = const call::NOTHING >> 16,
    nothing_low = const call::NOTHING & 0xFFFF,
    ring_high = const call::RING_SELF >> 16,
    ring_low = const call::RING_SELF & 0xFFFF,
    doorbell_high = const call::DOORBELL >> 16,
    doorbell_low = const call::DOORBELL & 0xFFFF,
    who_high = const call::WHO >> 16,
    who_low = const call::WHO & 0xFFFF,
    channel_high = const call::CHANNEL >> 16,
    channel_low = const call::CHANNEL & 0xFFFF,
    yield_high = const call::YIELD >> 16,
    yield_low = const call::YIELD & 0xFFFF,
);
