//! Owns: a guest in assembly with VCPUs that request the longest exits that are known. The guest is
//! linked into this image, at addresses that no other code has, so that the marks there are the
//! hypervisor's alone.
//! Must never know: the hypervisor's implementation of these exits.
//!
//! All VCPUs wait for one instant by both timers, round after round. The first one then waits until
//! the others wait again, and wakes them by one interrupt to all; makes all shared interrupts
//! pending, reads that, and takes it back; at the end it resets the partition. It runs without a
//! map (EL1, caches off) and takes no exception: interrupts end waits alone.

use core::arch::global_asm;
use taktos_abi::vm::{Description, layout};

/// Number of VCPUs: all that there can be.
pub const VCPUS: u8 = Description::VCPUS as u8;
/// Number of waits of each VCPU in a life.
const ROUNDS: u32 = 6;

unsafe extern "C" {
    static taktos_guest_begin: u8;
    static taktos_guest_end: u8;
}

/// Returns the address of the first byte of its code, where it begins.
pub fn begin() -> u64 {
    &raw const taktos_guest_begin as u64
}

/// Returns the address of the first byte after its code.
pub fn end() -> u64 {
    &raw const taktos_guest_end as u64
}

global_asm!(
    ".section .text.guest, \"ax\"",
    ".p2align 12",
    ".globl taktos_guest_begin",
    "taktos_guest_begin:",
    // CPU_ON of each other one, with its number.
    "mov w19, #1",
    "1: movz w0, #0xC400, lsl #16",
    "movk w0, #3",
    "mov x1, x19",
    "adr x2, taktos_guest_vcpu",
    "mov x3, x19",
    "hvc #0",
    "add w19, w19, #1",
    "cmp w19, #{vcpus}",
    "b.ne 1b",
    // All shared interrupts are of group 1 and enabled.
    "mov x24, #{distributor}",
    "mov w1, #2",
    "str w1, [x24]",
    "mvn w1, wzr",
    "str w1, [x24, #0x84]",
    "str w1, [x24, #0x88]",
    "str w1, [x24, #0x104]",
    "str w1, [x24, #0x108]",
    "mov x0, #0",
    // VCPU number x0: its redistributor is awake; software's first interrupt and both timers' are
    // of group 1 and enabled.
    "taktos_guest_vcpu:",
    "mov x20, x0",
    "movz x21, #{redistributor_high}, lsl #16",
    "add x21, x21, x20, lsl #17",
    "str wzr, [x21, #0x14]",
    "add x21, x21, #0x10, lsl #12",
    "mvn w1, wzr",
    "str w1, [x21, #0x80]",
    "movz w1, #{timers_high}, lsl #16",
    "movk w1, #1",
    "str w1, [x21, #0x100]",
    "mov x0, #0xFF",
    "msr icc_pmr_el1, x0",
    "mov x0, #1",
    "msr icc_igrpen1_el1, x0",
    "mrs x22, cntfrq_el0",
    "lsr x22, x22, #9",
    "mov w23, #{rounds}",
    // All wait for the next whole 512th of a second.
    "2: mrs x0, cntvct_el0",
    "udiv x1, x0, x22",
    "add x1, x1, #1",
    "mul x1, x1, x22",
    "msr cntv_cval_el0, x1",
    "msr cntp_cval_el0, x1",
    "mov x2, #1",
    "msr cntv_ctl_el0, x2",
    "msr cntp_ctl_el0, x2",
    "isb",
    "wfi",
    "msr cntv_ctl_el0, xzr",
    "msr cntp_ctl_el0, xzr",
    "isb",
    "mov w3, #4",
    "3: mrs x0, icc_iar1_el1",
    "msr icc_eoir1_el1, x0",
    "subs w3, w3, #1",
    "b.ne 3b",
    "cbnz x20, 5f",
    // The first one lets the others wait, and wakes them all: an interrupt to all but itself.
    "mrs x0, cntvct_el0",
    "add x0, x0, x22, lsr #1",
    "4: mrs x1, cntvct_el0",
    "cmp x1, x0",
    "b.lo 4b",
    "mov x0, #1 << 40",
    "msr icc_sgi1r_el1, x0",
    "isb",
    // More interrupts than list registers: all pending, and not any more.
    "mvn w1, wzr",
    "str w1, [x24, #0x204]",
    "str w1, [x24, #0x208]",
    "ldr w2, [x24, #0x204]",
    "str w1, [x24, #0x284]",
    "str w1, [x24, #0x288]",
    "5: subs w23, w23, #1",
    "b.ne 2b",
    "cbz x20, 7f",
    "6: wfi",
    "b 6b",
    // SYSTEM_RESET.
    "7: movz w0, #0x8400, lsl #16",
    "movk w0, #9",
    "hvc #0",
    "b 7b",
    ".p2align 6",
    ".globl taktos_guest_end",
    "taktos_guest_end:",
    ".text",
    vcpus = const VCPUS,
    rounds = const ROUNDS,
    distributor = const layout::DISTRIBUTOR,
    redistributor_high = const layout::REDISTRIBUTOR >> 16,
    timers_high = const (1u32 << (layout::TIMER_INTERRUPT - 16)) | 1 << (layout::PHYSICAL_TIMER_INTERRUPT - 16),
);
