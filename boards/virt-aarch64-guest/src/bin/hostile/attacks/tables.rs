//! Owns: attacks by changes of the program's own translation.

use super::Attack;
use crate::{touch, translation};

/// Sets entries of any form, for its own memory, for others' memory and for no memory; they are
/// used at once and changed again.
pub fn change(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let number = 2 + attack.chance.below(510);
        let kind = attack.chance.one_of(&[0x401, 0x705, 0x445, 3, 0, 0xFFF]);
        let target = match attack.chance.below(3) {
            0 => 0x4000_0000,
            1 => 0,
            _ => attack.chance.word() & 0xFFFF_C000_0000,
        };
        let entry = match attack.chance.below(4) {
            0 => attack.chance.word(),
            _ => target | kind,
        };
        translation::set(number as usize, entry);
        if attack.chance.below(2) == 0 {
            translation::forget();
        }
        // Only read: what it reaches may be this program.
        let at = number << 30 | attack.chance.below(1 << 30) & !7;
        match attack.chance.below(3) {
            0 => touch::translate(at),
            _ => touch::read(at, 8),
        }
    }
    translation::calm();
}

pub fn toggle(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        translation::toggle();
    }
}
