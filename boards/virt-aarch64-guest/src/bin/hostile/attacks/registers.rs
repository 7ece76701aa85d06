//! Owns: attacks by each system register and system instruction that an instruction can name,
//! whether it exists or not.
//!
//! The instructions are made one after another and executed: `MRS` and `MSR` of all 32,768 numbers
//! with op0 2 and 3, among them those of EL2 and EL3, debug, performance counters and what each
//! processor defines for itself; `SYS` and `SYSL` of all 16,384 (Arm ARM, C5.1).

use super::Attack;
use crate::processor::mask;
use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The numbers of op0 2 and 3, and those of op0 1.
const REGISTERS: u64 = 1 << 15;
const OPERATIONS: u64 = 1 << 14;
/// The instructions for number 0, with x0.
const READ: u32 = 0xD530_0000;
const WRITE: u32 = 0xD510_0000;
const OPERATE: u32 = 0xD508_0000;
const OPERATE_AND_READ: u32 = 0xD528_0000;
const RETURN: u32 = 0xD65F_03C0;
/// Position of a number in an instruction.
const PLACE: u32 = 5;

const fn number(op0: u64, op1: u64, n: u64, m: u64, op2: u64) -> u64 {
    (op0 - 2) << 14 | op1 << 11 | n << 7 | m << 3 | op2
}

/// Registers without which the program itself would not continue: they are written with the values
/// that they hold.
const PRECIOUS: [u64; 10] = [
    // SCTLR_EL1, TTBR0_EL1, TCR_EL1
    number(3, 0, 1, 0, 0),
    number(3, 0, 2, 0, 0),
    number(3, 0, 2, 0, 2),
    // SPSel, PAN
    number(3, 0, 4, 2, 0),
    number(3, 0, 4, 2, 3),
    // MAIR_EL1, VBAR_EL1, RMR_EL1
    number(3, 0, 10, 2, 0),
    number(3, 0, 12, 0, 0),
    number(3, 0, 12, 0, 2),
    // DAIF, SSBS
    number(3, 3, 4, 2, 1),
    number(3, 3, 4, 2, 6),
];

#[repr(C, align(64))]
struct Code(UnsafeCell<[u32; 2]>);

// SAFETY: one processor, of which no handler comes here.
unsafe impl Sync for Code {}

static CODE: Code = Code(UnsafeCell::new([RETURN; 2]));

/// Executes `instruction` with `value` in x0. Returns x0 after it.
fn execute(instruction: u32, value: u64) -> u64 {
    let code = CODE.0.get();
    let mut x0 = value;
    // SAFETY: two instructions. The first may do anything to registers that the program does not
    // rely on (the callers request no others), and the second returns; memory is identical in the
    // map and executable.
    unsafe {
        code.write_volatile([instruction, RETURN]);
        asm!(
            "dc cvau, {code}", "dsb ish", "ic ivau, {code}", "dsb ish", "isb",
            "blr {code}",
            code = in(reg) code,
            inout("x0") x0,
            clobber_abi("C"),
        );
    }
    x0
}

/// Number at which the next turn continues.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns the next number below `limit`. The first one after a start is random: a number that
/// ended the program is not tried again at once.
fn next(attack: &mut Attack<'_>, limit: u64) -> u64 {
    if NEXT.load(Relaxed) == 0 {
        NEXT.store(1 + attack.chance.below(limit), Relaxed);
    }
    NEXT.fetch_add(1, Relaxed) % limit
}

pub fn read_and_write(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        mask();
        let number = next(attack, REGISTERS);
        let place = (number as u32) << PLACE;
        let found = execute(READ | place, 0);
        let value = match PRECIOUS.contains(&number) {
            true => found,
            false => attack.chance.word(),
        };
        execute(WRITE | place, value);
    }
}

static SCRATCH: Code = Code(UnsafeCell::new([0; 2]));

pub fn instructions(attack: &mut Attack<'_>) {
    let address = SCRATCH.0.get().addr() as u64;
    while attack.goes_on() {
        let place = (next(attack, OPERATIONS) as u32) << PLACE;
        execute(OPERATE | place, address);
        execute(OPERATE_AND_READ | place, address);
    }
}
