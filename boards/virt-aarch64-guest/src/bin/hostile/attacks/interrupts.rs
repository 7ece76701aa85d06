//! Owns: attacks by software interrupts, and by the controller's registers.

use super::Attack;
use crate::controller::{DISTRIBUTOR, REDISTRIBUTOR, leave_all_pending, send};
use crate::processor::{mask, unmask};
use crate::touch;
use crate::vectors::send_again;
use taktos_abi::vm::layout;

/// ICC_SGI1R_EL1: to all others; to the processors of a list, of which this one is the lowest bit.
const OTHERS: u64 = 1 << 40;
const SELF: u64 = 1;
const NUMBER: u32 = 24;

/// Sends to this processor, to all others, and to processors that do not exist.
pub fn send_to_all(attack: &mut Attack<'_>) {
    unmask();
    while attack.goes_on() {
        let number = attack.chance.below(16) << NUMBER;
        let target = match attack.chance.below(4) {
            0 => SELF,
            1 => OTHERS,
            2 => 0xFFFF,
            _ => attack.chance.next() & !(0xF << NUMBER),
        };
        send(number | target);
    }
}

/// Each interrupt sends the next one.
pub fn send_from_handler(attack: &mut Attack<'_>) {
    send_again(SELF | 5 << NUMBER);
    unmask();
    while attack.goes_on() {
        send(SELF | 4 << NUMBER);
    }
}

/// Accesses each register, and the gaps between them, with any size and any value. At the end,
/// leaves the state that is worst for an attack that requests certain interrupts.
pub fn misuse_controller(attack: &mut Attack<'_>) {
    mask();
    while attack.goes_on() {
        let (base, length) = attack.chance.one_of(&[
            (DISTRIBUTOR, 0x1_0000),
            (REDISTRIBUTOR, layout::REDISTRIBUTOR_STRIDE),
            (REDISTRIBUTOR, 16 * layout::REDISTRIBUTOR_STRIDE),
        ]);
        let size = 1 << attack.chance.below(4);
        let at = base + attack.chance.below(length);
        // Mostly where registers are.
        let at = match attack.chance.below(8) {
            0 => at,
            1..4 => at & !(size - 1),
            _ => base + (attack.chance.below(2) << 16) + (at & 0xFFC),
        };
        if attack.chance.below(2) == 0 {
            touch::read(at, size);
        } else {
            touch::write(at, size, attack.chance.word());
        }
    }
    leave_all_pending();
}
