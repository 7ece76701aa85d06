//! The model of the Cortex-A8 against sequences with known cycles.

use taktos_cycles::a32;
use taktos_cycles::model::cortex_a8;
use taktos_cycles::pipeline::Pipeline;

/// The first cycle of each instruction.
fn issues(words: &[u32]) -> Vec<u64> {
    let mut pipeline = Pipeline::default();
    let issue = |word: &u32| {
        let instruction = a32::classify(*word).unwrap_or_else(|| panic!("{word:08x} is unknown"));
        pipeline.issue(&cortex_a8::timing(&instruction, a32::condition(*word)))
    };
    words.iter().map(issue).collect()
}

/// The scheduling example of the manual's section 16.8: the cycle in which each
/// instruction is issued, as printed there.
#[test]
fn the_manuals_example() {
    let example: &[(u64, u32, &str)] = &[
        (1, 0xe12f_ff1e, "bx r14"),
        (1, 0xe350_0000, "cmp r0,#0"),
        (2, 0xe3a0_3003, "mov r3,#3"),
        (2, 0xe3a0_0000, "mov r0,#0"),
        (3, 0x0581_3000, "streq r3,[r1,#0]"),
        (3, 0xe352_0004, "cmp r2,#4"),
        (4, 0x979f_f102, "ldrls pc,[pc,r2,lsl #2]"),
        (5, 0xe3a0_0001, "mov r0,#1"),
        (6, 0xea00_0000, "b"),
        (6, 0xe581_0000, "str r0,[r1,#0]"),
        (7, 0xe49d_f004, "ldr pc,[r13],#4"),
        (8, 0xe284_200c, "add r2,r4,#0xc"),
        (9, 0xe596_0004, "ldr r0,[r6,#4]"),
        (9, 0xe3a0_100a, "mov r1,#0xa"),
        (12, 0xe590_0000, "ldr r0,[r0,#0]"),
        (13, 0xe584_0000, "str r0,[r4,#0]"),
        (14, 0xe594_000c, "ldr r0,[r4,#0xc]"),
        (15, 0xe8bd_4070, "ldmfd r13!,{r4-r6,r14}"),
        (17, 0xea00_0368, "b"),
        (18, 0xe280_0002, "add r0,r0,#2"),
    ];
    let words: Vec<u32> = example.iter().map(|(_, word, _)| *word).collect();
    for ((expected, _, name), found) in example.iter().zip(issues(&words)) {
        assert_eq!(found, *expected, "{name}");
    }
}

/// The examples of section 16.3, one for each restriction on dual issue.
#[test]
fn restrictions_on_dual_issue() {
    let load_store = [0xe596_5000, 0xe588_7000, 0xe1a0_900a]; // ldr r5,[r6]; str r7,[r8]; mov r9,r10
    assert_eq!(issues(&load_store), [1, 2, 2]);
    let branches = [0xe12f_ff11, 0x0a00_0000, 0xe082_1003]; // bx r1; beq; add r1,r2,r3
    assert_eq!(issues(&branches), [1, 2, 2]);
    let outputs = [0x01a0_1002, 0x11a0_1003, 0xe596_5000]; // moveq r1,r2; movne r1,r3; ldr r5,[r6]
    assert_eq!(issues(&outputs), [1, 2, 2]);
    let sources = [0xe082_1003, 0xe081_4006, 0xe594_7000]; // add r1; add r4,r1,r6; ldr r7,[r4]
    assert_eq!(issues(&sources), [1, 2, 4]);
}
