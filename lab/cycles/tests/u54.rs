//! The model of the U54 against the statements of the manual's sections 4.3 and 4.4, each as a
//! sequence.

use taktos_cycles::model::u54;
use taktos_cycles::pipeline::Pipeline;
use taktos_cycles::rv64;
use taktos_cycles::timing::Flags;

/// The first cycle of each instruction.
fn issues(sequence: &[(u32, &str)]) -> Vec<u64> {
    let mut pipeline = Pipeline::default();
    let issue = |(word, text): &(u32, &str)| {
        let found = rv64::classify(*word).unwrap_or_else(|| panic!("unknown: {text}"));
        pipeline.issue(&u54::timing(&found))
    };
    sequence.iter().map(issue).collect()
}

const USE: (u32, &str) = (0x00d5_0733, "add a4, a0, a3");
const OTHER: (u32, &str) = (0x0062_83b3, "add t2, t0, t1");

/// "Single-issue, in-order [...] a peak execution rate of one instruction per clock cycle".
#[test]
fn one_a_cycle() {
    assert_eq!(issues(&[OTHER, USE, OTHER]), [1, 2, 3]);
}

/// The list of result latencies; of LR, AMO and SC in `RISCVSchedRocket.td`, and by estimate.
#[test]
fn from_a_result_to_its_use() {
    let rows = [
        (0x00c5_8533, "add a0, a1, a2", 1),
        (0x0005_a503, "lw a0, 0(a1)", 2),
        (0x0005_b503, "ld a0, 0(a1)", 2),
        (0x0005_8503, "lb a0, 0(a1)", 3),
        (0x0005_d503, "lhu a0, 0(a1)", 3),
        (0x1000_2573, "csrr a0, sstatus", 3),
        (0x02c5_8533, "mul a0, a1, a2", 5),
        (0x02c5_b533, "mulhu a0, a1, a2", 5),
        (0x02c5_d533, "divu a0, a1, a2", 65),
        (0x02c5_e53b, "remw a0, a1, a2", 33),
        (0x1005_b52f, "lr.d a0, (a1)", 2),
        (0x40c5_a52f, "amoor.w a0, a2, (a1)", 2),
        (
            0x18c5_b52f,
            "sc.d a0, a2, (a1)",
            u64::from(u54::STORE_CONDITIONAL),
        ),
        (0xe200_0553, "fmv.x.d a0, f0", 2),
    ];
    for (word, text, latency) in rows {
        assert_eq!(issues(&[(word, text), USE]), [1, 1 + latency], "{text}");
        assert_eq!(issues(&[(word, text), OTHER]), [1, 2], "{text}");
    }
}

/// "Most CSR writes result in a pipeline flush with a five-cycle penalty."
#[test]
fn writes_of_control_registers() {
    for (word, text) in [
        (0x1405_1073, "csrw sscratch, a0"),
        (0x1001_6073, "csrsi sstatus, 2"),
        (0x1401_1173, "csrrw sp, sscratch, sp"),
    ] {
        assert_eq!(issues(&[(word, text), OTHER]), [1, 1 + 1 + 5], "{text}");
    }
}

/// One multiplication at a time, of sixteen bits a cycle; one division.
#[test]
fn units() {
    let multiply = (0x02c5_8533, "mul a0, a1, a2");
    let other_multiply = (0x0262_83b3, "mul t2, t0, t1");
    assert_eq!(issues(&[multiply, other_multiply]), [1, 5]);
    let divide = (0x02c5_d533, "divu a0, a1, a2");
    let other_divide = (0x0262_d3b3, "divu t2, t0, t1");
    assert_eq!(issues(&[divide, other_divide]), [1, 66]);
}

/// "Correctly predicted branches and jumps incur no penalty."
#[test]
fn branches() {
    let branch = (0x00b5_0063, "beq a0, a1, .");
    assert_eq!(issues(&[branch, (0x8082, "ret"), OTHER]), [1, 2, 3]);
    assert_eq!(u54::EVENTS.transfer, 0);
}

/// Flags of instructions that the clock must follow while the image runs.
#[test]
fn flags_for_the_clock() {
    let kinds = Flags::STORE | Flags::MAY_LEAVE | Flags::TRANSFER | Flags::RETURN;
    let store = Flags::STORE | Flags::MAY_LEAVE;
    let rows = [
        (0x00c5_8533, "add a0, a1, a2", Flags::NONE),
        (0x0085_b503, "ld a0, 8(a1)", Flags::MAY_LEAVE),
        (0x00a5_b423, "sd a0, 8(a1)", store),
        (0xe588, "c.sd a0, 8(a1)", store),
        (0x1005_b52f, "lr.d a0, (a1)", Flags::MAY_LEAVE),
        (0x18c5_b52f, "sc.d a0, a2, (a1)", store),
        (0x40c5_a52f, "amoor.w a0, a2, (a1)", store),
        (0xc010_2573, "rdtime a0", Flags::MAY_LEAVE),
        (0x1001_6073, "csrsi sstatus, 2", Flags::MAY_LEAVE),
        (0x1050_0073, "wfi", Flags::MAY_LEAVE),
        (0xf205_0053, "fmv.d.x f0, a0", Flags::MAY_LEAVE),
        (0x00b5_0063, "beq a0, a1, .", Flags::TRANSFER),
        (0x8082, "ret", Flags::TRANSFER),
        (0x1020_0073, "sret", Flags::TRANSFER | Flags::RETURN),
        (0x0000_0073, "ecall", Flags::NONE),
    ];
    for (word, text, expected) in rows {
        let flags = u54::timing(&rv64::classify(word).unwrap()).flags;
        assert_eq!(flags.bits() & kinds.bits(), expected.bits(), "{text}");
    }
}
