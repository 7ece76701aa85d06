//! Owns: the attack by a device that the partition has: the board's clock (a PL031, Arm DDI 0224),
//! with interrupt 34.

use super::Attack;
use crate::controller::{DISTRIBUTOR, acknowledge, end};
use crate::target::ATTEMPTS;
use crate::touch::write_word;
use core::sync::atomic::Ordering::Relaxed;

const CLOCK: u64 = 0x0901_0000;
/// Its registers: the value of comparison, the value to set, and the enable of its interrupt.
const MATCH: u64 = CLOCK + 0x4;
const LOAD: u64 = CLOCK + 0x8;
const ENABLE: u64 = CLOCK + 0x10;
/// GICD_IGROUPR1 and GICD_ISENABLER1, and the interrupt's bit there.
const GROUP: u64 = DISTRIBUTOR + 0x84;
const ENABLE_SHARED: u64 = DISTRIBUTOR + 0x104;
const BIT: u32 = 1 << (34 - 32);
/// Any time of day.
const TIME: u32 = 1_000;

/// Makes the device request its interrupt from now on and for ever; each is taken and ended at
/// once. An attempt is an interrupt that came.
pub fn interrupts(attack: &mut Attack<'_>) {
    write_word(GROUP, BIT);
    write_word(ENABLE_SHARED, BIT);
    write_word(ENABLE, 1);
    write_word(LOAD, TIME);
    write_word(MATCH, TIME);
    while attack.goes_on() {
        let number = acknowledge();
        end(number);
        if number != 34 {
            ATTEMPTS.fetch_sub(1, Relaxed);
        }
    }
}
