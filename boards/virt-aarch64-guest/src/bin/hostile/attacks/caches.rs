//! Owns: attacks by operations that concern all processors: forgetting translations, maintaining
//! caches.

use super::Attack;
use core::arch::asm;
use core::sync::atomic::AtomicU64;

pub fn translations(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let page = attack.chance.next() & 0xFF_FFFF_FFFF;
        // SAFETY: translations are read again from the tables.
        unsafe {
            asm!(
                "tlbi vmalle1is",
                "tlbi vmalle1",
                "tlbi vaae1is, {page}",
                "tlbi vaale1is, {page}",
                "tlbi vae1, {page}",
                "tlbi aside1is, {page}",
                "dsb ish",
                "ic ialluis",
                "dsb ish",
                "isb",
                page = in(reg) page,
                options(nostack)
            )
        };
    }
}

const LINE: usize = 64;
const WORDS: usize = 512;

#[repr(C, align(64))]
struct Room([AtomicU64; WORDS]);

static ROOM: Room = Room([const { AtomicU64::new(0) }; WORDS]);

pub fn caches(attack: &mut Attack<'_>) {
    let room = ROOM.0.as_ptr().addr();
    while attack.goes_on() {
        let line = room + attack.chance.below((WORDS * 8 / LINE) as u64) as usize * LINE;
        let way = attack.chance.next() & 0xF000_FFCE;
        // SAFETY: of memory that holds nothing, or without a loss of contents; by set and way all
        // is written back first.
        unsafe {
            asm!(
                "dc zva, {line}",
                "dc cvac, {line}",
                "dc civac, {line}",
                "dc ivac, {line}",
                "ic ivau, {line}",
                "dc csw, {way}",
                "dc cisw, {way}",
                "ic iallu",
                "dsb sy",
                "isb",
                line = in(reg) line,
                way = in(reg) way,
                options(nostack)
            )
        };
    }
}
