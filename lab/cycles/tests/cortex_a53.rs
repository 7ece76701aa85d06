//! The model of the Cortex-A53 against the compilers' descriptions that it is made from: each
//! row and each bypass as a sequence of two or three instructions.

use taktos_cycles::a64;
use taktos_cycles::model::cortex_a53;
use taktos_cycles::pipeline::Pipeline;
use taktos_cycles::timing::Flags;

/// The first cycle of each instruction.
fn issues(sequence: &[(u32, &str)]) -> Vec<u64> {
    let mut pipeline = Pipeline::default();
    let issue = |(word, text): &(u32, &str)| {
        let found = a64::classify(*word).unwrap_or_else(|| panic!("unknown: {text}"));
        pipeline.issue(&cortex_a53::timing(&found))
    };
    sequence.iter().map(issue).collect()
}

const ADD: (u32, &str) = (0x8b02_0020, "add x0, x1, x2");
const USE: (u32, &str) = (0x8b03_0004, "add x4, x0, x3");
const USE_SHIFTED: (u32, &str) = (0x8b00_0c64, "add x4, x3, x0, lsl #3");
const SHIFT_USE: (u32, &str) = (0xd37d_f004, "lsl x4, x0, #3");
const SHIFT: (u32, &str) = (0xd37d_f020, "lsl x0, x1, #3");
const LOAD: (u32, &str) = (0xf940_0420, "ldr x0, [x1, #8]");
const LOAD_USE: (u32, &str) = (0xf940_0404, "ldr x4, [x0, #8]");
const STORE_USE: (u32, &str) = (0xf900_00a0, "str x0, [x5]");
const EXCLUSIVE_STORE: (u32, &str) = (0xc800_fc22, "stlxr w0, x2, [x1]");
const MULTIPLY: (u32, &str) = (0x9b02_7c20, "mul x0, x1, x2");
const MULTIPLY_USE: (u32, &str) = (0x9b03_7c04, "mul x4, x0, x3");
const BRANCH_USE: (u32, &str) = (0xb400_0000, "cbz x0, .");
const COMPARE: (u32, &str) = (0xf100_041f, "cmp x0, #1");
const BRANCH_IF: (u32, &str) = (0x5400_0000, "b.eq .");
const OTHER: (u32, &str) = (0x8b08_00e6, "add x6, x7, x8");
const OTHER_LOAD: (u32, &str) = (0xf940_00e6, "ldr x6, [x7]");

/// GCC's bypasses, and LLVM's STXR: cycles from the first to the second.
#[test]
fn from_a_result_to_its_use() {
    let rows = [
        (SHIFT, USE, 0),
        (SHIFT, SHIFT_USE, 1),
        (SHIFT, USE_SHIFTED, 1),
        (SHIFT, STORE_USE, 0),
        (SHIFT, LOAD_USE, 2),
        (ADD, USE, 1),
        (ADD, USE_SHIFTED, 2),
        (ADD, SHIFT_USE, 2),
        (ADD, STORE_USE, 0),
        (ADD, BRANCH_USE, 0),
        (ADD, LOAD_USE, 3),
        (ADD, MULTIPLY_USE, 3),
        (COMPARE, BRANCH_IF, 0),
        (LOAD, USE, 2),
        (LOAD, USE_SHIFTED, 3),
        (LOAD, SHIFT_USE, 3),
        (LOAD, STORE_USE, 1),
        (LOAD, LOAD_USE, 3),
        (LOAD, MULTIPLY_USE, 4),
        (EXCLUSIVE_STORE, USE, 2),
        (EXCLUSIVE_STORE, LOAD_USE, 4),
        (MULTIPLY, USE, 2),
        (MULTIPLY, SHIFT_USE, 3),
        (MULTIPLY, STORE_USE, 1),
        (MULTIPLY, MULTIPLY_USE, 4),
    ];
    for (first, second, cycles) in rows {
        let found = issues(&[first, second]);
        assert_eq!(found[1] - found[0], cycles, "{} ; {}", first.1, second.1);
    }
}

/// Pairs that may be issued together: two that need nothing of each other, but one load or store,
/// one branch, one multiplication and one shift by a register a cycle.
#[test]
fn issued_together() {
    let independent_multiply = (0x9b08_7ce6, "mul x6, x7, x8");
    let by_register = (0x9ac2_2020, "lsl x0, x1, x2");
    let other_by_register = (0x9ac8_20e6, "lsl x6, x7, x8");
    let branch = (0x1400_0000, "b .");
    let daifset = (0xd503_42df, "msr daifset, #2");
    let half_pair = (0x2940_0440, "ldp w0, w1, [x2]");
    let preload = (0xf980_0000, "prfm pldl1keep, [x0]");
    let rows: [(_, _, u64); 12] = [
        (ADD, OTHER, 0),
        (ADD, OTHER_LOAD, 0),
        (LOAD, OTHER, 0),
        (LOAD, OTHER_LOAD, 1),
        (MULTIPLY, OTHER, 0),
        (MULTIPLY, independent_multiply, 1),
        (by_register, other_by_register, 1),
        (branch, BRANCH_USE, 1),
        (daifset, OTHER, 1),
        (OTHER, half_pair, 1),
        (half_pair, OTHER, 0),
        (preload, OTHER_LOAD, 1),
    ];
    for (first, second, cycles) in rows {
        let found = issues(&[first, second]);
        assert_eq!(found[1] - found[0], cycles, "{} ; {}", first.1, second.1);
    }
    // Never three.
    let third = (0x8b0b_0149, "add x9, x10, x11");
    assert_eq!(issues(&[ADD, OTHER, third]), [1, 1, 2]);
}

/// GCC's load2 and store2: a pair comes in in two cycles, and goes out in one.
#[test]
fn pairs() {
    let load = (0xa940_0440, "ldp x0, x1, [x2]");
    let store = (0xa900_14c4, "stp x4, x5, [x6]");
    let found = issues(&[load, OTHER_LOAD]);
    assert_eq!(found[1] - found[0], 2);
    // The last cycle of a load of two can issue another instruction.
    let found = issues(&[load, OTHER, OTHER_LOAD]);
    assert_eq!([found[1] - found[0], found[2] - found[0]], [1, 2]);
    let found = issues(&[load, USE]);
    assert_eq!(found[1] - found[0], 3);
    let found = issues(&[load, LOAD_USE]);
    assert_eq!(found[1] - found[0], 4);
    let found = issues(&[store, OTHER]);
    assert_eq!(found[1] - found[0], 0);
    let found = issues(&[store, OTHER_LOAD]);
    assert_eq!(found[1] - found[0], 1);
    // The base is written back in time for the next address.
    let push = (0xa9be_77f3, "stp x19, x29, [sp, #-32]!");
    let next = (0xf900_0bfe, "str x30, [sp, #16]");
    assert_eq!(issues(&[push, next]), [1, 2]);
}

/// The estimates are what the constants say, and nothing goes with them.
#[test]
fn system_instructions() {
    let rows = [
        (0xd518_d080, "msr tpidr_el1, x0", cortex_a53::WRITE_SYSTEM),
        (0xd503_42df, "msr daifset, #2", cortex_a53::WRITE_STATE),
        (0xd503_3f9f, "dsb sy", cortex_a53::BARRIER),
        (0xd508_871f, "tlbi vmalle1", cortex_a53::MAINTAIN),
        (0xd503_3fdf, "isb", cortex_a53::REFILL),
    ];
    for (word, text, cycles) in rows {
        let found = issues(&[OTHER, (word, text), OTHER_LOAD]);
        assert_eq!(found[1] - found[0], 1, "{text}");
        assert_eq!(found[2] - found[1], u64::from(cycles), "{text}");
    }
    // MRS is as an addition.
    let found = issues(&[(0xd538_d080, "mrs x0, tpidr_el1"), OTHER, USE, LOAD_USE]);
    assert_eq!(
        [
            found[1] - found[0],
            found[2] - found[0],
            found[3] - found[0]
        ],
        [0, 1, 3]
    );
}

#[test]
fn division_and_floating_point() {
    let divide = (0x9ac2_0820, "udiv x0, x1, x2");
    let other_divide = (0x9ac8_08e6, "udiv x6, x7, x8");
    let found = issues(&[divide, OTHER, other_divide]);
    let taken = u64::from(cortex_a53::DIVIDE);
    assert_eq!([found[1] - found[0], found[2] - found[0]], [0, taken]);
    let (add, multiply) = (
        (0x1e62_2820, "fadd d0, d1, d2"),
        (0x1e63_0804, "fmul d4, d0, d3"),
    );
    let found = issues(&[add, multiply]);
    assert_eq!(found[1] - found[0], 4);
    let accumulate = (0x1f45_00c4, "fmadd d4, d6, d5, d0");
    let found = issues(&[add, accumulate]);
    assert_eq!(found[1] - found[0], 1);
    let store = (0xfd00_00a0, "str d0, [x5]");
    let found = issues(&[add, store]);
    assert_eq!(found[1] - found[0], 4);
    let (load, quad) = ((0xfd40_0020, "ldr d0, [x1]"), (0x3dc0_0020, "ldr q0, [x1]"));
    assert_eq!(issues(&[load, multiply]), [1, 4]);
    assert_eq!(issues(&[quad, OTHER_LOAD, multiply]), [1, 3, 5]);
}

/// Flags of instructions that the clock must follow while the image runs.
#[test]
fn flags_for_the_clock() {
    let kinds = Flags::STORE | Flags::MAY_LEAVE | Flags::TRANSFER | Flags::RETURN;
    let store = Flags::STORE | Flags::MAY_LEAVE;
    let rows = [
        (ADD, Flags::NONE),
        (LOAD, Flags::MAY_LEAVE),
        (STORE_USE, store),
        ((0xa900_14c4, "stp x4, x5, [x6]"), store),
        ((0xc85f_7c20, "ldxr x0, [x1]"), Flags::MAY_LEAVE),
        ((0xc802_fc20, "stlxr w2, x0, [x1]"), store),
        ((0xd53b_e040, "mrs x0, cntvct_el0"), Flags::MAY_LEAVE),
        ((0xd51b_e340, "msr cntv_cval_el0, x0"), Flags::MAY_LEAVE),
        ((0xd503_207f, "wfi"), Flags::MAY_LEAVE),
        ((0x9e67_0000, "fmov d0, x0"), Flags::MAY_LEAVE),
        (BRANCH_USE, Flags::TRANSFER),
        ((0xd65f_03c0, "ret"), Flags::TRANSFER),
        ((0xd69f_03e0, "eret"), Flags::TRANSFER | Flags::RETURN),
        ((0xd400_0001, "svc #0"), Flags::NONE),
    ];
    for ((word, text), expected) in rows {
        let flags = cortex_a53::timing(&a64::classify(word).unwrap()).flags;
        assert_eq!(flags.bits() & kinds.bits(), expected.bits(), "{text}");
    }
}
