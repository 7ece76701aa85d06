//! Owns: attacks by undefined instructions, and by addresses where there is nothing.

use super::Attack;
use crate::chance::Chance;
use crate::{touch, translation};
use core::arch::asm;
use taktos_abi::vm::layout;

/// Addresses where a partition has no memory, or may have none: below, between and after devices,
/// after its own eight megabytes, after all memory, after the last intermediate address.
const HOLES: [u64; 20] = [
    0x0000_0000,
    0x0000_1000,
    0x07FF_F000,
    layout::DISTRIBUTOR + 0x1_0000,
    layout::REDISTRIBUTOR - 0x1000,
    layout::REDISTRIBUTOR + layout::REDISTRIBUTOR_STRIDE,
    layout::CONSOLE + 0x1000,
    layout::CHANNEL_UART,
    layout::CHANNEL_MEMORY,
    layout::CHANNEL_MEMORY + 7 * layout::CHANNEL_MEMORY_STRIDE,
    0x1000_0000,
    0x3FFF_F000,
    MEMORY_END,
    layout::DESCRIPTION,
    layout::PARTITIONS,
    0x7FFF_F000,
    0x8000_0000,
    layout::END - 8,
    layout::END,
    LAST,
];
/// End of the memory that the image may use, and the last word that the first stage can name.
const MEMORY_END: u64 = 0x4080_0000;
const LAST: u64 = (1 << 39) - 8;

fn hole(chance: &mut Chance) -> u64 {
    let any = chance.next();
    let at = match any % 4 {
        0 => chance.one_of(&HOLES),
        1 => MEMORY_END + any / 4 % (0x8000_0000 - MEMORY_END),
        2 => 0x8000_0000 + any / 4 % 0x8000_0000,
        _ => 0x8000_0000 + any / 4 % (LAST - 0x8000_0000),
    };
    at & !7
}

pub fn undefined(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        // SAFETY: undefined instructions, or calls without a receiver; the handler continues after
        // them.
        unsafe {
            match attack.chance.below(6) {
                0 => asm!("udf #0", options(nomem, nostack)),
                1 => asm!("udf #0xFFFF", options(nomem, nostack)),
                2 => asm!("brk #7", options(nomem, nostack)),
                3 => asm!("hlt #1", options(nomem, nostack)),
                4 => asm!("svc #3", options(nomem, nostack)),
                // ERETAA, of a later architecture.
                _ => asm!(".inst 0xD69F0BFF", options(nomem, nostack)),
            }
        }
    }
}

/// Makes plain reads and writes, aligned or not.
pub fn holes(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let skew = [0, 0, 0, 1, 3, 4];
        let at = hole(attack.chance) + attack.chance.one_of(&skew);
        let size = 1 << attack.chance.below(4);
        if attack.chance.below(2) == 0 {
            touch::read(at, size);
        } else {
            touch::write(at, size, attack.chance.word());
        }
    }
}

/// Jumps to addresses without instructions: holes, devices, odd addresses. Not on the bare board,
/// where the emulator executes a device's registers for ever.
pub fn jumps(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let at = match attack.chance.below(4) {
            0 => {
                attack
                    .chance
                    .one_of(&[layout::DISTRIBUTOR, layout::REDISTRIBUTOR, layout::CONSOLE])
            }
            1 => hole(attack.chance) + 2,
            _ => hole(attack.chance),
        };
        if !(MEMORY_END..0x8000_0000).contains(&at) {
            touch::jump(at);
        }
    }
}

/// Accesses devices and holes in ways that tell the hypervisor neither register nor size.
pub fn odd_accesses(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let kind = attack.chance.below(touch::KINDS);
        let at = match attack.chance.below(3) {
            0 => layout::DISTRIBUTOR + (attack.chance.below(0x1_0000) & !7),
            1 => layout::REDISTRIBUTOR + (attack.chance.below(0x2_0000) & !7),
            _ => hole(attack.chance),
        };
        touch::oddly(at, kind);
    }
}

/// Sets tables of the first stage in holes and devices: the processor itself reads there. Nothing
/// of the program is in the upper half.
pub fn walks(attack: &mut Attack<'_>) {
    const UPPER: u64 = 0xFFFF_FFFF << 32;
    while attack.goes_on() {
        let table = match attack.chance.below(3) {
            0 => layout::DISTRIBUTOR,
            1 => layout::CONSOLE,
            _ => hole(attack.chance) & !0xFFF,
        };
        translation::set_upper(table, attack.chance.next());
        let at = UPPER | attack.chance.next() & !7;
        match attack.chance.below(4) {
            0 => touch::translate(at),
            1 => touch::jump(at & !3),
            2 => touch::write(at, 8, 0),
            _ => touch::read(at, 8),
        }
    }
    translation::calm();
}
