//! Owns: the guests: a few instructions each, which look at their own registers.
//! Must never know: how EL2 answers them; `script` knows their calls.

use core::arch::global_asm;

global_asm!(
    ".section .rodata.guest, \"a\"",
    ".arch_extension fp",
    ".arch_extension simd",
    ".balign 2048",
    ".globl guest_begin",
    "guest_begin:",
    // The vector table of EL1: an exception of its own, an interrupt; nothing else is expected.
    ".macro vector",
    ".balign 128",
    ".endm",
    ".rept 4",
    "vector",
    "hvc #0xff",
    ".endr",
    "vector",
    "b 8f",
    "vector",
    "b 9f",
    ".rept 10",
    "vector",
    "hvc #0xff",
    ".endr",
    "vector",
    // An exception: it tells EL2, and goes on.
    "8:",
    "mrs x0, esr_el1",
    "mrs x1, elr_el1",
    "mrs x2, far_el1",
    "hvc #9",
    "eret",
    // The timer's interrupt: it stops the timer, and remembers the number.
    "9:",
    "mrs x10, icc_iar1_el1",
    "msr cntv_ctl_el0, xzr",
    "isb",
    "msr icc_eoir1_el1, x10",
    "eret",
    // System registers that hold any number.
    ".macro each_register body",
    ".set place, 0",
    ".irp register, sp_el0, elr_el1, spsr_el1, ttbr0_el1, ttbr1_el1, tcr_el1, mair_el1, contextidr_el1, esr_el1, far_el1, tpidr_el0, tpidrro_el0, tpidr_el1, cntv_cval_el0",
    "\\body \\register",
    ".set place, place + 1",
    ".endr",
    ".endm",
    ".macro set_register register",
    "mov x3, #(seed + 200 + place)",
    "msr \\register, x3",
    ".endm",
    ".macro look_at_register register",
    "mov x3, #(seed + 200 + place)",
    "mrs x1, \\register",
    "eor x1, x1, x3",
    "orr x0, x0, x1",
    ".endm",
    // The halves of the floating-point registers.
    ".macro each_half body",
    ".set place, 0",
    ".irp half, v0.d[0], v0.d[1], v1.d[0], v1.d[1], v2.d[0], v2.d[1], v3.d[0], v3.d[1], v4.d[0], v4.d[1], v5.d[0], v5.d[1], v6.d[0], v6.d[1], v7.d[0], v7.d[1], v8.d[0], v8.d[1], v9.d[0], v9.d[1], v10.d[0], v10.d[1], v11.d[0], v11.d[1], v12.d[0], v12.d[1], v13.d[0], v13.d[1], v14.d[0], v14.d[1], v15.d[0], v15.d[1], v16.d[0], v16.d[1], v17.d[0], v17.d[1], v18.d[0], v18.d[1], v19.d[0], v19.d[1], v20.d[0], v20.d[1], v21.d[0], v21.d[1], v22.d[0], v22.d[1], v23.d[0], v23.d[1], v24.d[0], v24.d[1], v25.d[0], v25.d[1], v26.d[0], v26.d[1], v27.d[0], v27.d[1], v28.d[0], v28.d[1], v29.d[0], v29.d[1], v30.d[0], v30.d[1], v31.d[0], v31.d[1]",
    "\\body \\half",
    ".set place, place + 1",
    ".endr",
    ".endm",
    ".macro set_half half",
    "mov x3, #(seed + place)",
    "mov \\half, x3",
    ".endm",
    ".macro look_at_half half",
    "mov x3, #(seed + place)",
    "mov x1, \\half",
    "eor x1, x1, x3",
    "orr x0, x0, x1",
    ".endm",
    // Fills all registers with what only this guest has.
    ".macro fill",
    "mov x3, #(3 << 20)",
    "msr cpacr_el1, x3",
    "isb",
    "each_register set_register",
    "mov x3, #(1 << 22)",
    "msr fpcr, x3",
    "mov x3, #(seed >> 10)",
    "msr fpsr, x3",
    "each_half set_half",
    ".irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
    "mov x\\n, #(seed + 100 + \\n)",
    ".endr",
    "mov x3, #(seed + 300)",
    "mov sp, x3",
    ".endm",
    // x0: zero if all of them are as they were.
    ".macro look",
    "mov x0, #0",
    ".irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
    "mov x3, #(seed + 100 + \\n)",
    "eor x3, x3, x\\n",
    "orr x0, x0, x3",
    ".endr",
    "each_half look_at_half",
    "each_register look_at_register",
    "mov x3, #(seed + 300)",
    "mov x1, sp",
    "eor x1, x1, x3",
    "orr x0, x0, x1",
    "mrs x1, fpcr",
    "eor x1, x1, #(1 << 22)",
    "orr x0, x0, x1",
    "mov x3, #(seed >> 10)",
    "mrs x1, fpsr",
    "eor x1, x1, x3",
    "orr x0, x0, x1",
    ".endm",
    // Waits for the timer's interrupt, which comes a little later; x0: its number.
    ".macro take_timer",
    "mov x10, #0",
    "mrs x1, cntvct_el0",
    "add x1, x1, #1000",
    "msr cntv_cval_el0, x1",
    "mov x1, #1",
    "msr cntv_ctl_el0, x1",
    "msr daifclr, #2",
    "7:",
    "cbz x10, 7b",
    "msr daifset, #2",
    "mov x0, x10",
    "hvc #6",
    ".endm",
    // The first guest.
    ".balign 8",
    ".globl guest_first",
    "guest_first:",
    "mrs x1, mpidr_el1",
    "hvc #1",
    ".set seed, 1024",
    "fill",
    "hvc #2",
    "look",
    "hvc #4",
    // Interrupts: its own table, all priorities, group 1.
    "adr x1, guest_begin",
    "msr vbar_el1, x1",
    "mov x1, #0xff",
    "msr icc_pmr_el1, x1",
    "mov x1, #1",
    "msr icc_igrpen1_el1, x1",
    "isb",
    "take_timer",
    "take_timer",
    // What is trapped.
    "wfi",
    "smc #0",
    "mrs x5, id_aa64pfr0_el1",
    "mrs x5, cntp_ctl_el0",
    "mrs x5, mdscr_el1",
    "msr icc_sgi1r_el1, x5",
    "dc cisw, x5",
    // A device that EL2 plays; memory that is not there; memory that is not to be executed.
    "mov x1, #0x09000000",
    "ldrh w20, [x1, #0x18]",
    "mov x0, x20",
    "hvc #7",
    "mov x1, #0x40000000",
    "add x1, x1, #0x200000",
    "str x1, [x1, #8]",
    "mov x1, #0x0b000000",
    "str wzr, [x1]",
    "blr x1",
    // An exception that EL2 gives it.
    "hvc #8",
    // It moves to each processor.
    ".rept 4",
    "fill",
    "hvc #10",
    "look",
    "hvc #4",
    "take_timer",
    ".endr",
    "hvc #11",
    // The second guest.
    ".globl guest_second",
    "guest_second:",
    ".set seed, 2048",
    "fill",
    "hvc #3",
    "look",
    "hvc #5",
    "b .",
    ".globl guest_end",
    "guest_end:",
    ".purgem vector",
    ".purgem each_register",
    ".purgem each_half",
    ".purgem set_half",
    ".purgem look_at_half",
    ".purgem set_register",
    ".purgem look_at_register",
    ".purgem fill",
    ".purgem look",
    ".purgem take_timer",
    ".text",
);

unsafe extern "C" {
    safe static guest_begin: u8;
    safe static guest_end: u8;
    safe static guest_first: u8;
    safe static guest_second: u8;
}

/// Where the guests' code lies in the image, and how long it is.
pub(crate) fn code() -> (u64, u64) {
    let (begin, end) = (
        (&raw const guest_begin).addr(),
        (&raw const guest_end).addr(),
    );
    (begin as u64, (end - begin) as u64)
}

/// Where the first guest begins, from the beginning of the code.
pub(crate) fn first() -> u64 {
    (&raw const guest_first).addr() as u64 - code().0
}

/// Where the second guest begins.
pub(crate) fn second() -> u64 {
    (&raw const guest_second).addr() as u64 - code().0
}
