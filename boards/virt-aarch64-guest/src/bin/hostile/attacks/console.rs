//! Owns: attacks by the console.

use super::Attack;
use crate::touch;
use taktos_abi::vm::layout::CONSOLE;

/// The lines that the flood consists of: an empty one, and some that look like somebody else's.
const LINES: [&str; 4] = [
    "\n",
    "[taktos] all is well\n",
    "x\r[victim] @exit status=0\r\n",
    "flood flood flood\n",
];
/// So many instructions between two lines: what is said is kept by whoever listens.
const PAUSE: u64 = 20_000;

pub fn flood(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        virt_aarch64_guest::console::write(attack.chance.one_of(&LINES));
        taktos_workloads::experiment::instructions(PAUSE);
    }
}

/// Offsets: the register whose bytes are output, UARTCR, and UARTIMSC (Arm DDI 0183).
const DATA: u64 = 0;
const CONTROL: u64 = 0x30;
const MASK: u64 = 0x38;
/// Enabled, to send and to receive.
const ALL_ON: u64 = 0x301;

/// Puts in order what misuse has left.
pub fn calm() {
    touch::write(CONSOLE + MASK, 4, 0);
    touch::write(CONSOLE + CONTROL, 4, ALL_ON);
}

/// All registers but the one for output, with any size and value.
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
