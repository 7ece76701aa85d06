//! Owns: attacks by calls of the hypervisor and of the firmware.

use super::Attack;
use crate::chance::Chance;
use crate::processor::{Conduit, call, counter, set_virtual_timer};
use taktos_abi::vm::call as vm;

/// The calls that end this processor or the partition (PSCI, Arm DEN0022): CPU_OFF, SYSTEM_OFF,
/// SYSTEM_RESET, SYSTEM_RESET2. They are attacks of their own.
const ENDS: [u64; 5] = [
    0x8400_0002,
    0x8400_0008,
    0x8400_0009,
    0x8400_0012,
    0xC400_0012,
];
/// CPU_SUSPEND and CPU_ON, in both widths, AFFINITY_INFO, MIGRATE, FEATURES, CPU_FREEZE,
/// CPU_DEFAULT_SUSPEND, SYSTEM_SUSPEND.
const POWER: [u64; 12] = [
    0x8400_0001,
    0xC400_0001,
    0x8400_0003,
    0xC400_0003,
    0x8400_0004,
    0xC400_0004,
    0xC400_0005,
    0x8400_000A,
    0x8400_000B,
    0xC400_000C,
    0xC400_000E,
    0x8400_0000,
];

/// Returns a function's number: of any owner, of either width, of this project, or of no such kind.
fn function(chance: &mut Chance) -> u64 {
    loop {
        let number = match chance.below(4) {
            0 => vm::VERSION as u64 + chance.below(16),
            1 => 0x8000_0000 | chance.below(2) << 30 | chance.below(64) << 24 | chance.below(64),
            2 => chance.next() & 0xFFFF_FFFF,
            _ => chance.word(),
        };
        // The upper half of the register does not count.
        if !ENDS.contains(&(number & 0xFFFF_FFFF)) {
            return number;
        }
    }
}

fn arguments(number: u64, chance: &mut Chance) -> [u64; 8] {
    let mut all = [0; 8].map(|_: u64| chance.word());
    all[0] = number;
    all
}

/// Makes calls. A call may put this processor to sleep: its timer wakes it.
fn calls(attack: &mut Attack<'_>, conduit: Conduit) {
    check_answers(conduit);
    while attack.goes_on() {
        let number = function(attack.chance);
        set_virtual_timer(counter() + SOON);
        call(conduit, arguments(number, attack.chance));
    }
}

/// Calls of the convention itself (Arm DEN0028), and the answer to each: its version; the presence
/// of its calls: SMCCC_VERSION, SMCCC_ARCH_FEATURES; none for mitigations of speculation. And
/// PSCI's AFFINITY_INFO, at each level and beyond.
const ANSWERS: [([u64; 3], u64); 12] = [
    ([0x8000_0000, 0, 0], 0x1_0001),
    ([0x8000_0001, 0x8000_0000, 0], 0),
    ([0x8000_0001, 0x8000_0001, 0], 0),
    ([0x8000_0001, 0x8000_8000, 0], NOT_SUPPORTED),
    ([0x8000_0001, 0x8000_7FFF, 0], NOT_SUPPORTED),
    ([0x8000_0001, 0x8000_3FFF, 0], NOT_SUPPORTED),
    ([0x8000_8000, 0, 0], NOT_SUPPORTED),
    ([0x8400_000A, 0x8000_0000, 0], 0),
    ([0xC400_0004, 0, 0], 0),
    ([0xC400_0004, 0xFF, 1], 0),
    ([0xC400_0004, 0xFF, 0], INVALID),
    ([0xC400_0004, 0, 4], INVALID),
];
const NOT_SUPPORTED: u64 = -1i64 as u64;
const INVALID: u64 = -2i64 as u64;

fn check_answers(conduit: Conduit) {
    for ([number, one, two], answer) in ANSWERS {
        let found = call(conduit, [number, one, two, 0, 0, 0, 0, 0]);
        if found != answer {
            super::wrong(format_args!(
                "call={number:#x} one={one:#x} two={two:#x} answer={found:#x}"
            ));
        }
    }
}

/// 16 us.
const SOON: u64 = 1_000;

pub fn hypervisor(attack: &mut Attack<'_>) {
    calls(attack, Conduit::Hypervisor);
}

pub fn firmware(attack: &mut Attack<'_>) {
    calls(attack, Conduit::Firmware);
}

/// Calls with processors that do not exist, or that run; entries anywhere.
pub fn power(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let number = attack.chance.one_of(&POWER);
        let target = match attack.chance.below(4) {
            0 => 0,
            1 => attack.chance.below(20),
            _ => attack.chance.word(),
        };
        let entry = match attack.chance.below(3) {
            0 => 0x4020_0000,
            1 => attack.chance.below(1 << 32) | 1,
            _ => attack.chance.word(),
        };
        let context = attack.chance.word();
        set_virtual_timer(counter() + SOON);
        // A processor that wakes from a deep sleep would begin at the entry; after any other sleep
        // it continues here.
        let entry = if number & 0xFF == 1 || number & 0xFF > 0xA {
            0x4020_0000
        } else {
            entry
        };
        // A power state that keeps the registers: bit 16 (and 30 in the extended form) is zero.
        let target = if number & 0xFF == 1 {
            target & 0xFFFF & !(1 << 16)
        } else {
            target
        };
        call(
            Conduit::Hypervisor,
            [number, target, entry, context, 0, 0, 0, 0],
        );
    }
}

pub fn nothing(attack: &mut Attack<'_>) {
    repeat(attack, vm::NOTHING);
}

pub fn give_way(attack: &mut Attack<'_>) {
    repeat(attack, vm::YIELD);
}

fn repeat(attack: &mut Attack<'_>, number: u32) {
    while attack.goes_on() {
        for _ in 0..16 {
            call(Conduit::Hypervisor, [number.into(), 0, 0, 0, 0, 0, 0, 0]);
        }
    }
}

/// Rings its own channels, others' and none.
pub fn doorbells(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let number = attack.chance.one_of(&[vm::DOORBELL, vm::RING_SELF]);
        let channel = match attack.chance.below(4) {
            0 => attack.chance.word(),
            _ => attack.chance.below(9),
        };
        call(
            Conduit::Hypervisor,
            [number.into(), channel, 0, 0, 0, 0, 0, 0],
        );
    }
}
