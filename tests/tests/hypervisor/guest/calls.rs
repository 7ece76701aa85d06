//! PSCI (Arm DEN0022) and the calling convention's own calls (Arm DEN0028).

use taktos_abi::vm::layout;
use taktos_tests::machine_el2::{Act, Script, read, write};

use super::call;

const VERSION: u32 = 0x8000_0000;
const ARCH_FEATURES: u32 = 0x8000_0001;
const CPU_OFF: u32 = 0x8400_0002;
const CPU_ON: u32 = 0xC400_0003;
const AFFINITY_INFO: u32 = 0xC400_0004;
const AFFINITY_INFO_32: u32 = 0x8400_0004;
const SYSTEM_RESET: u32 = 0x8400_0009;
const FEATURES: u32 = 0x8400_000A;

const SUCCESS: u64 = 0;
const ON: u64 = 0;
const OFF: u64 = 1;
const NOT_SUPPORTED: u64 = -1i64 as u64;
const INVALID: u64 = -2i64 as u64;
const ALREADY_ON: u64 = -4i64 as u64;
const INVALID_ADDRESS: u64 = -9i64 as u64;

const END: u64 = 1_000_000;

/// Checks the results of calls by a virtual processor; it is one of several, and the only one that
/// is on.
fn answers(vcpus: usize, calls: &[(Act, u64)]) {
    let mut programs = vec![vec![]; vcpus];
    programs[0] = calls.iter().map(|call| call.0).collect();
    let script = Script::new(programs, 100).run(END);
    let expected: Vec<u64> = calls.iter().map(|call| call.1).collect();
    assert_eq!(script.answers(0), expected, "{calls:x?}");
}

#[test]
fn the_convention_tells_which_of_its_calls_there_are() {
    let asked = |function: u32| call(ARCH_FEATURES, [function.into(), 0, 0]);
    answers(
        1,
        &[
            (call(VERSION, [0; 3]), 0x1_0001),
            (asked(VERSION), SUCCESS),
            (asked(ARCH_FEATURES), SUCCESS),
            // The upper half of the argument does not count.
            (
                call(ARCH_FEATURES, [u64::from(VERSION) | 7 << 32, 0, 0]),
                SUCCESS,
            ),
            // SOC_ID; mitigations of speculation: 1, 2, 3 and 4.
            (asked(0x8000_0002), NOT_SUPPORTED),
            (asked(0x8000_8000), NOT_SUPPORTED),
            (asked(0x8000_7FFF), NOT_SUPPORTED),
            (asked(0x8000_3FFF), NOT_SUPPORTED),
            (asked(0x8000_0004), NOT_SUPPORTED),
            (asked(CPU_ON), NOT_SUPPORTED),
            // Calls that are not there are not done either.
            (call(0x8000_8000, [0; 3]), NOT_SUPPORTED),
            (call(0x8000_7FFF, [1, 0, 0]), NOT_SUPPORTED),
            (call(0x8000_3FFF, [0; 3]), NOT_SUPPORTED),
            // PSCI reports that the convention can be queried.
            (call(FEATURES, [VERSION.into(), 0, 0]), SUCCESS),
        ],
    );
}

#[test]
fn affinity_info_looks_at_the_level() {
    let info = |affinity: u64, level: u64| call(AFFINITY_INFO, [affinity, level, 0]);
    answers(
        2,
        &[
            (info(0, 0), ON),
            (info(1, 0), OFF),
            (info(2, 0), INVALID),
            (info(1 << 8, 0), INVALID),
            // The fields below the level do not count: one of all is on.
            (info(0, 1), ON),
            (info(1, 1), ON),
            (info(0xFF, 1), ON),
            (info(1 << 8, 1), INVALID),
            (info(0xFFFF, 2), ON),
            (info(1 << 16, 2), INVALID),
            (info(0xFF_FFFF, 3), ON),
            (info(1 << 24, 3), INVALID),
            (info(1 << 32, 3), INVALID),
            // There is no such level, however it is written.
            (info(0, 4), INVALID),
            (info(0, 0xFFFF_FFFF), INVALID),
            (info(0, 1 << 31), INVALID),
            // By the short form all arguments have 32 bits.
            (call(AFFINITY_INFO_32, [1 | 1 << 32, 0, 0]), OFF),
            (call(AFFINITY_INFO_32, [1, 1 | 1 << 32, 0]), ON),
        ],
    );
}

#[test]
fn a_processor_is_switched_on_where_its_first_instruction_can_be() {
    let on = |entry: u64| call(CPU_ON, [1, entry, 0]);
    let inside = layout::MEMORY + 0x1000;
    let refused = [
        inside + 1,
        inside + 2,
        inside + 3,
        layout::MEMORY - 4,
        layout::MEMORY + 0x20_0000,
        0,
        u64::MAX,
        !3,
    ];
    for entry in refused {
        let script = Script::new(vec![vec![on(entry)], vec![]], 100).run(END);
        assert_eq!(script.answers(0), [INVALID_ADDRESS], "{entry:#x}");
        assert_eq!(script.rig.registers(1).resets(), 0, "{entry:#x}");
    }
    answers(2, &[(on(inside), SUCCESS), (on(inside), ALREADY_ON)]);
    answers(2, &[(on(layout::MEMORY + 0x1F_FFFC), SUCCESS)]);
}

const CNTP_CTL: [u64; 5] = [3, 3, 14, 2, 1];
const CNTP_CVAL: [u64; 5] = [3, 3, 14, 2, 2];
const MDSCR: [u64; 5] = [2, 0, 0, 2, 2];
const TDCC: u64 = 1 << 12;

/// Returns the acts of a virtual processor that reads its state, then sets it, before it `ends`.
fn life(ends: Act) -> Vec<Act> {
    vec![
        read(CNTP_CTL),
        read(CNTP_CVAL),
        read(MDSCR),
        write(CNTP_CVAL, 20_000),
        write(CNTP_CTL, 1),
        write(MDSCR, TDCC),
        read(MDSCR),
        ends,
    ]
}

/// After a stop everything is as after a reset: the emulated timer is off, and no debug register
/// holds anything.
#[test]
fn nothing_of_a_processor_s_own_survives_a_stop() {
    // A processor that is switched off, and on again.
    let second = life(call(CPU_OFF, [0; 3]));
    let on = call(CPU_ON, [1, layout::MEMORY, 0]);
    let first = vec![on, Act::Run(10_000), on, Act::Run(10_000)];
    let script = Script::new(vec![first, second], 100).run(100_000);
    assert_eq!(script.rig.registers(1).resets(), 2);
    let found = script.read(1);
    assert_eq!(found[..3], [0; 3]);
    assert_eq!(found[6], TDCC);
    // A partition that is reset, for ever.
    let script = Script::new(vec![life(call(SYSTEM_RESET, [0; 3]))], 100).run(100_000);
    assert!(script.rig.registers(0).resets() > 3);
    assert_eq!(script.read(0)[..3], [0; 3]);
}
