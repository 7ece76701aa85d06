//! Owns: attacks by the console.

use super::Attack;
use crate::touch;
use taktos_abi::vm::layout::CONSOLE;

/// The lines that the flood consists of: an empty one, and one that looks like somebody else's.
const LINES: [&str; 3] = ["\n", "[taktos] all is well\n", "flood flood flood\n"];
/// So many instructions between two lines: what is said is kept by whoever listens.
const PAUSE: u64 = 20_000;

pub fn flood(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        virt_aarch64_guest::console::write(attack.chance.one_of(&LINES));
        taktos_workloads::experiment::instructions(PAUSE);
    }
}

/// Offset of the register whose bytes are output.
const DATA: u64 = 0;

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
