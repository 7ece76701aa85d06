//! The model of the Cortex-A8 applied to save-and-restore sequences of the kinds that
//! published kernels use on ARMv7-A.
//!
//! "Implementation and Analysis of Context Switching on OS Kernel" (Jung, Shin) analysed such
//! sequences by hand with the processor's timing tables. Its figures are no expected values here,
//! and no input to the model; what the model makes of the sequences is. The difference of the two
//! is stated next to each, and in the model's documentation.

use taktos_cycles::a32;
use taktos_cycles::model::cortex_a8;
use taktos_cycles::pipeline::Pipeline;

fn cycles(sequence: &[(u32, &str)]) -> u64 {
    let mut pipeline = Pipeline::default();
    for (word, text) in sequence {
        let instruction = a32::classify(*word).unwrap_or_else(|| panic!("unknown: {text}"));
        pipeline.issue(&cortex_a8::timing(&instruction, a32::condition(*word)));
    }
    pipeline.cycles()
}

/// The old thread's stack holds everything, the control blocks hold the stack pointers, registers
/// hold the addresses of the blocks. The paper: 40; the model is 10 % above.
#[test]
fn both_blocks_in_registers() {
    let sequence = [
        (0xe52d_e004, "push {lr}"),
        (
            0xe92d_5fff,
            "push {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}",
        ),
        (0xe10f_2000, "mrs r2, CPSR"),
        (0xe52d_2004, "push {r2}"),
        (0xe580_d000, "str sp, [r0]"),
        (0xe591_d000, "ldr sp, [r1]"),
        (0xe49d_2004, "pop {r2}"),
        (0xe12f_f002, "msr CPSR_fsxc, r2"),
        (
            0xe8bd_5fff,
            "pop {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}",
        ),
        (0xe49d_f004, "pop {pc}"),
    ];
    assert_eq!(cycles(&sequence), 44);
}

/// Saving with user-mode transfers, a nesting counter kept with the registers, the block's
/// address loaded from memory at either end, and three instructions that do nothing.
/// The paper: 73; the model is 5 % above.
#[test]
fn user_mode_transfers_and_a_nesting_counter() {
    let sequence = [
        (0xe92d_0001, "stmfd sp!, {r0}"),
        (0xe94d_2000, "stmdb sp, {sp}^"),
        (0xe320_f000, "nop"),
        (0xe24d_d004, "sub sp, sp, #4"),
        (0xe8bd_0001, "ldmfd sp!, {r0}"),
        (0xe920_4000, "stmdb r0!, {lr}"),
        (0xe1a0_e000, "mov lr, r0"),
        (0xe8bd_0001, "ldmfd sp!, {r0}"),
        (
            0xe94e_7fff,
            "stmdb lr, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^",
        ),
        (0xe320_f000, "nop"),
        (0xe24e_e03c, "sub lr, lr, #60"),
        (0xe14f_0000, "mrs r0, SPSR"),
        (0xe92e_0001, "stmdb lr!, {r0}"),
        (0xe59f_0040, "ldr r0, [pc, #64]"),
        (0xe590_0000, "ldr r0, [r0]"),
        (0xe92e_0001, "stmdb lr!, {r0}"),
        (0xe59f_1040, "ldr r1, [pc, #64]"),
        (0xe591_0000, "ldr r0, [r1]"),
        (0xe580_e000, "str lr, [r0]"),
        (0xe59f_0040, "ldr r0, [pc, #64]"),
        (0xe590_0000, "ldr r0, [r0]"),
        (0xe590_e000, "ldr lr, [r0]"),
        (0xe59f_0040, "ldr r0, [pc, #64]"),
        (0xe8be_0002, "ldm lr!, {r1}"),
        (0xe580_1000, "str r1, [r0]"),
        (0xe8be_0001, "ldm lr!, {r0}"),
        (0xe16f_f000, "msr SPSR_fsxc, r0"),
        (
            0xe8de_7fff,
            "ldm lr, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^",
        ),
        (0xe320_f000, "nop"),
        (0xe59e_e03c, "ldr lr, [lr, #60]"),
        (0xe25e_f004, "subs pc, lr, #4"),
    ];
    assert_eq!(cycles(&sequence), 77);
}

/// Saving and restoring in two transfers each, the status register between.
/// The paper: 56; the model is 2 % above.
#[test]
fn two_transfers_and_the_status_register() {
    let sequence = [
        (0xe92d_4000, "stmfd sp!, {lr}"),
        (0xe92d_4000, "stmfd sp!, {lr}"),
        (
            0xe92d_1fff,
            "push {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}",
        ),
        (0xe10f_0000, "mrs r0, CPSR"),
        (0xe31e_0001, "tst lr, #1"),
        (0x1380_0020, "orrne r0, r0, #32"),
        (0xe92d_0001, "stmfd sp!, {r0}"),
        (0xe59f_0040, "ldr r0, [pc, #64]"),
        (0xe590_1000, "ldr r1, [r0]"),
        (0xe581_d000, "str sp, [r1]"),
        (0xe59f_0040, "ldr r0, [pc, #64]"),
        (0xe590_2000, "ldr r2, [r0]"),
        (0xe592_d000, "ldr sp, [r2]"),
        (0xe8bd_0001, "ldmfd sp!, {r0}"),
        (0xe16f_f000, "msr SPSR_fsxc, r0"),
        (
            0xe8fd_dfff,
            "ldm sp!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr, pc}^",
        ),
    ];
    assert_eq!(cycles(&sequence), 57);
}
