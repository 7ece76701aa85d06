//! The model of the U54 against the sentences of the manual's section 4.3 and 4.4, each as a
//! sequence.

use taktos_cycles::model::u54;
use taktos_cycles::pipeline::Pipeline;
use taktos_cycles::rv64;

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

/// The list of result latencies.
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
