//! Owns: behaviour that a guest may rely on, and a hypervisor may get wrong: nested handlers,
//! levels that fall, stores of any form to a device. Each answer is compared with the
//! architecture's.

use super::{Attack, wrong};
use crate::controller::{self, DISTRIBUTOR, REDISTRIBUTOR, send};
use crate::processor::{mask, set_virtual_timer, stop_timers, write};
use crate::touch::{self, load_word, write_word};
use crate::vectors;
use core::arch::asm;

/// GICR_ISPENDR0, GICR_ISACTIVER0, GICR_IPRIORITYR0, GICD_ISPENDR1, GICD_ISENABLER1,
/// GICD_ICENABLER1 and GICD_IGROUPR1.
const PENDING: u64 = REDISTRIBUTOR + 0x1_0200;
const ACTIVE: u64 = REDISTRIBUTOR + 0x1_0300;
const PRIORITY: u64 = REDISTRIBUTOR + 0x1_0400;
const PENDING_SHARED: u64 = DISTRIBUTOR + 0x204;
const ENABLE_SHARED: u64 = DISTRIBUTOR + 0x104;
const DISABLE_SHARED: u64 = DISTRIBUTOR + 0x184;
const GROUP_SHARED: u64 = DISTRIBUTOR + 0x84;

const SOFTWARE: u64 = 0xFFFF;
const TIMER: u64 = 27;
/// ICC_SGI1R_EL1: this processor, and the position of the number.
const SELF: u64 = 1;
const NUMBER: u32 = 24;
/// ICC_CTLR_EL1.EOImode.
const TWO_STEPS: u64 = 1 << 1;

fn active() -> u64 {
    u64::from(load_word(ACTIVE)) & SOFTWARE
}

/// Takes sixteen software interrupts, each more urgent than the one before and taken while that is
/// active. They are ended in the order that the architecture requires, in one step or in two.
pub fn nesting(attack: &mut Attack<'_>) {
    mask();
    while attack.goes_on() {
        let steps = attack.chance.below(2) * TWO_STEPS;
        write!("icc_ctlr_el1", steps);
        for number in 0..16 {
            touch::write(PRIORITY + number, 1, 0xF0 - 8 * number);
        }
        for number in 0..16 {
            send(SELF | number << NUMBER);
            let taken = controller::acknowledge();
            if taken != number {
                return wrong(format_args!("nested={number} taken={taken} steps={steps}"));
            }
        }
        let inside = active();
        (0..16).rev().for_each(controller::end);
        let behind = active();
        if steps != 0 {
            // In any order; here by another stride.
            (0..16).for_each(|n| write!("icc_dir_el1", n * 7 % 16));
        }
        let left = active();
        let right = if steps == 0 { 0 } else { SOFTWARE };
        if (inside, behind, left) != (SOFTWARE, right, 0) {
            return wrong(format_args!(
                "active={inside:#x} ended={behind:#x} deactivated={left:#x} steps={steps}"
            ));
        }
    }
}

/// Lets the timer, and the clock of the calendar if the guest has it, raise and lower their
/// interrupts before any code has taken them.
pub fn levels(attack: &mut Attack<'_>) {
    mask();
    while attack.goes_on() {
        set_virtual_timer(0);
        let due = load_word(PENDING) >> TIMER & 1;
        write!("cntv_cval_el0", u64::MAX);
        let gone = load_word(PENDING) >> TIMER & 1;
        let taken = controller::acknowledge();
        if (due, gone) != (1, 0) || taken == TIMER {
            wrong(format_args!("timer={due} gone={gone} taken={taken}"));
            controller::end(taken);
            break;
        }
        if let Some((due, gone, taken)) = clock()
            && ((due, gone) != (1, 0) || taken == CLOCK_INTERRUPT)
        {
            wrong(format_args!("clock={due} gone={gone} taken={taken}"));
            controller::end(taken);
            break;
        }
    }
    stop_timers();
}

/// The clock (PL031, Arm DDI 0224): its time, in seconds; the time of its interrupt; the enable of
/// its interrupt; the clear of its interrupt.
const CLOCK: u64 = 0x0901_0000;
const CLOCK_INTERRUPT: u64 = 34;
const MATCH: u64 = CLOCK + 4;
const MAY_ASK: u64 = CLOCK + 0x10;
const CLEAR: u64 = CLOCK + 0x1C;
/// Number of checks whether an interrupt has come.
const LOOKS: u32 = 1_000;

/// Returns whether the clock's interrupt is pending after it is raised and after it is cleared, and
/// the interrupt that is taken then; `None` if there is no clock, or if its second is over.
fn clock() -> Option<(u32, u32, u64)> {
    let (exceptions, _) = vectors::counts();
    let now = load_word(CLOCK);
    if vectors::counts().0 != exceptions {
        return None;
    }
    let bit = 1 << (CLOCK_INTERRUPT - 32);
    write_word(GROUP_SHARED, u32::MAX);
    write_word(ENABLE_SHARED, bit);
    write_word(MAY_ASK, 1);
    write_word(MATCH, now);
    // The second may be over meanwhile: then the interrupt comes only much later.
    if load_word(CLOCK) != now {
        return None;
    }
    // The interrupt comes by way of another processor.
    let mut looks = (0..LOOKS).map(|_| load_word(PENDING_SHARED) & bit);
    let due = looks.find(|&due| due != 0).unwrap_or(0);
    write_word(CLEAR, 1);
    let gone = load_word(PENDING_SHARED) & bit;
    let taken = controller::acknowledge();
    write_word(DISABLE_SHARED, bit);
    Some((due / bit, gone / bit, taken))
}

/// Executes one instruction that stores or loads `$value` through a base register. Returns the base
/// and the value after it.
macro_rules! through {
    ($instruction:literal, $base:expr, $value:expr) => {{
        let (mut base, mut value): (u64, u64) = ($base, $value);
        // SAFETY: a register of the emulated controller, which keeps what is written; no memory is
        // changed.
        unsafe {
            asm!($instruction, a = inout(reg) base, v = inout(reg) value, options(nostack))
        };
        (base, value)
    }};
}

/// External aborts of EL1's own, of a load and of a store (ESR_EL1).
const ABORT: u64 = 0x25 << 26 | 1 << 25 | 0x10;
const STORE: u64 = 1 << 6;
/// Address where nothing is.
const HOLE: u64 = 0x3000_0000;

/// Makes stores and loads that write their base back: the sixteen priorities as bytes, half-words,
/// words and doublewords; and aborts that distinguish stores from loads.
pub fn write_back(attack: &mut Attack<'_>) {
    mask();
    while attack.goes_on() {
        let word = attack.chance.next() & 0xF8F8_F8F8;
        let (exceptions, _) = vectors::counts();
        let mut at = PRIORITY;
        for byte in 0..4 {
            (at, _) = through!("strb {v:w}, [{a}], #1", at, word >> (8 * byte));
        }
        let (stored, _) = through!("str {v:w}, [{a}, #4]!", PRIORITY, word);
        let (loaded, second) = through!("ldr {v:w}, [{a}], #-4", PRIORITY, 0);
        let (signed, third) = through!("ldrsb {v}, [{a}, #3]!", PRIORITY, 0);
        let ends = [at, stored, loaded, signed].map(|end| end.wrapping_sub(PRIORITY));
        let right = [4, 4, 4u64.wrapping_neg(), 3];
        let sign = (word >> 24) as u8 as i8 as i64 as u64;
        let came = vectors::counts().0 - exceptions;
        let found = (second, third, u64::from(load_word(PRIORITY + 4)));
        if ends != right || found != (word, sign, word) || came != 0 {
            return wrong(format_args!(
                "word={word:#x} found={found:x?} ends={ends:x?} exceptions={came}"
            ));
        }
        touch::read(HOLE, 4);
        let load = vectors::syndrome();
        touch::write(HOLE, 4, 0);
        let store = vectors::syndrome();
        if (load, store) != (ABORT, ABORT | STORE) {
            return wrong(format_args!("aborts={load:#x},{store:#x}"));
        }
    }
}
