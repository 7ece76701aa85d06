//! The identification registers that a guest reads (Arm DDI 0487, D24.2): of a Cortex-A53 and a
//! Cortex-A57 what it may use; of a processor that has everything no more than EL2 provides for.

use taktos_tests::machine_el2::{Act, Script, read};

/// Returns what a guest reads of each register, CRm 1 to 7, of a processor that holds `held`.
fn shown(held: impl Fn(u32, u32) -> u64) -> impl Fn(u32, u32) -> u64 {
    let all: Vec<(u32, u32)> = (1..8)
        .flat_map(|crm| (0..8).map(move |op2| (crm, op2)))
        .collect();
    let acts: Vec<Act> = all
        .iter()
        .map(|&(crm, op2)| read([3, 0, 0, crm.into(), op2.into()]))
        .collect();
    let mut script = Script::new(vec![acts], 100);
    for &(crm, op2) in &all {
        script.rig.set_identity(crm, op2, held(crm, op2));
    }
    let values = script.run(1_000_000).read(0);
    assert_eq!(values.len(), all.len());
    move |crm, op2| values[((crm - 1) * 8 + op2) as usize]
}

/// The Cortex-A53's (DDI 0500, 4.2.1) with the interrupt controller's registers, and what a guest
/// sees; those of the Cortex-A57 (DDI 0488) differ in nothing that counts here.
const A53: [(u32, u32, u64, u64); 24] = [
    (1, 0, 0x131, 0x131),
    // Neither EL3 nor EL2.
    (1, 1, 0x1001_1011, 0x1001_0001),
    // No performance monitors, and no secure debugging.
    (1, 2, 0x0301_0066, 0x6),
    (1, 4, 0x1010_1105, 0x1010_1105),
    (1, 5, 0x4000_0000, 0x4000_0000),
    (1, 6, 0x0126_0000, 0x0126_0000),
    (1, 7, 0x0210_2211, 0x0210_2211),
    (2, 0, 0x0210_1110, 0x0210_1110),
    (2, 1, 0x1311_2111, 0x1311_2111),
    (2, 2, 0x2123_2042, 0x2123_2042),
    (2, 3, 0x0111_2131, 0x0111_2131),
    (2, 4, 0x0001_1142, 0x0001_1142),
    (2, 5, 0x0001_1121, 0x0001_1121),
    (3, 0, 0x1011_0222, 0x1011_0222),
    (3, 1, 0x1211_1111, 0x1211_1111),
    (3, 2, 0x43, 0x43),
    // EL0 in both states, EL1; neither EL2 nor EL3.
    (4, 0, 0x0100_2222, 0x0100_0022),
    // The other processor has no CSV2 and CSV3 either; a later one has.
    (4, 1, 0, 0),
    // No performance monitors.
    (5, 0, 0x1030_5106, 0x1030_5006),
    (5, 1, 0, 0),
    (6, 0, 0x1_1120, 0x1_1120),
    (6, 1, 0, 0),
    // 32 bits of physical addresses.
    (7, 0, 0x1122, 0x1120),
    (7, 1, 0, 0),
];

#[test]
fn a_guest_sees_what_its_processor_has_for_it() {
    let held = |crm, op2| {
        let known = A53.iter().find(|known| (known.0, known.1) == (crm, op2));
        known.map_or(0, |known| known.2)
    };
    let shown = shown(held);
    for (crm, op2, _, sees) in A53 {
        assert_eq!(shown(crm, op2), sees, "CRm {crm}, op2 {op2}");
    }
}

/// Fields that must not be seen, however much of them there is: the register, the field's lowest
/// bit, its name.
const HIDDEN: [(u32, u32, u32, &str); 44] = [
    (4, 0, 8, "EL2"),
    (4, 0, 12, "EL3"),
    (4, 0, 28, "RAS"),
    (4, 0, 32, "SVE"),
    (4, 0, 36, "SEL2"),
    (4, 0, 40, "MPAM"),
    (4, 0, 44, "AMU"),
    (4, 0, 48, "DIT"),
    (4, 0, 52, "RME"),
    (4, 1, 4, "SSBS"),
    (4, 1, 8, "MTE"),
    (4, 1, 16, "MPAM_frac"),
    (4, 1, 24, "SME"),
    (4, 1, 32, "CSV2_frac"),
    (4, 1, 36, "NMI"),
    (4, 1, 44, "GCS"),
    (5, 0, 4, "TraceVer"),
    (5, 0, 8, "PMUVer"),
    (5, 0, 32, "PMSVer"),
    (5, 0, 36, "DoubleLock"),
    (5, 0, 40, "TraceFilt"),
    (5, 0, 44, "TraceBuffer"),
    (5, 0, 52, "BRBE"),
    (6, 0, 24, "TME"),
    (6, 0, 60, "RNDR"),
    (6, 1, 4, "APA"),
    (6, 1, 8, "API"),
    (6, 1, 24, "GPA"),
    (6, 1, 28, "GPI"),
    (6, 1, 40, "SPECRES"),
    (6, 1, 60, "LS64"),
    (6, 2, 0, "WFxT"),
    (6, 2, 12, "APA3"),
    (7, 0, 0, "PARange"),
    (7, 0, 56, "FGT"),
    (7, 0, 60, "ECV"),
    (7, 1, 4, "VMIDBits"),
    (7, 1, 8, "VH"),
    (7, 1, 16, "LO"),
    (7, 1, 20, "PAN"),
    (7, 1, 40, "HCX"),
    (7, 2, 4, "UAO"),
    (7, 2, 24, "NV"),
    (1, 1, 12, "Virtualization"),
];

/// The registers in which nothing is shown, unless it is named above: a field that a later
/// architecture adds reads as zero.
#[test]
fn a_processor_that_has_everything_shows_no_more_than_is_provided_for() {
    let shown = shown(|_, _| u64::MAX);
    for (crm, op2, at, name) in HIDDEN {
        assert_eq!(shown(crm, op2) >> at & 0xF, 0, "{name}");
    }
    let reserved = [
        (3, 3),
        (3, 6),
        (3, 7),
        (4, 2),
        (4, 3),
        (4, 4),
        (4, 5),
        (4, 6),
        (4, 7),
        (5, 1),
        (5, 2),
        (5, 3),
        (5, 4),
        (5, 5),
        (5, 6),
        (5, 7),
        (6, 3),
        (6, 4),
        (6, 5),
        (6, 6),
        (6, 7),
        (7, 3),
        (7, 4),
        (7, 5),
        (7, 6),
        (7, 7),
    ];
    for (crm, op2) in reserved {
        assert_eq!(shown(crm, op2), 0, "CRm {crm}, op2 {op2}");
    }
    // In AArch32's registers there are 32 bits.
    for crm in 1..4 {
        for op2 in 0..8 {
            assert_eq!(shown(crm, op2) >> 32, 0, "CRm {crm}, op2 {op2}");
        }
    }
}
