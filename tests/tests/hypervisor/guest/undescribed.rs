//! Loads and stores of which the processor reports nothing but their address: they are carried out,
//! or abort and are reported.

use taktos_abi::vm::{call, layout};
use taktos_hypervisor::hardware::Context;
use taktos_tests::machine_el2::{Act, Script};

/// A data abort of a kernel's, at the level of pages; of a store.
const ABORT: u64 = 0x24 << 26 | 1 << 25 | 7;
const STORE: u64 = 1 << 6;
const KERNEL: u64 = 0x3C5;
const A32: u64 = 0x10;
/// As EL1 sees it.
const EXTERNAL: u64 = 0x25 << 26 | 1 << 25 | 0x10;

/// Address of priorities, and of the register with the controller's version: 0x3B.
const PRIORITIES: u64 = layout::DISTRIBUTOR + 0x420;
const VERSION: u64 = layout::DISTRIBUTOR + 0xFFE8;

/// A guest in `state` with all of its memory full of `instruction`, which accesses `at`, with x2 =
/// `x2` and x3 = 0x60 before, x5 = `x5`. Then it reads two bytes of priorities.
fn lead(instruction: u32, state: u64, syndrome: u64, at: u64, (x2, x5): (u64, u64)) -> Script {
    let acts = vec![
        Act::Call([call::NOTHING.into(), 0, x2, 0x60]),
        Act::State(state),
        Act::Exception(syndrome, at, at, x5),
        Act::Run(100),
        Act::Access(PRIORITIES, 1, None),
        Act::Access(PRIORITIES + 4, 1, None),
    ];
    let mut script = Script::new(vec![acts], 100);
    for word in 0..8 {
        script.rig.set_word(4 * word, instruction);
    }
    script
}

/// Returns the values of x2 and x5 after the instruction, and the priorities; the guest continued
/// after it.
fn carried_out(instruction: u32, store: bool, at: u64, x2: u64, x5: u64) -> [u64; 4] {
    let syndrome = ABORT | if store { STORE } else { 0 };
    let mut script = lead(instruction, KERNEL, syndrome, at, (x2, x5));
    script.rig.run(250);
    let registers = script.rig.registers(0);
    assert_eq!(registers.pc(), layout::MEMORY + 4, "{instruction:#x}");
    let seen = [registers.x(2), registers.x(5)];
    let script = script.run(10_000);
    assert_eq!(script.rig.console(), "");
    assert_eq!(registers.injected(), 0, "{instruction:#x}");
    let read = script.read(0);
    [seen[0], seen[1], read[4], read[5]]
}

#[test]
fn a_base_register_is_written_back() {
    let at = PRIORITIES;
    // strb w2, [x5], #1; strb w2, [x5, #-1]!; str w2, [x5], #4; str w2, [x5, #4]!
    for (instruction, x5, behind, stored) in [
        (0x3800_14A2, at, at + 1, 0xA0),
        (0x381F_FCA2, at + 1, at, 0xA0),
        (0xB800_44A2, at, at + 4, 0xA0),
        (0xB800_4CA2, at - 4, at, 0xA0),
    ] {
        let seen = carried_out(instruction, true, at, 0xA0, x5);
        assert_eq!(seen, [0xA0, behind, stored, 0], "{instruction:#x}");
    }
    // ldr w2, [x5], #4; ldr x2 is no access of this register; ldrsb x2, [x5, #-1]! of the byte 0x3B
    for (instruction, x5, behind) in [
        (0xB840_44A2, VERSION, VERSION + 4),
        (0xB840_4CA2, VERSION - 4, VERSION),
    ] {
        let seen = carried_out(instruction, false, VERSION, 0, x5);
        assert_eq!(seen, [0x3B, behind, 0, 0], "{instruction:#x}");
    }
}

#[test]
fn both_registers_of_a_pair_are_stored_and_loaded() {
    // stp w2, w3, [x5], #8
    let seen = carried_out(0x2881_0CA2, true, PRIORITIES, 0xA0, PRIORITIES);
    assert_eq!(seen, [0xA0, PRIORITIES + 8, 0xA0, 0x60]);
    // ldp w1, w2, [x5, #-4]: the second one.
    let seen = carried_out(0x297F_88A1, false, VERSION - 4, 0, VERSION);
    assert_eq!(seen[..2], [0x3B, VERSION]);
}

#[test]
fn what_is_not_carried_out_aborts_and_is_told() {
    const STRB: u32 = 0x3800_14A2;
    let at = PRIORITIES;
    for (instruction, state, x5, store) in [
        // Another instruction is there than the one that has aborted: a load; another address.
        (0x3840_14A2, KERNEL, at, true),
        (STRB, KERNEL, at, false),
        (STRB, KERNEL, at + 4, true),
        // Of a vector register.
        (0x3C00_14A2, KERNEL, at, true),
        (STRB, A32, at, true),
    ] {
        let kind = if store { STORE } else { 0 };
        let script = lead(instruction, state, ABORT | kind, at, (0xA0, x5)).run(10_000);
        let registers = script.rig.registers(0);
        let given = registers.take_exception().expect("an abort");
        let user = if state == A32 { 1 << 26 } else { 0 };
        assert_eq!(given.syndrome, (EXTERNAL - user) | kind);
        assert_eq!((given.address, given.pc), (at, layout::MEMORY));
        let word = match state {
            A32 => String::new(),
            _ => format!(" ({instruction:#x})"),
        };
        let told = format!(
            "[taktos] p accesses {at:#x} by an instruction that is not carried out{word} at 0x40000000\n"
        );
        assert_eq!(script.rig.console(), told);
        // Nothing was stored.
        assert_eq!(script.read(0)[4], 0);
    }
    // An address without a device is not reported.
    let script = lead(STRB, KERNEL, ABORT | STORE, 0x3000_0000, (0, 0x3000_0000)).run(10_000);
    assert_eq!(script.rig.registers(0).injected(), 1);
    assert_eq!(script.rig.console(), "");
}
