//! Owns: attacks by the console.

use super::Attack;
use crate::touch;
use taktos_abi::vm::layout::CONSOLE;

/// Lines of the flood: an empty one, and some that look like another source's.
const LINES: [&str; 4] = [
    "\n",
    "[taktos] all is well\n",
    "x\r[victim] @exit status=0\r\n",
    "flood flood flood\n",
];
/// Number of instructions between two lines: the reader of the console stores each line.
const PAUSE: u64 = 20_000;

pub fn flood(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        virt_aarch64_guest::console::write(attack.chance.one_of(&LINES));
        taktos_workloads::experiment::instructions(PAUSE);
    }
}

/// Offsets: the register that takes the output bytes, UARTCR, and UARTIMSC (Arm DDI 0183).
const DATA: u64 = 0;
const CONTROL: u64 = 0x30;
const MASK: u64 = 0x38;
/// Enabled, to send and to receive.
const ALL_ON: u64 = 0x301;

/// Restores the console after misuse.
pub fn calm() {
    touch::write(CONSOLE + MASK, 4, 0);
    touch::write(CONSOLE + CONTROL, 4, ALL_ON);
}

/// Accesses all registers but the one for output, with any size and value.
pub fn misuse(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let size = 1 << attack.chance.below(4);
        let offset = attack.chance.below(0x1000);
        let offset = match attack.chance.below(4) {
            0 => offset,
            _ => offset & 0x7C,
        };
        if offset & !7 == DATA || attack.chance.below(2) == 0 {
            touch::read(CONSOLE + offset, size);
        } else {
            touch::write(CONSOLE + offset, size, attack.chance.word());
        }
    }
}
